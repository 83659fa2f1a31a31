/** Writes docs/reference/scenario-format.md from the JSON Schema, with an example for each key. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { nounPhrase, pageHead, pageTable, shownDefault, splitDefault, valueWords } from './page-parts.ts'
import type { TypedSchema } from './schema-type.ts'

interface Section {
  readonly heading: string
  readonly about?: string
  /** The definitions of the schema with these keys: `File` for the whole file, `Given.videos` for a list. */
  readonly of: readonly string[]
  /** An example for each key, in a line of YAML. */
  readonly lines: string
}

/** The sections of the page; the generator and the tests run in the root of the repository. */
export const scenarioExamples = parse(
  readFileSync('tools/generate/scenario-examples.yaml', 'utf8'),
) as readonly Section[]

/** References in words. Other references are described by their schemas. */
const names: Readonly<Record<string, string>> = {
  Answer: '[response](#then)',
  Content: '[bytes](#bytes)',
  DelayFrom: '[delay](#delay-and-ramps)',
  DelayMedian: '[delay](#delay-and-ramps)',
  Duration: 'duration',
  ErrorAnswer: '[error](#error)',
  Expectation: '[expectation](#expect-and-waitfor)',
  Fault: '[fault](faults.md)',
  Given: '[given](#timeline-and-given)',
  JobFailAt: '[job](#job)',
  Operation: '[operation](operations.md)',
  OperationPattern: '[operation](operations.md), group or `*`',
  Ramp: '[ramp](#delay-and-ramps)',
  Response: '[response](#response)',
  Rule: '[rule](#rules)',
  ScriptItem: '[script item](#script-items)',
  ScriptItemFault: '`{ fault }`',
  ScriptItemWait: '`{ wait }`',
  Matcher: 'matcher',
  Step: '[step](#steps)',
  Stream: '[stream](#stream)',
  StreamExpectation: '[stream](#expectstream)',
  StreamFault: '[fault](faults.md)',
  Then: '[then](#then)',
  ThenChoice: '`{ text }` or `{ script }`',
  TimelineEntry: '[state](#timeline-and-given)',
  ToolCall: '[tool call](#tool-calls)',
  Upstream: '[upstream](#upstream)',
  When: '[when](#when)',
}

/** docs/reference/scenario-format.md: every key, by the object that it belongs to. */
export function scenarioReference(schema: unknown): string {
  const root = schema as TypedSchema
  const description = 'All keys of a scenario file, with examples and defaults.'
  return `${pageHead('Scenario format', description, 'src/scenario/format')}
The first column shows an example of each key. A *matcher* is an exact value, an object with some of the
fields, or a set of [operators](#matchers). A *duration* is a string such as \`350ms\`, \`1h30m\` or
\`1d\`, or a
number of milliseconds, in virtual time. Keys are optional unless marked "Required".

${scenarioExamples.map((section) => sectionText(section, root)).join('\n')}`
}

function sectionText({ heading, about, of, lines }: Section, root: TypedSchema): string {
  const rows = linesOf(lines).map((line) => rowOf(line, of, root))
  const intro = about === undefined ? '' : `${about}\n\n`
  return `## ${heading}\n\n${intro}${pageTable(['Key', 'Description'], rows)}`
}

/** The lines of a YAML text with one key per line. */
export const linesOf = (text: string): string[] => text.trim().split('\n')

/** The dotted key of a line (`job.model: a`) and its value. */
export function keyAndValue(line: string): readonly [key: string, value: unknown] {
  const [[key, value] = ['', undefined]] = Object.entries(parse(line) as Record<string, unknown>)
  return [key, value]
}

function rowOf(line: string, of: readonly string[], root: TypedSchema): string[] {
  const [example = '', ownWords] = line.split(' # ')
  const [key] = keyAndValue(line)
  const [first] = placesOf(key, of, root)
  if (first === undefined) throw new Error(`the scenario format has no key ${key} in ${of.join()}`)
  const { schema } = first
  const { text, fallback } = splitDefault(describedBy(schema, root))
  const [shown = '', ownDefault] = ownWords?.split(/(?:^|\. )Default: /) ?? [firstSentence(text)]
  const type = typeBeside(shown, typeWords(schema, root))
  const byDefault = ownDefault ?? (shownDefault(schema.default) || fallback)
  const words = [
    first.required ? 'Required.' : '',
    withType(shown.replace(/\.$/, ''), type),
    byDefault === '' ? '' : `Default: ${byDefault}.`,
  ]
  return [`\`${example}\``, words.filter((one) => one !== '').join(' ')]
}

