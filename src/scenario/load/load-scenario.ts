/**
 * Scenarios from files, texts and plain objects, with every mistake and its place. The file system is only
 * reached for when a path is given.
 */
import { createServiceVocabulary } from '../../endpoints/registry.ts'
import { lazy } from '../../engine/lazy.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { fieldPath } from '../../protocol/wording.ts'
import { type CheckedScenario, checkScenario } from '../check/scenario.ts'
import type { ScenarioMistake } from '../check/shape.ts'
import { type ScenarioSchema, type ScenarioSpec, scenarioSchema } from '../format/scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../scenario-error.ts'
import { readText } from './read-text.ts'
import { readDocument, type YamlDocument } from './read-yaml.ts'
import { tooDeep, tooDeepAt } from './yaml-messages.ts'

/** A scenario that can be used. */
export class Scenario {
  /** How reports call it: the path as it was given, or `scenario 1`. */
  readonly name: string
  /** What it says, as zod has parsed it. @internal */
  readonly spec: ScenarioSpec
  /** Where files that it names are looked for; undefined when it is no file. */
  readonly directory: string | undefined
  readonly #document: YamlDocument | undefined

  /** @internal */
  constructor(name: string, spec: ScenarioSpec, directory?: string, document?: YamlDocument) {
    this.name = name
    this.spec = spec
    this.directory = directory
    this.#document = document
  }

  /** Mistakes with their places in this scenario. @internal */
  place(mistakes: readonly ScenarioMistake[]): ScenarioFinding[] {
    return placed(mistakes, this.name, this.#document)
  }
}

/** What it takes to read scenarios; made once for many. @internal */
export interface ScenarioReader {
  readonly vocabulary: Vocabulary
  readonly schema: ScenarioSchema
}

/**
 * The one for the operations of the service. Dear to make (zod compiles its schemas), so whoever has no
 * scenario does not pay for it, and nobody pays twice. @internal
 */
export const scenarioReader: () => ScenarioReader = lazy(() => readerOf(createServiceVocabulary()))

/** What it takes to read scenarios about these operations. @internal */
export function readerOf(vocabulary: Vocabulary): ScenarioReader {
  return { vocabulary, schema: scenarioSchema(vocabulary) }
}

/**
 * Reads a scenario file (YAML or JSON). Throws `ScenarioError` with every mistake of the file, each with line
 * and column, and when there is no such file.
 */
export async function loadScenario(file: string | URL): Promise<Scenario> {
  const { readFile } = builtin<typeof import('node:fs/promises')>('node:fs/promises', String(file))
  const { fileURLToPath } = builtin<typeof import('node:url')>('node:url', String(file))
  const { dirname } = builtin<typeof import('node:path')>('node:path', String(file))
  const path = file instanceof URL ? fileURLToPath(file) : file
  let bytes: Uint8Array
  try {
    bytes = await readFile(path)
  } catch (error) {
    throw unreadable(path, error)
  }
  return scenarioOf(textOf(bytes, path), path, dirname(path), await import('yaml'), scenarioReader())
}

const nothingSaid: CheckedScenario = {
  mistakes: [
    {
      path: [],
      message: 'the file is empty: expected at least a `title`, and what happens under `rules`',
      key: false,
    },
  ],
  spec: undefined,
}

/** The scenario of a text. Throws `ScenarioError`. @internal */
export function scenarioOf(
  text: string,
  name: string,
  directory: string | undefined,
  yaml: typeof import('yaml'),
  { schema, vocabulary }: ScenarioReader,
): Scenario {
  const document = readDocument(yaml, text)
  const { mistakes, spec } = document.empty
    ? nothingSaid
    : document.value === undefined
      ? { mistakes: [], spec: undefined }
      : checkScenario(document.value, schema, vocabulary)
  const found = placed(mistakes, name, document)
  if (found.length > 0 || spec === undefined) throw scenarioError(found)
  return new Scenario(name, spec, directory, document)
}

/** The scenario of a plain object. Throws `ScenarioError`. @internal */
export function scenarioOfObject(
  value: unknown,
  name: string,
  { schema, vocabulary }: ScenarioReader,
): Scenario {
  // An object can hold itself.
  const deep = tooDeepAt(value)
  const { mistakes, spec } =
    deep === undefined
      ? checkScenario(value, schema, vocabulary)
      : { mistakes: [{ path: deep.slice(0, 4), message: tooDeep, key: false }], spec: undefined }
  if (spec === undefined) throw scenarioError(placed(mistakes, name, undefined))
  return new Scenario(name, structuredClone(spec))
}

/** Reads a file without waiting, for `createSimulator`; in Node only. Throws `ScenarioError`. @internal */
export function readScenarioNow(path: string, reader: ScenarioReader): Scenario {
  const { readFileSync } = builtin<typeof import('node:fs')>('node:fs', path)
  const { createRequire } = builtin<typeof import('node:module')>('node:module', path)
  const { dirname } = builtin<typeof import('node:path')>('node:path', path)
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw unreadable(path, error)
  }
  return scenarioOf(
    textOf(bytes, path),
    path,
    dirname(path),
    createRequire(import.meta.url)('yaml') as typeof import('yaml'),
    reader,
  )
}

