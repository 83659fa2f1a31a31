/** Scenarios from texts and plain objects, with every mistake and its place. */
import { maxMistakes, mistakesInWords } from '../../protocol/told-mistakes.ts'
import { fieldPath } from '../../protocol/wording.ts'
import { type CheckedScenario, checkScenario } from '../check/scenario.ts'
import type { ScenarioMistake } from '../check/shape.ts'
import type { ScenarioSpec } from '../format/scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../scenario-error.ts'
import { withFunctions, withoutFunctions } from './functions.ts'
import type { Yaml } from './read-nodes.ts'
import { readText } from './read-text.ts'
import { readDocument, type YamlDocument } from './read-yaml.ts'
import type { ScenarioReader } from './reader.ts'
import { tooDeep, tooDeepAt } from './yaml-messages.ts'

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

  /** Mistakes with their places in this scenario. @internal */
  place(mistakes: readonly ScenarioMistake[]): ScenarioFinding[] {
    return placed(mistakes, this.name, this.#document)
  }
}

const nothingSaid: CheckedScenario = {
  mistakes: [
    {
      path: [],
      message: 'the file is empty: expected a `title`, and what happens under `rules`',
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
  yaml: Yaml,
  { schema, vocabulary }: ScenarioReader,
): Scenario {
  const document = readDocument(yaml, text)
  const { mistakes, spec } = document.empty
    ? nothingSaid
    : document.value === undefined
      ? { mistakes: [], spec: undefined }
      : checkScenario(document.value, schema(), vocabulary)
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
  if (deep !== undefined)
    throw scenarioError(placed([{ path: deep.slice(0, 4), message: tooDeep, key: false }], name, undefined))
  const { value: plain, functions, mistakes: strange } = withoutFunctions(value)
  const { mistakes, spec } = checkScenario(plain, schema(), vocabulary, new Set(functions.keys()))
  const all = [...strange, ...mistakes.filter(({ path }) => !strange.some((one) => isBelow(path, one.path)))]
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

/** One error for what was found; of very many mistakes it tells the first. @internal */
export function scenarioError(all: readonly ScenarioFinding[]): ScenarioError {
  const found = all.slice(0, maxMistakes)
  const files = [...new Set(found.map(({ file }) => file))]
  const lines = found.map(({ file, line, column, field, message, source }) =>
    line === undefined
      ? `${file}: ${field === '' ? '' : `${field}: `}${message}`
      : [
          `${file}:${line}:${column}:`,
          `${message}${source === undefined || source === '' ? '' : `\n    ${source}`}`,
        ].join(' '),
  )
  return new ScenarioError(
    `${files.join(', ')} cannot be used (${mistakesInWords(all.length)}):\n${lines.join('\n')}`,
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

/**
 * Where a line shows the place, the end of the field stands before the message; here the whole field does.
 * @internal
 */
export function unnamed(message: string, field: string): string {
  const [front = ''] = message.split(': ', 1)
  return front !== '' && front !== message && field.endsWith(front)
    ? message.slice(front.length + 2)
    : message
}
