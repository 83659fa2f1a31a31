/** Reads scenarios from texts and plain objects, and reports every error with its position. */
import { isFields, lazy } from '../../engine/fields.ts'
import type { RuleFunction } from '../../generated/scenario-types.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import { firstOf } from '../../protocol/field-errors.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { errorsInWords, fieldPath, maxErrors, notData } from '../../protocol/wording.ts'
import { type FileError, wrongValue } from '../check/file-error.ts'
import { checkScenario } from '../check/scenario.ts'
import type { ContentSpec } from '../format/given.ts'
import { type ScenarioSchema, type ScenarioSpec, scenarioSchema } from '../format/scenario.ts'
import { ScenarioError, type ScenarioFieldError } from '../scenario-error.ts'
import { readDocument, tooMuchIn, valuesIn, type Yaml, type YamlDocument } from './read-yaml.ts'

export interface ScenarioReader {
  readonly vocabulary: Vocabulary
  /** Created on first use, because it takes zod some time. */
  schema(): ScenarioSchema
  readonly disk: Disk
  /** Folders whose files every scenario may use, in addition to its own folder. */
  readonly allowFiles: readonly string[]
}

/** The folders of the files that a scenario may use. */
export interface FileFolders {
  /** The folder that paths are relative to: the scenario's, otherwise the working directory. */
  readonly directory: string | undefined
  readonly allowFiles: readonly string[]
}

/** Access to files, passed in by an entry that knows the platform. */
export interface Disk {
  /** The content of a file, and its directory. Throws `ScenarioError`, also on platforms without files. */
  readFile(path: string): { readonly bytes: Uint8Array; readonly directory: string }
  /** The YAML parser; undefined if it cannot be loaded synchronously. */
  yaml(): Yaml | undefined
  /** The bytes of a file that a scenario names, or the reason why they cannot be read. */
  readNamed(name: string, folders: FileFolders): Uint8Array | string
  /**
   * The bytes of a content object, or the reason why there are none; `seed` distinguishes generated images.
   */
  readContent(content: ContentSpec, seed: string, folders: FileFolders): HeldBytes | string
}

/** A reader of scenarios about these operations. */
export function createReader(vocabulary: Vocabulary, disk: Disk): ScenarioReader {
  return { vocabulary, schema: lazy(() => scenarioSchema(vocabulary)), disk, allowFiles: [] }
}

/** An object of the scenario format without its functions. */
interface PlainScenario {
  readonly value: unknown
  /** The functions, by the number of their rule. */
  readonly functions: ReadonlyMap<number, RuleFunction>
}

/** The value must not contain itself. Errors name values that are neither data nor allowed functions. */
export function withoutFunctions(value: unknown): PlainScenario & { readonly errors: readonly FileError[] } {
  const functions = new Map<number, RuleFunction>()
  let plain = value
  if (isFields(value) && Array.isArray(value['rules'])) {
    const rules = (value['rules'] as unknown[]).map((rule, index) => {
      if (!isFields(rule) || typeof rule['then'] !== 'function' || cannotAnswer(rule['then'])) return rule
      functions.set(index, rule['then'] as RuleFunction)
      return { ...rule, then: {} }
    })
    if (functions.size > 0) plain = { ...value, rules }
  }
  return { value: plain, functions, errors: firstOf(notDataIn(plain), maxErrors + 1) }
}

/** The rules with their functions. */
function withFunctions(spec: ScenarioSpec, functions: PlainScenario['functions']): ScenarioSpec {
  const rules = spec.rules?.map((rule, index) => ({ ...rule, ask: functions.get(index) }))
  return functions.size === 0 ? spec : { ...spec, rules }
}

// A build may have replaced the `async` keyword; then the first return value reveals it.
function cannotAnswer(written: object): boolean {
  return /^(?:Async|Generator)/.test(written.constructor.name)
}

const notAtOnce =
  'expected a synchronous function, got an async function or a generator: load the data beforehand'

function* notDataIn(value: unknown): Generator<FileError> {
  for (const { value: here, path } of valuesIn(value, (one) => notData(one) === undefined)) {
    const wrong = notData(here)
    if (wrong === undefined) continue
    const isThen = path.length === 3 && path[2] === 'then' && typeof here === 'function'
    yield wrongValue(path, isThen ? notAtOnce : `got ${wrong.what}: ${wrong.remedy}`)
  }
}

/** A loaded scenario. */
export class Scenario {
  /** Its name in reports: the path as given, or `scenario 1`. */
  readonly name: string
  /** Its content, as parsed by zod. @internal */
  readonly spec: ScenarioSpec
  /** The directory that its relative file paths refer to; undefined if it was not read from a file. */
  readonly directory: string | undefined
  /**
   * The content as written, which can be read again: `spec` has durations of headers as numbers. @internal
   */
  readonly written: unknown
  readonly #document: YamlDocument | undefined