/**
 * The scenario of a text of YAML or JSON, without waiting; YAML in Node only. Throws `ScenarioError`.
 * @internal
 */
export function scenarioOfText(text: string, name: string, reader: ScenarioReader): Scenario {
  const { process } = globalThis as { process?: { getBuiltinModule?: unknown } }
  if (process?.getBuiltinModule !== undefined) {
    const { createRequire } = builtin<typeof import('node:module')>('node:module', name)
    return scenarioOf(
      text,
      name,
      undefined,
      createRequire(import.meta.url)('yaml') as typeof import('yaml'),
      reader,
    )
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ScenarioError(
      `The scenario ${name} cannot be read here, where only JSON is: pass what it says as an object.`,
    )
  }
  return scenarioOfObject(value, name, reader)
}

/** The text of a file. Throws `ScenarioError` where it is not UTF-8. @internal */
export function textOf(bytes: Uint8Array, name: string): string {
  const read = readText(bytes)
  if ('text' in read) return read.text
  throw scenarioError([
    {
      file: name,
      line: read.line,
      column: read.column,
      source: '',
      field: '',
      message: 'this is not UTF-8 text: save the file as UTF-8',
    },
  ])
}

// Asked for by name at run time: a bundler for browsers must not look for files.
function builtin<Module>(name: string, path: string): Module {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }
  const found = process?.getBuiltinModule?.(name)
  if (found === undefined)
    throw new ScenarioError(
      `The scenario ${path} cannot be read here, where there are no files: pass what it says as an object.`,
    )
  return found as Module
}

/** One error for all that was found. @internal */
export function scenarioError(found: readonly ScenarioFinding[]): ScenarioError {
  const files = [...new Set(found.map(({ file }) => file))]
  const lines = found.map(({ file, line, column, field, message, source }) =>
    line === undefined
      ? `${file}: ${field === '' ? '' : `${field}: `}${message}`
      : `${file}:${line}:${column}: ${message}${source === undefined || source === '' ? '' : `\n    ${source}`}`,
  )
  return new ScenarioError(
    `${files.join(', ')} cannot be used (${found.length} mistake${found.length === 1 ? '' : 's'}):\n${lines.join('\n')}`,
    found,
  )
}

function placed(
  mistakes: readonly ScenarioMistake[],
  file: string,
  document: YamlDocument | undefined,
): ScenarioFinding[] {
  if (document === undefined)
    return mistakes.map(({ path, message }) => ({
      file,
      field: fieldPath(path),
      message: unnamed(message, fieldPath(path)),
    }))
  return document.place(mistakes).map(({ line, column, message, source, path = [] }) => ({
    file,
    line,
    column,
    source,
    field: fieldPath(path),
    message,
  }))
}

// Where a line shows the place, the end of the field stands before the message; here the whole field does.
function unnamed(message: string, field: string): string {
  const [front = ''] = message.split(': ', 1)
  return front !== '' && front !== message && field.endsWith(front)
    ? message.slice(front.length + 2)
    : message
}

/** Why a file cannot be read. @internal */
export function unreadable(path: string, error: unknown): ScenarioError {
  const { code } = error as { code?: unknown }
  const why =
    code === 'ENOENT'
      ? 'there is no such file'
      : code === 'EISDIR'
        ? 'it is a directory'
        : error instanceof Error
          ? error.message
          : String(error)
  return new ScenarioError(`${path}: ${why}`, [{ file: path, field: '', message: why }])
}
