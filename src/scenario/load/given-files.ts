/** The files that scenarios give, with their bytes: read once, put into every session. */
import type { HeldBytes } from '../../protocol/call.ts'
import type { GivenFile, GivenFiles } from '../../protocol/scripted.ts'
import type { Settings } from '../../protocol/settings.ts'
import { fieldPath } from '../../protocol/wording.ts'
import type { PlacedMistake } from '../check/mistake.ts'
import type { ReplySpec } from '../compile/compile.ts'
import { answersOf } from '../compile/select.ts'
import type { ContentSpec, GivenResourceSpec } from '../format/given.ts'
import type { ScenarioReader } from './reader.ts'
import type { Scenario } from './scenario.ts'

/** A given file and where it is written: the number of its scenario and its place in the list. */
export interface PlacedFile {
  readonly file: GivenFile
  readonly from: number
  readonly index: number
}

/** The bytes that scenarios bring along, by what they stand in. */
export interface OwnBytes {
  readonly replies: ReadonlyMap<object, HeldBytes>
  /** What given jobs, videos and operations have made. */
  readonly contents: ReadonlyMap<object, readonly HeldBytes[]>
  readonly mistakes: readonly PlacedMistake[]
}

/** Reads the bytes of replies and of what given resources have made. */
export function readOwnBytes(scenarios: readonly Scenario[], { disk, allowFiles }: ScenarioReader): OwnBytes {
  const replies = new Map<object, HeldBytes>()
  const contents = new Map<object, readonly HeldBytes[]>()
  const mistakes: PlacedMistake[] = []
  for (const [from, { spec, directory }] of scenarios.entries()) {
    const read = (content: ContentSpec, path: readonly PropertyKey[]): readonly HeldBytes[] => {
      const bytes = disk.readContent(content, fieldPath(path), { directory, allowFiles })
      if (typeof bytes !== 'string') return [bytes]
      mistakes.push({ path: [...path, 'file'], key: false, from, message: bytes })
      return []
    }
    for (const [index, { then }] of (spec.rules ?? []).entries())
      for (const { answer, path } of answersOf(then)) {
        const content = contentOfReply(answer.reply)
        const [bytes] = content === undefined ? [] : read(content, ['rules', index, 'then', ...path, 'reply'])
        if (bytes !== undefined) replies.set(answer.reply as object, bytes)
      }
    for (const [kind, list] of Object.entries(spec.given ?? {}))
      for (const [index, one] of (kind === 'files' ? [] : (list ?? [])).entries()) {
        const { content } = one as GivenResourceSpec
        if (content === undefined) continue
        const at = ['given', kind, index, 'content']
        contents.set(
          one,
          Array.isArray(content)
            ? content.flatMap((part: ContentSpec, place) => read(part, [...at, place]))
            : read(content as ContentSpec, at),
        )
      }
  }
  return { replies, contents, mistakes }
}

/** What a reply says of its own bytes; undefined when it has none. */
export function contentOfReply(reply: ReplySpec | undefined): ContentSpec | undefined {
  const { base64, file } = reply ?? {}
  if (file !== undefined) return { file }
  return base64 === undefined ? undefined : { base64 }
}

/** Reads the given files of scenarios; a file that cannot be read is a mistake. */
export function readGivenFiles(
  scenarios: readonly Scenario[],
  { disk, allowFiles }: ScenarioReader,
): { readonly files: readonly PlacedFile[]; readonly mistakes: readonly PlacedMistake[] } {
  const files: PlacedFile[] = []
  const mistakes: PlacedMistake[] = []
  for (const [from, { spec, directory }] of scenarios.entries()) {
    for (const [index, { content, ...file }] of (spec.given?.files ?? []).entries()) {
      const bytes = disk.readContent(content, file.path, { directory, allowFiles })
      if (typeof bytes === 'string')
        mistakes.push({
          path: ['given', 'files', index, 'content', 'file'],
          key: false,
          from,
          message: bytes,
        })
      else files.push({ file: { ...file, bytes }, from, index })
    }
  }
  return { files, mistakes }
}

/** What the settings have against given files. */
export function mistakesOfFiles(
  files: readonly PlacedFile[],
  { faultOf }: GivenFiles,
  settings: Settings,
): PlacedMistake[] {
  const found = files.flatMap(({ file, from, index }) => {
    const fault = faultOf(file, settings)
    return fault === undefined
      ? []
      : [{ path: ['given', 'files', index, fault.field], key: false, from, message: fault.message }]
  })
  const total = files.reduce((sum, { file }) => sum + file.bytes.size, 0)
  const last = files.at(-1)
  if (found.length > 0 || last === undefined) return found
  // A file that would have to make room for the next one is nothing that exists.
  const { files: most, fileBytes } = settings.memory
  if (files.length > most)
    found.push({
      path: ['given', 'files', last.index],
      key: false,
      from: last.from,
      message: `${files.length} files are given, and a session keeps ${most} (setting memory.files)`,
    })
  else if (total > fileBytes)
    found.push({
      path: ['given', 'files', last.index],
      key: false,
      from: last.from,
      message:
        `the given files hold ${total} bytes together, and a session keeps ${fileBytes} (setting ` +
        'memory.fileBytes)',
    })
  return found
}
