/** Reads YAML or JSON, checks it against a zod schema, and finds the position of each error. */
import type { Document, Node, ParsedNode, Scalar, YAMLMap } from 'yaml'
import type * as z from 'zod'
import { parseWritten } from '../../protocol/client-names.ts'
import type { LocatedError } from '../../protocol/field-errors.ts'
import { errorsIn } from '../../protocol/value-errors.ts'
import { clip, maxErrors, show } from '../../protocol/wording.ts'
import type { FileError, Path } from '../check/file-error.ts'

/** The package that parses YAML; passed in, because browsers do not have it. */
export type Yaml = typeof import('yaml')

/** One error with its position. */
interface Error {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  readonly message: string
  /** The line without its indentation; of a long line, the part around the error. */
  readonly source: string
  /** The invalid field; undefined if the text cannot be parsed. */
  readonly path?: Path
}

interface ReadYaml {
  /** The value of the text, without the defaults of the schema. An empty text is an empty object. */
  readonly value: unknown
  /** The first errors, in the order of the text; empty if the schema accepts the value. */
  readonly errors: readonly Error[]
}

/** A document with the positions of its parts. */
export interface YamlDocument {
  /** The value of the text: an empty object for an empty text, undefined if it cannot be parsed. */
  readonly value: unknown
  /** True if the text is empty. */
  readonly empty: boolean
  /** Errors with their positions, including syntax errors, in the order of the text. */
  place(errors: readonly Pick<FileError, 'path' | 'message' | 'key'>[]): Error[]
}

/** Reads one document and checks it against a schema. No text makes it throw. */
export function readYaml(yaml: Yaml, text: string, schema: z.ZodType): ReadYaml {
  const { value, place } = readDocument(yaml, text)
  const issues = value === undefined ? [] : (parseWritten(schema, value).error?.issues ?? [])
  const errors = errorsIn(issues, schema, value).map((one) => ({ ...one, message: sentence(one) }))
  return { value, errors: place(errors).map(({ path: _, ...error }) => error) }
}

const sentence = ({ field, message, unknown }: LocatedError): string =>
  field === '' || unknown === true ? message : `${field}: ${message}`

/** An error in a text. After a fatal one, the text has no value. */
interface TextError {
  readonly offset: number
  readonly message: string
  readonly isFatal?: boolean
}

/** Reads one document of YAML or JSON and reports the first errors. No text makes it throw. */
export function readDocument(yaml: Yaml, text: string): YamlDocument {
  const lines = new yaml.LineCounter()
  const { document, cutAt } = parseYaml(yaml, text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    // The parser compares each key with all earlier ones; `errorsOfNodes` finds duplicates faster.
    uniqueKeys: false,
    // Scenarios and settings have no sets, dates or binary values.
    resolveKnownTags: false,
  })
  const wrong =
    cutAt === undefined
      ? [...syntaxErrors(document, text, lines), ...errorsOfNodes(yaml, document)]
      : [{ offset: cutAt, message: tooDeep, isFatal: true }]
  const value: unknown = wrong.some(({ isFatal }) => isFatal)
    ? undefined
    : document.toJS({ maxAliasCount: -1 })
  const much = tooMuchIn(value)
  if (much !== undefined)
    wrong.push({ offset: offsetOf(yaml, document, much.path, false), message: much.message })
  const found = new Map<number, TextError>()
  for (const one of wrong) if (!found.has(one.offset)) found.set(one.offset, one)
  const all = [...found.values()]
  const placed = ({ offset, message }: TextError): Error => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col, message, source: shownLine(text, offset) }
  }
  const written = value === null ? {} : value
  return {
    value: much === undefined ? written : undefined,
    empty: all.length === 0 && document.contents === null,
    place: (errors) =>
      [
        ...all.map((one) => ({ at: one.offset, error: placed(one) })),
        ...errors.map(({ path, message, key }) => {
          const offset = offsetOf(yaml, document, path, key)
          return { at: offset, error: { ...placed({ offset, message }), path } }
        }),
      ]
        .sort((a, b) => a.at - b.at)
        .map(({ error }) => error),
  }
}

type Parsed = Document<ParsedNode>

