/** Scenarios from texts and plain objects, with every error and its place. */
import { isFields, lazy } from '../../engine/fields.ts'
import type { RuleFunction } from '../../generated/scenario-types.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { errorsInWords, fieldPath, maxErrors, notData } from '../../protocol/wording.ts'
import { type FileError, wrongValue } from '../check/forms.ts'
import { type CheckedScenario, checkScenario } from '../check/scenario.ts'
import type { ContentSpec } from '../format/given.ts'
import { type ScenarioSchema, type ScenarioSpec, scenarioSchema } from '../format/scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../scenario-error.ts'
import { readDocument, tooMuchIn, valuesIn, type Yaml, type YamlDocument } from './read-yaml.ts'

export interface ScenarioReader {
  readonly vocabulary: Vocabulary
  /** Made when it is first asked for: compiling it takes zod some time. */
  schema(): ScenarioSchema
  readonly disk: Disk
  /** Folders whose files every scenario may name, beside those of its own. */
  readonly allowFiles: readonly string[]
}

/** Where the files lie that a scenario may name. */
export interface FileFolders {
  /** The one that names are relative to: of the scenario, else the working directory. */
  readonly directory: string | undefined
  readonly allowFiles: readonly string[]
}

/** The files that can be read here; an entry that knows the platform hands it in. */
export interface Disk {
  /** A file, and the directory it is in. Throws `ScenarioError`, also where there are no files. */
  readFile(path: string): { readonly bytes: Uint8Array; readonly directory: string }
  /** The parser of YAML; undefined where it cannot be loaded without waiting. */
  yaml(): Yaml | undefined
  /** The bytes of a file that a scenario names, or why there are none. */
  readNamed(name: string, folders: FileFolders): Uint8Array | string
  /** The bytes that a scenario gives, or why there are none; `seed` tells generated images apart. */
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
  /** What is neither data nor a function that may be there. */
  readonly errors: readonly FileError[]
}

/** The value must not hold itself. */
export function withoutFunctions(value: unknown): PlainScenario {
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
  const errors = notDataIn(plain)
  return { value: errors.length === 0 ? plain : dataOf(plain), functions, errors }
}

/** The rules with the functions that answer for them. */
function withFunctions(spec: ScenarioSpec, functions: PlainScenario['functions']): ScenarioSpec {
  if (functions.size === 0 || spec.rules === undefined) return spec
  return {
    ...spec,
    rules: spec.rules.map((rule, index) => {
      const ask = functions.get(index)
      return ask === undefined ? rule : { ...rule, ask }
    }),
  }
}

// Where a build has replaced the keyword, its first answer tells.
function cannotAnswer(written: object): boolean {
  return /^(?:Async|Generator)/.test(written.constructor.name)
}

const notAtOnce =
  'an async function or a generator cannot answer: a rule answers at once. Read what it needs before, and ' +
  'give a plain function'

/** A copy with nothing in the place of what is no data. */
function dataOf(value: unknown): unknown {
  if (notData(value) !== undefined) return null
  if (Array.isArray(value)) return value.map(dataOf)
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, dataOf(part)]))
}

function notDataIn(value: unknown): FileError[] {
  const found: FileError[] = []
  for (const { value: here, path } of valuesIn(value)) {
    const wrong = notData(here)
    if (wrong === undefined || found.some((one) => isBelow(path, one.path))) continue
    const isThen = path.length === 3 && path[2] === 'then' && typeof here === 'function'
    found.push(wrongValue(path, isThen ? notAtOnce : `got ${wrong.what}: ${wrong.remedy}`))
    if (found.length > maxErrors) break
  }
  return found
}