/** A description with a type. If it contains the name of the type, the name becomes the link. */
function withType(text: string, type: string): string {
  if (type === '') return text === '' ? '' : `${text}.`
  if (text === '') return `${type.replace(/[a-z]/, (letter) => letter.toUpperCase())}.`
  const [, label = '', target = ''] = /^\[([^\]]+)\](\([^)]+\))$/.exec(type) ?? []
  const linked = label === '' ? text : text.replace(new RegExp(`\\b${label}s?\\b`), `[$&]${target}`)
  return linked === text ? `${text} (${type}).` : `${linked}.`
}

/** What the type adds to the example and the description. */
function typeBeside(text: string, type: string): string {
  if (isEvident(type)) return ''
  const values = [...type.matchAll(/`[^`]+`/g)].map(([value]) => value)
  if (values.length > 0 && !type.includes('](') && values.every((value) => text.includes(value))) return ''
  return type
    .replace(/^(?:\w+(?: of \w+)?,? )+or null$/, 'or null')
    .replace(/^list of (?=\[)/, '')
    .replace(/^(?:list of )?(?:integer|number) (?=\d|up)/, '')
    .replace(/, or a list of them$/, /several|list|Numbers/.test(text) ? '' : '$&')
}

const plainTypes =
  /^(?:list of |map of )*(?:string|boolean|integer|number|duration|object|matcher|any value)s?$/
const explainedTypes =
  /^(?:string(?:, or a list of them| or duration)|integer or string|map of .*|list of (?:number|string,).*)$/

/** Whether the example shows the type, or the text says it: of a matcher, above the table. */
const isEvident = (type: string): boolean => plainTypes.test(type) || explainedTypes.test(type)

/** The guides describe the rest. */
const firstSentence = (text: string): string => nounPhrase(/^.*?[.…](?= [A-Z`]|$)/.exec(text)?.[0] ?? text)

interface Place {
  readonly schema: TypedSchema
  readonly required: boolean
}

/** The schemas of a dotted key, one for each definition that has it. */
export function placesOf(key: string, of: readonly string[], root: TypedSchema): Place[] {
  const [name = '', ...rest] = key.split('.')
  const start = of.flatMap((one) => objectsIn(definition(one, root), root))
  const found = start.flatMap(({ properties = {}, required = [] }): Place[] => {
    const schema = properties[name]
    return schema === undefined ? [] : [{ schema, required: required.includes(name) && start.length === 1 }]
  })
  if (rest.length === 0) return found
  return found.flatMap(({ schema }) =>
    objectsIn(schema, root).flatMap(({ properties = {}, required = [] }): Place[] => {
      const inner = properties[rest.join('.')]
      return inner === undefined ? [] : [{ schema: inner, required: required.includes(rest.join('.')) }]
    }),
  )
}

/** The definition of a name, or of an item of one of its lists (`Given.videos`). */
function definition(name: string, root: TypedSchema): TypedSchema {
  if (name === 'File') return root
  const [first = '', list] = name.split('.')
  const found = root.$defs?.[first] ?? {}
  return list === undefined ? found : (found.properties?.[list]?.items ?? {})
}

/** The object schemas in a value: its alternatives, its items, its values by name. */
function objectsIn(schema: TypedSchema, root: TypedSchema): TypedSchema[] {
  const { $ref, anyOf, oneOf, items, properties, additionalProperties } = schema
  if (properties !== undefined) return [schema]
  const inner = [
    ...($ref === undefined ? [] : [definition($ref.slice($ref.lastIndexOf('/') + 1), root)]),
    ...(anyOf ?? oneOf ?? []),
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ]
  return inner.flatMap((one) => objectsIn(one, root))
}

const typeWords = (schema: TypedSchema, root: TypedSchema): string =>
  valueWords(schema, (name) => names[name] ?? shortObject(root.$defs?.[name]))

/** An object is described by its keys, which are rows; any other value by its type. */
const shortObject = (schema: TypedSchema | undefined): TypedSchema | string | undefined =>
  schema?.type === 'object' ? 'object' : schema

function describedBy({ $ref, description }: TypedSchema, root: TypedSchema): string {
  const target = $ref === undefined ? undefined : root.$defs?.[$ref.slice($ref.lastIndexOf('/') + 1)]
  return description ?? target?.description ?? ''
}