function syntaxErrors(document: Parsed, text: string, lines: InstanceType<Yaml['LineCounter']>): TextError[] {
  const found: TextError[] = []
  const broken = new Set<number>()
  for (const { pos, code, message, name } of [...document.errors, ...document.warnings]) {
    const [offset] = pos
    const { line } = lines.linePos(offset)
    // Further errors on a line that cannot be parsed are consequences of the first.
    if (broken.has(line) || found.length > maxErrors) continue
    broken.add(line)
    const isFatal = name === 'YAMLParseError'
    found.push({ offset, message: complaint(text, { code, message, offset }), isFatal })
  }
  return found
}

const maxShown = 200

/** The line of an error without its indentation; of a long line, the part around the error. */
function shownLine(text: string, offset: number): string {
  const from = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  const to = end < 0 ? text.length : end
  if (to - from <= maxShown) return text.slice(from, to).trim()
  const [first, last] = [Math.max(from, offset - 80), Math.min(to, offset + 120)]
  const shown = text.slice(first, last).toWellFormed().trim()
  return `${first > from ? '…' : ''}${shown}${last < to ? '…' : ''}`
}

/** Clearer words for the parser's messages; `%` is the original message. */
const complaints: readonly (readonly [RegExp, words: string])[] = [
  [/^MULTIPLE_DOCS /, 'a second document starts here: expected one document per file'],
  [/ (?:Plain value cannot|Block collections are|Nested mappings are) /, '%: put the string in quotes'],
  [
    / (?:All (?:sequence|mapping) items must start|Sequence item without)/,
    'inconsistent indentation: the items of a list or the keys of an object must be aligned',
  ],
  [/ Missing closing .quote/, 'a string has no closing quote'],
  [/ Flow (?:map|sequence)/, 'an earlier { or [ is not closed'],
  [/ Implicit (?:map )?keys /, 'expected `key: value` in or after this line'],
  [/ Alias cannot be an empty string/, noAnchor('')],
]

function complaint(text: string, { code, message, offset }: TextError & { code: string }): string {
  if (text.startsWith('${', offset - 1))
    return 'inside { } and [ ], a string that contains ${…} needs quotes: "${…}"'
  const [, words = '%'] = complaints.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? []
  return words.replace('%', () => message)
}

/** An alias without an anchor; usually a string was intended. */
function noAnchor(name: string): string {
  const shown = clip(name, 58)
  const missing = name === '' ? '' : `no anchor &${shown} precedes this alias; `
  return `${missing}a string that starts with * needs quotes: "*${shown}"`
}

/** A bound for recursive checks. */
const maxLevels = 200
/** The maximum number of values: with aliases, a few lines can expand to more than memory holds. */
const maxValues = 500_000

const tooDeep = `is nested more than ${maxLevels} levels deep`
const tooMany = `contains more than ${maxValues} values: write fewer values, or smaller anchors`

/**
 * Every value inside a value with its path, without recursion; endless for a value that contains itself.
 * `isOpen` says whether to look inside a value.
 */
export function* valuesIn(
  value: unknown,
  isOpen: (value: object) => boolean = () => true,
): Generator<{ readonly value: unknown; readonly path: Path }> {
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value, path: [] }]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    yield one
    // Byte arrays are not data; each byte would count as a value.
    if (one.value === null || typeof one.value !== 'object' || ArrayBuffer.isView(one.value)) continue
    if (!isOpen(one.value)) continue
    const inner = Array.isArray(one.value) ? [...one.value.entries()] : Object.entries(one.value)
    for (const [name, item] of inner.reverse()) open.push({ value: item, path: [...one.path, name] })
  }
}

/** The part of a value that is too deep or too large to be checked; undefined if there is none. */
export function tooMuchIn(value: unknown): { readonly path: Path; readonly message: string } | undefined {
  let count = 0
  for (const { value: inner, path } of valuesIn(value)) {
    if (path.length > maxLevels && inner !== null && typeof inner === 'object')
      return { path, message: tooDeep }
    if (++count > maxValues) return { path, message: tooMany }
  }
  return undefined
}

const start = (node: unknown): number => (node as Node | null | undefined)?.range?.[0] ?? 0

/** Each alias is looked up among all anchors. */
const maxAliases = 1000

