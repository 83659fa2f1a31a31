/** Reads YAML or JSON, checks it against a zod schema, and finds the position of each error. */
import type { Alias, Document, Node, Pair, ParsedNode, YAMLMap } from 'yaml'
import type * as z from 'zod'
import { isFields } from '../../engine/fields.ts'
import { parseWritten } from '../../protocol/client-names.ts'
import { errorsIn, type SettingError } from '../../protocol/value-errors.ts'
import { clip, maxErrors, show } from '../../protocol/wording.ts'
import type { FileError, Path } from '../check/forms.ts'

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
  readonly text: string
  /** The value of the text: an empty object for an empty text, undefined if it cannot be parsed. */
  readonly value: unknown
  /** True if the text is empty. */
  readonly empty: boolean
  /** Errors with their positions, including syntax errors, in the order of the text. */
  place(errors: readonly Pick<FileError, 'path' | 'message' | 'key'>[]): Error[]
}

/** Reads one document and checks it against a schema. No text makes it throw. */
export function readYaml(yaml: Yaml, text: string, schema: z.ZodType, name = ''): ReadYaml {
  const { value, place } = readDocument(yaml, text, name)
  const issues = value === undefined ? [] : (parseWritten(schema, value).error?.issues ?? [])
  const errors = errorsIn(issues, schema, value).map((one) => ({ ...one, message: sentence(one) }))
  return { value, errors: place(errors).map(({ path: _, ...error }) => error) }
}

function sentence({ path, field, message, unknown }: SettingError): string {
  if (unknown) return `unknown key ${show(String(path.at(-1)))}: ${message}`
  return field === '' ? message : `${field}: ${message}`
}

interface TextError {
  readonly offset: number
  readonly message: string
}

/** Reads one document of YAML or JSON and reports the first errors. No text makes it throw. */
export function readDocument(yaml: Yaml, text: string, name: string): YamlDocument {
  const lines = new yaml.LineCounter()
  const { document, cutAt } = parseYaml(yaml, text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    // Merge keys (`<<: *question`) belong to YAML 1.1, but are always intended.
    merge: true,
    // The parser compares each key with all earlier ones; `NodeReader` finds duplicates faster.
    uniqueKeys: false,
    // Scenarios and settings have no sets, dates or binary values.
    resolveKnownTags: false,
  })
  const reader = new NodeReader(yaml)
  const value = reader.read(document.contents)
  const much = reader.whole ? tooMuchIn(value) : undefined
  const tooMuch =
    much !== undefined
      ? { offset: reader.offsetOf(document.contents, much.path, false), message: much.message }
      : cutAt !== undefined
        ? { offset: cutAt, message: tooDeep }
        : undefined
  const found = new Map<number, TextError>()
  const broken = new Set<number>()
  for (const { pos, code, message } of [...document.errors, ...document.warnings]) {
    const [offset] = pos
    const { line } = lines.linePos(offset)
    // Further errors on a line that cannot be parsed are consequences of the first.
    if (broken.has(line) || found.size > maxErrors || offset > (tooMuch?.offset ?? offset)) continue
    broken.add(line)
    found.set(offset, { offset, message: complaint(text, { code, message, offset }) })
  }
  const comma = 'JSON does not allow a comma after the last value: remove the comma'
  const others = [
    ...(name.endsWith('.json') ? trailingCommas(text) : []).map((offset) => ({ offset, message: comma })),
    ...reader.errors,
    ...(tooMuch === undefined ? [] : [tooMuch]),
  ]
  for (const one of others) if (!found.has(one.offset)) found.set(one.offset, one)
  const isReadable = reader.whole && tooMuch === undefined && document.errors.length === 0
  const all = [...found.values()]
  const placed = ({ offset, message }: TextError): Error => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col, message, source: shownLine(text, offset) }
  }
  return {
    text,
    value: isReadable ? (value ?? {}) : undefined,
    empty: all.length === 0 && document.contents === null,
    place: (wrong) =>
      [
        ...all.map((one) => ({ at: one.offset, error: placed(one) })),
        ...wrong.map(({ path, message, key }) => {
          const offset = reader.offsetOf(document.contents, path, key)
          return { at: offset, error: { ...placed({ offset, message }), path } }
        }),
      ]
        .sort((a, b) => a.at - b.at)
        .map(({ error }) => error),
  }
}

/** Longer lines are shown only around the error. */
const maxShown = 200
const shownBefore = 80

function shownLine(text: string, offset: number): string {
  const from = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  const to = end < 0 ? text.length : end
  if (to - from <= maxShown) return text.slice(from, to).trim()
  const first = Math.max(from, offset - shownBefore)
  const last = Math.min(to, first + maxShown)
  const shown = text.slice(first, last).toWellFormed().trim()
  return `${first > from ? '…' : ''}${shown}${last < to ? '…' : ''}`
}

function trailingCommas(text: string): number[] {
  const found = text.matchAll(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g)
  return [...found].flatMap(({ 0: written, index }) => (written === ',' ? [index] : [])).slice(0, maxErrors)
}

interface YamlComplaint {
  readonly code: string
  readonly message: string
  readonly offset: number
}