/** A loaded scenario. */
export class Scenario {
  /** Its name in reports: the path as given, or `scenario 1`. */
  readonly name: string
  /** What it says, as zod has parsed it. @internal */
  readonly spec: ScenarioSpec
  /** The directory that its relative file paths refer to; undefined if it was not read from a file. */
  readonly directory: string | undefined
  /** What was written, which can be read again: `spec` has durations of headers as numbers. @internal */
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
  place(errors: readonly FileError[]): ScenarioFinding[] {
    return placed(errors, this.name, this.#document)
  }
}

const nothingSaid: CheckedScenario = {
  errors: [wrongValue([], 'the file is empty: expected a `title`, and what happens under `rules`')],
  spec: undefined,
}

/** The scenario of a text. Throws `ScenarioError`. @internal */
export function scenarioOf(
  text: string,
  name: string,
  directory: string | undefined,
  yaml: Yaml,
  { schema, vocabulary }: ScenarioReader,
): Scenario {
  const document = readDocument(yaml, text, name)
  const { errors, spec } = document.empty
    ? nothingSaid
    : document.value === undefined
      ? { errors: [], spec: undefined }
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
  // An object can hold itself.
  const much = tooMuchIn(value)
  if (much !== undefined)
    throw scenarioError(placed([wrongValue(much.path.slice(0, 4), much.message)], name, undefined))
  const { value: plain, functions, errors: strange } = withoutFunctions(value)
  const { errors, spec } = checkScenario(plain, schema(), vocabulary, functions.size > 0)
  const all = [...strange, ...errors.filter(({ path }) => !strange.some((one) => isBelow(path, one.path)))]
  if (spec === undefined || all.length > 0) throw scenarioError(placed(all, name, undefined))
  return new Scenario(name, withFunctions(structuredClone(spec), functions), undefined, undefined, value)
}

// Of what is no data, nothing more can be said.
function isBelow(path: readonly PropertyKey[], place: readonly PropertyKey[]): boolean {
  return place.every((part, index) => part === path[index])
}

/** The scenario of a file. Throws `ScenarioError`. @internal */
export function scenarioOfFile(path: string, reader: ScenarioReader): Scenario {
  const { bytes, directory } = reader.disk.readFile(path)
  return scenarioOf(textOf(bytes, path), path, directory, reader.disk.yaml() as Yaml, reader)
}

/** The same of a text of YAML or JSON; of JSON alone where there is no YAML parser. @internal */
export function scenarioOfText(text: string, name: string, reader: ScenarioReader): Scenario {
  const yaml = reader.disk.yaml()
  if (yaml !== undefined) return scenarioOf(text, name, undefined, yaml, reader)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ScenarioError(
      `The scenario ${name} is not JSON, and YAML cannot be read here: pass the scenario as an object.`,
    )
  }
  return scenarioOfObject(value, name, reader)
}

/** The text of a file. Throws `ScenarioError` where it is not UTF-8. @internal */
export function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const lines = readableText(bytes).split('\n')
    const [line, column] = [lines.length, (lines.at(-1)?.length ?? 0) + 1]
    const message = 'this is not UTF-8 text: save the file as UTF-8'
    throw scenarioError([{ file: name, line, column, source: '', field: '', message }])
  }
}

/** The text before the first byte that is wrong. */
function readableText(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  try {
    for (const [at] of bytes.entries()) text += decoder.decode(bytes.subarray(at, at + 1), { stream: true })
  } catch {
    // What is read up to here is asked for.
  }
  return text
}

/** One error for what was found; of very many errors it tells the first. @internal */
export function scenarioError(all: readonly ScenarioFinding[]): ScenarioError {
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
): ScenarioFinding[] {
  if (document === undefined)
    return errors.map((error) => ({
      file,
      field: fieldPath(error.path),
      message: wordsOf(error, fieldPath(error.path)),
    }))
  return document
    .place(errors.map((one) => ({ ...one, message: wordsOf(one, '') })))
    .map(({ line, column, message, source, path = [] }) => ({
      file,
      line,
      column,
      source,
      field: fieldPath(path),
      message,
    }))
}

/** The words of an error behind the field that is shown with them; a line of a file shows none. @internal */
export function wordsOf({ message, label }: FileError, field: string): string {
  return label === undefined || (field !== '' && field.endsWith(label)) ? message : `${label}: ${message}`
}
