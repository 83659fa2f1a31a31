/** Reads YAML or JSON, holds it against a zod schema, and says where in the text each error stands. */
import type { Alias, Document, Node, Pair, ParsedNode, YAMLMap } from 'yaml'
import type * as z from 'zod'
import { isFields } from '../../engine/fields.ts'
import { parseWritten } from '../../protocol/client-names.ts'
import { errorsIn, type SettingError } from '../../protocol/value-errors.ts'
import { clip, maxErrors, show } from '../../protocol/wording.ts'
import type { FileError, Path } from '../check/forms.ts'

/** The package that parses YAML; handed in, for browsers do without it. */
export type Yaml = typeof import('yaml')

/** One error, with the place of what is wrong. */
interface Error {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  readonly message: string
  /** The line of the text, without its indentation; of a long one what stands around the error. */
  readonly source: string
  /** What of the value is wrong; left out where the text itself is. */
  readonly path?: Path
}

interface ReadYaml {
  /** What the text says, without the defaults of the schema. An empty text is an empty object. */
  readonly value: unknown
  /** In the order of the text, the first ones; empty when the schema accepts the value. */
  readonly errors: readonly Error[]
}

/** A document that can say where its parts stand. */
export interface YamlDocument {
  /** What the text says; an empty text is an empty object, and undefined one that cannot be read. */
  readonly value: unknown
  /** True when the text says nothing at all. */
  readonly empty: boolean
  /** Errors with their places, those of the text among them, in the order of the text. */
  place(errors: readonly Pick<FileError, 'path' | 'message' | 'key'>[]): Error[]
}

/** Reads one document and holds it against a schema. Never throws for what the text says. */
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

/** Reads one document of YAML or JSON. Never throws for what the text says; the first errors are enough. */
export function readDocument(yaml: Yaml, text: string, name: string): YamlDocument {
  const lines = new yaml.LineCounter()
  const { document, cutAt } = parseYaml(yaml, text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    // Merge keys (`<<: *question`) are of YAML 1.1; whoever writes one means it.
    merge: true,
    // The parser compares each key with all before it; `NodeReader` finds those that are written twice.
    uniqueKeys: false,
    // Sets, dates and binary values are nothing that a scenario or a setting could be.
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
    // What follows on a line that cannot be read is about the rest of the same error.
    if (broken.has(line) || found.size > maxErrors || offset > (tooMuch?.offset ?? offset)) continue
    broken.add(line)
    found.set(offset, { offset, message: complaint(text, { code, message, offset }) })
  }
  const comma = 'JSON has no comma behind the last value: remove it'
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

/** A line is shown whole up to this length, else what stands around the error. */
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

/** What a complaint of the parser means to somebody who writes a file by hand; `%` is the complaint. */
const complaints: readonly (readonly [RegExp, words: string])[] = [
  [/^MULTIPLE_DOCS /, 'a second document starts here: expected one document per file'],
  [/^TAB_AS_INDENT /, '%: use spaces'],
  [
    / (?:Plain value cannot start|Block collections are not allow|Nested mappings are not allow)/,
    '%: put the text into quotes',
  ],
  [
    / (?:All (?:sequence|mapping) items must start|Sequence item without)/,
    'inconsistent indentation: the items of a list, and the keys of an object, must be aligned',
  ],
  [/ Missing closing .quote/, 'the closing quote of a text is missing'],
  [/ Flow map/, 'a { before this is not closed: expected }'],
  [/ Flow sequence/, 'a [ before this is not closed: expected ]'],
  [
    / Implicit keys need to be on a single line/,
    'expected `key: value`: a colon and a space are missing, here or at the end of this line',
  ],
  [/ Alias cannot be an empty string/, noAnchor('')],
]

function complaint(text: string, { code, message, offset }: YamlComplaint): string {
  if (text.startsWith('${', offset - 1)) return 'a text with ${…} needs quotes inside { } and [ ]: "${…}"'
  const [, words = '%'] = complaints.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? []
  return words.replace('%', () => message)
}

/** An alias that leads nowhere; most often a text that was meant. */
function noAnchor(name: string): string {
  const shown = clip(name, 58)
  const missing = name === '' ? '' : `no anchor &${shown} before this alias; `
  return `${missing}text that starts with * needs quotes: "*${shown}"`
}

/** A bound for recursive checks. */
const maxLevels = 200
/** How many values there may be: with aliases a few lines can make so many that they fill the memory. */
const maxValues = 500_000

const tooDeep = `nested more than ${maxLevels} levels deep`
const tooMany = `more than ${maxValues} values: write fewer of them, or smaller anchors`

/** Every value inside a value with its path, without recursion; a value that holds itself has no end. */
export function* valuesIn(value: unknown): Generator<{ readonly value: unknown; readonly path: Path }> {
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value, path: [] }]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    yield one
    // Bytes are no data, and each of them would count as a value.
    if (one.value === null || typeof one.value !== 'object' || ArrayBuffer.isView(one.value)) continue
    const inner = Array.isArray(one.value) ? [...one.value.entries()] : Object.entries(one.value)
    for (const [name, item] of inner.reverse()) open.push({ value: item, path: [...one.path, name] })
  }
}

/** What of a value is nested too deep or too large to be checked; undefined when nothing is. */
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
 * The value of a document, read in one walk over its nodes. The parser's own reading looks through the whole
 * document again for every alias, and compares every key with all before it.
 */
class NodeReader {
  /** The first ones, in the order of the text. */
  readonly errors: TextError[] = []
  /** False where the nodes make no value. */
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

  /** Where a value stands, or its key; what encloses it when it is not there, or was merged in. */
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
      if (name === undefined) this.#fail(key, 'expected a text as key')
      else {
        if (names.has(name)) this.#error(key, 'duplicate key: keep one of them')
        names.add(name)
        // Most often the end of a text with a comma.
        if (flow === true && index > 0 && value === null)
          this.#error(key, `${show(name)} has no value: a text with a comma needs quotes inside { } and [ ]`)
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

  /** What is written in the object itself wins, then what was merged in first. */
  #merge(map: Record<string, unknown>, node: unknown): void {
    for (const source of [this.read(node)].flat()) {
      if (!isFields(source)) return this.#fail(node, 'expected an object behind <<, or a list of objects')
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
 * As `parseDocument` of the package, which composes nodes by calling itself: near the end of the stack V8 may
 * not throw but end the process, when it has to compile a pattern there. `cutAt` is where the text was nested
 * so deep that no more of it was read.
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
      // The document, and the scalar at the end, are no levels.
      if (parser.stack.length > maxLevels + 50) {
        cutAt = parser.offset
        break
      }
    }
    yield* parser.end()
  }
  const [document, second] = new yaml.Composer<ParsedNode>(options).compose(tokens(), true, text.length)
  if (document === undefined) throw new Error('a YAML text without a document')
  if (second !== undefined)
    document.errors.push(new yaml.YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', ''))
  return { document: document as Document<ParsedNode>, cutAt }
}