/** The first errors in keys and aliases that are none to the parser, in the order of the text. */
function errorsOfNodes(yaml: Yaml, document: Parsed): TextError[] {
  const errors: TextError[] = []
  const anchors = new Set<string>()
  let aliases = 0
  yaml.visit(document, {
    Node(_key, { anchor }: { anchor?: string }) {
      if (anchor !== undefined) anchors.add(anchor)
    },
    Alias(_key, node) {
      const message = anchors.has(node.source) ? undefined : noAnchor(node.source)
      const isMore = ++aliases > maxAliases
      if (message !== undefined || isMore)
        errors.push({ offset: start(node), message: message ?? tooManyAliases, isFatal: true })
      return isMore || errors.length > maxErrors ? yaml.visit.BREAK : undefined
    },
    Map(_key, node, path) {
      if (node.anchor !== undefined) anchors.add(node.anchor)
      errors.push(...errorsOfKeys(yaml, node))
      return errors.length > maxErrors && path.length > 0 ? yaml.visit.BREAK : undefined
    },
  })
  return errors
}

function errorsOfKeys(yaml: Yaml, { flow, items }: YAMLMap): TextError[] {
  const names = new Set<unknown>()
  const errors: TextError[] = []
  for (const [index, { key, value }] of items.entries()) {
    const add = (message: string, isFatal = false): void => {
      if (errors.length <= maxErrors) errors.push({ offset: start(key), message, isFatal })
    }
    const name = nameOf(yaml, key)
    if (name === undefined) add('expected a string as the key', true)
    else if (name === '<<' && (key as Scalar).type === 'PLAIN') add('merge keys (<<) are not supported', true)
    else if (names.has(name)) add('duplicate key: keep only one')
    // Usually the end of a string with a comma.
    else if (flow === true && index > 0 && value === null)
      add(`${show(name)} has no value: inside { } and [ ], a string with a comma needs quotes`)
    names.add(name)
  }
  return errors
}

const tooManyAliases = `contains more than ${maxAliases} aliases: write the values`

function nameOf(yaml: Yaml, key: unknown): string | undefined {
  if (key === null || key === undefined) return ''
  return yaml.isScalar(key) ? String(key.value ?? '') : undefined
}

/** The position of a value or its key; of its container if it is missing. */
function offsetOf(yaml: Yaml, document: Parsed, path: Path, key: boolean): number {
  let node: unknown = document.contents
  let offset = start(node)
  for (const [index, part] of path.entries()) {
    const target = yaml.isAlias(node) ? node.resolve(document) : node
    let pair: { readonly key?: unknown; readonly value: unknown } | undefined
    if (yaml.isMap(target)) pair = target.items.find((item) => nameOf(yaml, item.key) === String(part))
    if (yaml.isSeq(target)) pair = { value: target.items[part as number] }
    node = pair?.value ?? pair?.key
    if (node === undefined) return offset
    offset = start(key && index === path.length - 1 ? (pair?.key ?? node) : node)
  }
  return offset
}

type Options = ConstructorParameters<Yaml['Composer']>[0] & {
  readonly lineCounter: { addNewLine(offset: number): void }
}

/**
 * Like `parseDocument` of the package, but limits the nesting. That function is recursive, and near the end
 * of the stack V8 may end the process instead of throwing, if it has to compile a pattern there. `cutAt` is
 * the position at which the limit was reached and reading stopped.
 */
function parseYaml(
  yaml: Yaml,
  text: string,
  options: Options,
): { readonly document: Parsed; readonly cutAt: number | undefined } {
  const { addNewLine } = options.lineCounter
  const parser = new yaml.Parser(addNewLine)
  let cutAt: number | undefined
  function* tokens() {
    addNewLine(0)
    for (const lexeme of new yaml.Lexer().lex(text)) {
      yield* parser.next(lexeme)
      // The document and the innermost scalar do not count as levels.
      if (parser.stack.length > maxLevels + 50) {
        cutAt = parser.offset
        break
      }
    }
    yield* parser.end()
  }
  const [document, second] = new yaml.Composer<ParsedNode>(options).compose(tokens(), true, text.length)
  if (document === undefined) throw new Error('a YAML file without a document')
  if (second !== undefined)
    document.errors.push(new yaml.YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', ''))
  return { document: document as Parsed, cutAt }
}
