/** The given files of scenarios, with their bytes: read once, added to every session. */
import type { HeldBytes } from '../../protocol/call.ts'
import type { GivenFile, GivenFiles } from '../../protocol/scripted.ts'
import type { Settings } from '../../protocol/settings.ts'
import { fieldPath } from '../../protocol/wording.ts'
import { type Path, type PlacedError, wrongValue } from '../check/file-error.ts'
import type { ResponseSpec } from '../compile/compile.ts'
import { answersOf } from '../compile/select.ts'
import type { ContentSpec } from '../format/given.ts'
import type { ScenarioSpec } from '../format/scenario.ts'
import type { Scenario, ScenarioReader } from './scenario.ts'

/** A given file and its source: the number of its scenario and its place in the list. */
interface PlacedFile {
  readonly file: GivenFile
  readonly from: number
  readonly index: number
}

/** The bytes in scenarios. */
interface OwnBytes {
  /** By the object that has them: a response, or a given file. */
  readonly of: ReadonlyMap<object, HeldBytes>
  readonly files: readonly PlacedFile[]
  readonly errors: readonly PlacedError[]
}

/** Reads the bytes of responses and of given files. */
export function readOwnBytes(scenarios: readonly Scenario[], { disk, allowFiles }: ScenarioReader): OwnBytes {
  const of = new Map<object, HeldBytes>()
  const files: PlacedFile[] = []
  const errors: PlacedError[] = []
  for (const [from, { spec, directory }] of scenarios.entries()) {
    for (const { owner, content, path, seed = fieldPath(path) } of contentsOf(spec)) {
      const bytes = disk.readContent(content, seed, { directory, allowFiles })
      if (typeof bytes === 'string') errors.push({ ...wrongValue([...path, 'file'], bytes), from })
      else of.set(owner, bytes)
    }
    for (const [index, written] of (spec.given?.files ?? []).entries()) {
      const { content: _, ...file } = written
      const bytes = of.get(written)
      if (bytes !== undefined) files.push({ file: { ...file, bytes }, from, index })
    }
  }
  return { of, files, errors }
}

interface OwnContent {
  readonly owner: object
  readonly content: ContentSpec
  readonly path: Path
  /** Distinguishes generated images. Default: the path. */
  readonly seed?: string
}

function* contentsOf({ rules = [], given = {} }: ScenarioSpec): Generator<OwnContent> {
  for (const [index, { then }] of rules.entries())
    for (const { answer, path: at } of answersOf(then)) {
      const { response } = answer
      const content = contentOfResponse(response)
      const path = ['rules', index, 'then', ...at, 'response']
      if (response !== undefined && content !== undefined) yield { owner: response, content, path }
    }
  for (const [index, owner] of (given.files ?? []).entries())
    yield { owner, content: owner.content, path: ['given', 'files', index, 'content'], seed: owner.path }
}

/** The content of a response with its own bytes; undefined if it has none. */
export function contentOfResponse({ base64, file }: ResponseSpec = {}): ContentSpec | undefined {
  if (file !== undefined) return { file }
  return base64 === undefined ? undefined : { base64 }
}

/** Errors of given files that the settings do not allow. */
export function errorsOfFiles(
  files: readonly PlacedFile[],
  { faultOf }: GivenFiles,
  settings: Settings,
): PlacedError[] {
  return files.flatMap(({ file, from, index }) => {
    const fault = faultOf(file, settings)
    if (fault === undefined) return []
    return [{ ...wrongValue(['given', 'files', index, fault.field], fault.message), from }]
  })
}
