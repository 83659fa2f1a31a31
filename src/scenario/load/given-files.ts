/** The given files of scenarios, with their bytes: read once, added to every session. */
import type { HeldBytes } from '../../protocol/call.ts'
import type { GivenFile, GivenFiles } from '../../protocol/scripted.ts'
import type { Settings } from '../../protocol/settings.ts'
import { fieldPath } from '../../protocol/wording.ts'
import { type Path, type PlacedError, wrongValue } from '../check/finding.ts'
import type { ResponseSpec } from '../compile/compile.ts'
import { answersOf } from '../compile/select.ts'
import type { ContentSpec, GivenResourceSpec } from '../format/given.ts'
import type { Scenario, ScenarioReader } from './scenario.ts'

/** A given file and its source: the number of its scenario and its place in the list. */
interface PlacedFile {
  readonly file: GivenFile
  readonly from: number
  readonly index: number
}

/** The bytes in scenarios, by the object that contains them. */
interface OwnBytes {
  readonly responses: ReadonlyMap<object, HeldBytes>
  /** The results of given jobs, videos and operations. */
  readonly contents: ReadonlyMap<object, readonly HeldBytes[]>
  readonly files: readonly PlacedFile[]
  readonly errors: readonly PlacedError[]
}

/** Reads the bytes of responses, of the results of given resources, and of given files. */
export function readOwnBytes(scenarios: readonly Scenario[], { disk, allowFiles }: ScenarioReader): OwnBytes {
  const responses = new Map<object, HeldBytes>()
  const contents = new Map<object, readonly HeldBytes[]>()
  const files: PlacedFile[] = []
  const errors: PlacedError[] = []
  for (const [from, { spec, directory }] of scenarios.entries()) {
    const read = (content: ContentSpec, path: Path, seed = fieldPath(path)): readonly HeldBytes[] => {
      const bytes = disk.readContent(content, seed, { directory, allowFiles })
      if (typeof bytes !== 'string') return [bytes]
      errors.push({ ...wrongValue([...path, 'file'], bytes), from })
      return []
    }
    for (const [index, { then }] of (spec.rules ?? []).entries())
      for (const { answer, path } of answersOf(then)) {
        const content = contentOfResponse(answer.response)
        const [bytes] =
          content === undefined ? [] : read(content, ['rules', index, 'then', ...path, 'response'])
        if (bytes !== undefined) responses.set(answer.response as object, bytes)
      }
    const { files: own = [], ...resources } = spec.given ?? {}
    for (const [kind, list = []] of Object.entries(resources))
      for (const [index, one] of (list as readonly GivenResourceSpec[]).entries()) {
        const { content } = one
        if (content === undefined) continue
        const at = ['given', kind, index, 'content']
        const parts = Array.isArray(content)
          ? content.flatMap((part: ContentSpec, place) => read(part, [...at, place]))
          : read(content as ContentSpec, at)
        contents.set(one, parts)
      }
    for (const [index, { content, ...file }] of own.entries())
      for (const bytes of read(content, ['given', 'files', index, 'content'], file.path))
        files.push({ file: { ...file, bytes }, from, index })
  }
  return { responses, contents, files, errors }
}

/** The content of a response with its own bytes; undefined if it has none. */
export function contentOfResponse(response: ResponseSpec | undefined): ContentSpec | undefined {
  const { base64, file } = response ?? {}
  if (file !== undefined) return { file }
  return base64 === undefined ? undefined : { base64 }
}

/** Errors of given files that the settings do not allow. */
export function errorsOfFiles(
  files: readonly PlacedFile[],
  { faultOf }: GivenFiles,
  settings: Settings,
): PlacedError[] {
  const found = files.flatMap(({ file, from, index }) => {
    const fault = faultOf(file, settings)
    return fault === undefined
      ? []
      : [{ ...wrongValue(['given', 'files', index, fault.field], fault.message), from }]
  })
  const total = files.reduce((sum, { file }) => sum + file.bytes.size, 0)
  const last = files.at(-1)
  if (found.length > 0 || last === undefined) return found
  // A given file must not be evicted to make room for the next one.
  const { items: most, bytes } = settings.memory
  const message =
    files.length > most
      ? `${files.length} files are listed, but a session keeps at most ${most} things (setting memory.items)`
      : `the given files have ${total} bytes in total, but a session keeps at most ${bytes} ` +
        '(setting memory.bytes)'
  return files.length > most || total > bytes
    ? [{ ...wrongValue(['given', 'files', last.index], message), from: last.from }]
    : []
}