/** Clearer words for the parser's messages; `%` is the original message. */
const complaints: readonly (readonly [RegExp, words: string])[] = [
  [/^MULTIPLE_DOCS /, 'a second document starts here: expected one document per file'],
  [/^TAB_AS_INDENT /, '%: use spaces'],
  [
    / (?:Plain value cannot start|Block collections are not allow|Nested mappings are not allow)/,
    '%: put the string in quotes',
  ],
  [
    / (?:All (?:sequence|mapping) items must start|Sequence item without)/,
    'inconsistent indentation: the items of a list or the keys of an object must be aligned',
  ],
  [/ Missing closing .quote/, 'a string has no closing quote'],
  [/ Flow map/, 'an earlier { has no closing }'],
  [/ Flow sequence/, 'an earlier [ has no closing ]'],
  [
    / Implicit keys need to be on a single line/,
    'expected `key: value`: add a colon and a space, in or after this line',
  ],
  [/ Alias cannot be an empty string/, noAnchor('')],
]

function complaint(text: string, { code, message, offset }: YamlComplaint): string {
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

/** Every value inside a value with its path, without recursion; endless for a value that contains itself. */
export function* valuesIn(value: unknown): Generator<{ readonly value: unknown; readonly path: Path }> {
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value, path: [] }]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    yield one
    // Byte arrays are not data; each byte would count as a value.
    if (one.value === null || typeof one.value !== 'object' || ArrayBuffer.isView(one.value)) continue
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

/**
 * The value of a document, read in one pass over its nodes. The parser's own method searches the whole
 * document for every alias, and compares every key with all earlier ones.
 */
class NodeReader {
  /** The first errors, in the order of the text. */
  readonly errors: TextError[] = []
  /** False if the nodes form no value. */
  whole = true
  readonly #yaml: Yaml
  readonly #anchors = new Map<string, { readonly node: Node; readonly value: unknown }>()
  readonly #targets = new Map<Alias, Node>()
  #merged = 0

  constructor(yaml: Yaml) {
    this.#yaml = yaml
  }

  read(node: unknown): unknown {
    if (this.#yaml.isAlias(node)) return this.#follow(node)
    const value = this.#yaml.isMap(node)
      ? this.#readMap(node)
      : this.#yaml.isSeq(node)
        ? node.items.map((item) => this.read(item))
        : this.#yaml.isScalar(node)
          ? node.value
          : null
    const { anchor } = (node ?? {}) as { anchor?: string }
    if (anchor !== undefined) this.#anchors.set(anchor, { node: node as Node, value })
    return value
  }

  /** The position of a value or its key; of its container if it is missing or was merged in. */
  offsetOf(contents: unknown, path: Path, key: boolean): number {
    let node = contents
    let offset = start(node)
    for (const [index, part] of path.entries()) {
      const target = this.#yaml.isAlias(node) ? this.#targets.get(node) : node
      if (this.#yaml.isMap(target)) {
        const pair = target.items.find((item) => this.#nameOf(item.key) === String(part))
        if (pair === undefined) return offset
        offset = start(key && index === path.length - 1 ? pair.key : (pair.value ?? pair.key))
        node = pair.value
      } else if (this.#yaml.isSeq(target)) {
        node = target.items[part as number]
        if (node === undefined) return offset
        offset = start(node)
      } else return offset
    }
    return offset
  }

  #readMap({ flow, items }: YAMLMap): Record<string, unknown> {
    const map: Record<string, unknown> = {}
    const names = new Set<string>()
    for (const [index, { key, value }] of items.entries()) {
      // Written without quotes, `<<` is a symbol to the parser.
      if (this.#yaml.isScalar(key) && typeof key.value === 'symbol') {
        this.#merge(map, value)
        continue
      }
      this.read(key)
      const name = this.#nameOf(key)
      if (name === undefined) this.#fail(key, 'expected a string as the key')
      else {
        if (names.has(name)) this.#error(key, 'duplicate key: keep only one')
        names.add(name)
        // Usually the end of a string with a comma.
        if (flow === true && index > 0 && value === null)
          this.#error(
            key,
            `${show(name)} has no value: inside { } and [ ], a string with a comma needs quotes`,
          )
        set(map, name, this.read(value))
      }
    }
    return map
  }

  #nameOf(key: Pair['key']): string | undefined {
    const node = this.#yaml.isAlias(key) ? this.#targets.get(key) : key
    if (node === null || node === undefined) return ''
    return this.#yaml.isScalar(node) ? String(node.value ?? '') : undefined
  }

  /** The object's own keys override merged ones; earlier merges override later ones. */
  #merge(map: Record<string, unknown>, node: unknown): void {
    for (const source of [this.read(node)].flat()) {
      if (!isFields(source)) return this.#fail(node, 'expected an object after <<, or a list of objects')
      const fields = Object.entries(source)
      if ((this.#merged += fields.length) > maxValues) return this.#fail(node, tooMany)
      for (const [name, value] of fields) if (!Object.hasOwn(map, name)) set(map, name, value)
    }
  }

  #follow(alias: Alias): unknown {
    const named = this.#anchors.get(alias.source)
    if (named === undefined) return this.#fail(alias, noAnchor(alias.source))
    this.#targets.set(alias, named.node)
    return named.value
  }

  #error(node: unknown, message: string): void {
    if (this.errors.length <= maxErrors) this.errors.push({ offset: start(node), message })
  }

  #fail(node: unknown, message: string): void {
    this.whole = false
    this.#error(node, message)
  }
}

function set(map: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(map, name, { value, writable: true, enumerable: true, configurable: true })
  else map[name] = value
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
): { readonly document: Document<ParsedNode>; readonly cutAt: number | undefined } {
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
  return { document: document as Document<ParsedNode>, cutAt }
}