  /** @internal */
  constructor(
    name: string,
    spec: ScenarioSpec,
    directory?: string,
    document?: YamlDocument,
    written: unknown = document?.value,
  ) {
    this.name = name
    this.spec = spec
    this.written = written
    this.directory = directory
    this.#document = document
  }

  /** Errors with their places in this scenario. @internal */
  place(errors: readonly FileError[]): ScenarioFieldError[] {
    return placed(errors, this.name, this.#document)
  }
}

const isEmpty = wrongValue([], 'the file is empty: expected a `title`, and usually `rules`')

/** The scenario of a text. Throws `ScenarioError`. @internal */
export function scenarioOf(
  text: string,
  name: string,
  directory: string | undefined,
  yaml: Yaml,
  { schema, vocabulary }: ScenarioReader,
): Scenario {
  const document = readDocument(yaml, text)
  const { errors, spec } =
    document.empty || document.value === undefined
      ? { errors: document.empty ? [isEmpty] : [], spec: undefined }
      : checkScenario(document.value, schema(), vocabulary)
  const found = placed(errors, name, document)
  if (found.length > 0 || spec === undefined) throw scenarioError(found)
  return new Scenario(name, spec, directory, document)
}

/** The scenario of a plain object. Throws `ScenarioError`. @internal */
export function scenarioOfObject(
  value: unknown,
  name: string,
  { schema, vocabulary }: ScenarioReader,
): Scenario {
  const fail = (errors: readonly FileError[]): never => {
    throw scenarioError(placed(errors, name, undefined))
  }
  // An object can contain itself.
  const much = tooMuchIn(value)
  if (much !== undefined) return fail([wrongValue(much.path.slice(0, 4), much.message)])
  const { value: plain, functions, errors: strange } = withoutFunctions(value)
  if (strange.length > 0) return fail(strange)
  const { errors, spec } = checkScenario(plain, schema(), vocabulary)
  if (spec === undefined) return fail(errors)
  return new Scenario(name, withFunctions(structuredClone(spec), functions), undefined, undefined, value)
}

/** The scenario of a file. Throws `ScenarioError`. @internal */
export function scenarioOfFile(path: string, reader: ScenarioReader): Scenario {
  const { bytes, directory } = reader.disk.readFile(path)
  return scenarioOf(textOf(bytes, path), path, directory, reader.disk.yaml() as Yaml, reader)
}

/** The same for a text of YAML or JSON; JSON only if there is no YAML parser. @internal */
export function scenarioOfText(text: string, name: string, reader: ScenarioReader): Scenario {
  const yaml = reader.disk.yaml()
  if (yaml !== undefined) return scenarioOf(text, name, undefined, yaml, reader)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ScenarioError(
      `The scenario ${name} is not JSON, and no YAML parser is available: pass the scenario as an object.`,
    )
  }
  return scenarioOfObject(value, name, reader)
}

/** The text of a file. Throws `ScenarioError` if it is not UTF-8. @internal */
export function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const message = 'the file is not UTF-8 text: save it as UTF-8'
    throw scenarioError([{ file: name, line: 1, column: 1, source: '', field: '', message }])
  }
}

/** One `ScenarioError` for all errors found; of very many, it reports the first. @internal */
export function scenarioError(all: readonly ScenarioFieldError[]): ScenarioError {
  const found = all.slice(0, maxErrors)
  const files = [...new Set(found.map(({ file }) => file))]
  const lines = found.map(({ file, line, column, field, message, source }) =>
    line === undefined
      ? `${file}: ${field === '' ? '' : `${field}: `}${message}`
      : `${file}:${line}:${column}: ` +
        `${message}${source === undefined || source === '' ? '' : `\n    ${source}`}`,
  )
  return new ScenarioError(`${errorsInWords(all.length)} in ${files.join(', ')}:\n${lines.join('\n')}`, found)
}

function placed(
  errors: readonly FileError[],
  file: string,
  document: YamlDocument | undefined,
): ScenarioFieldError[] {
  if (document === undefined)
    return errors.map((error) => {
      const field = fieldPath(error.path)
      return { file, field, message: wordsOf(error, field) }
    })
  return document
    .place(errors.map((one) => ({ ...one, message: wordsOf(one, '') })))
    .map(({ path = [], ...error }) => ({ file, ...error, field: fieldPath(path) }))
}

/**
 * The message of an error after the field that is shown with it; with a line of a file, no field is shown.
 * @internal
 */
export function wordsOf({ message, label }: FileError, field: string): string {
  return label === undefined || (field !== '' && field.endsWith(label)) ? message : `${label}: ${message}`
}
