/**
 * The value of a YAML document, read in one walk over its nodes. The parser's own reading looks through the
 * whole document again for every alias, and compares every key with all before it.
 */
import type { Alias, Document, Node, Pair, ParsedNode, YAMLMap, YAMLSeq } from 'yaml'
import { clip, show } from '../../protocol/wording.ts'

/** What the parser says of a place. */
interface YamlComplaint {
  readonly code: string
  readonly message: string
  /** Its position in the text. */
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

export function yamlWords(text: string, { code, message, offset }: YamlComplaint): string {
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

/** A key inside braces with nothing behind it; most often the end of a text with a comma. */
function noValue(key: string): string {
  return `${show(key)} has no value: a text with a comma needs quotes inside { } and [ ]`
}

/** A bound for recursive checks. */
const maxLevels = 200

export const tooDeep = `nested more than ${maxLevels} levels deep`

/**
 * The path of a value below the deepest allowed level; undefined when there is none. Goes into each value
 * without calling itself.
 */
export function tooDeepAt(value: unknown): readonly (string | number)[] | undefined {
  const open: { readonly value: unknown; readonly path: readonly (string | number)[] }[] = [
    { value, path: [] },
  ]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one.value === null || typeof one.value !== 'object') continue
    if (one.path.length > maxLevels) return one.path
    const inner = Array.isArray(one.value)
      ? one.value.map((item: unknown, index) => [index, item] as const)
      : Object.entries(one.value)
    for (const [name, item] of inner) open.push({ value: item, path: [...one.path, name] })
  }
  return undefined
}

/** The package that parses YAML; handed in, for browsers do without it. */
export type Yaml = typeof import('yaml')

/**
 * How many values aliases may add to those that are written. Without a bound, a few lines fill the memory.
 */
const maxRepeated = 100_000

/** Something that is wrong at a place of the text. */
export interface NodeMistake {
  readonly offset: number
  readonly message: string
}

export interface ReadNodes {
  /** Undefined where the nodes make no value. */
  readonly value: unknown
  /** In the order of the text. */
  readonly mistakes: readonly NodeMistake[]
  /** A node, or what it stands for if it is an alias. */
  readonly behind: (node: unknown) => unknown
}

/** Stops at `maxMistakes`. */
export function readNodes(yaml: Yaml, { contents }: Document, maxMistakes: number): ReadNodes {
  const reader = new NodeReader(yaml, maxMistakes)
  const value = reader.read(contents, 0)
  return {
    value: reader.whole ? (value ?? {}) : undefined,
    mistakes: reader.mistakes,
    behind: (node) => (yaml.isAlias(node) ? reader.targets.get(node) : node),
  }
}

/** Where a node begins. */
export function start(node: unknown): number {
  return (node as Node | null | undefined)?.range?.[0] ?? 0
}

/** Whether a key is `<<`: what stands behind it is merged in. */
export function isMerge(yaml: Yaml, key: unknown): boolean {
  // Written without quotes, it is a symbol to the parser.
  return yaml.isScalar(key) && typeof key.value === 'symbol'
}

/** A node with a name, and what aliases of it add. */
interface Anchored {
  readonly node: Node
  value: unknown
  /** How many values it holds, itself included. */
  size: number
  /** How many levels there are below it. */
  levels: number
  /** Whether it is being read: an alias inside it would have no end. */
  open: boolean
}

class NodeReader {
  readonly mistakes: NodeMistake[] = []
  readonly targets = new Map<Alias, Node>()
  whole = true
  readonly #yaml: Yaml
  readonly #maxMistakes: number
  readonly #anchors = new Map<string, Anchored>()
  #stopped = false
  #size = 0
  #repeated = 0
  #deepest = 0

  constructor(yaml: Yaml, maxMistakes: number) {
    this.#yaml = yaml
    this.#maxMistakes = maxMistakes
  }

  read(node: unknown, depth: number): unknown {
    if (this.#stopped) return undefined
    this.#size++
    if (this.#yaml.isAlias(node)) return this.#follow(node, depth)
    const { anchor } = (node ?? {}) as { anchor?: string }
    if (anchor === undefined) return this.#readOwn(node, depth)
    const named: Anchored = { node: node as Node, value: undefined, size: 0, levels: 0, open: true }
    this.#anchors.set(anchor, named)
    const [before, deepest] = [this.#size, this.#deepest]
    this.#deepest = depth
    named.value = this.#readOwn(node, depth)
    named.size = this.#size - before + 1
    named.levels = this.#deepest - depth
    named.open = false
    this.#deepest = Math.max(deepest, this.#deepest)
    return named.value
  }

  #readOwn(node: unknown, depth: number): unknown {
    this.#deepest = Math.max(this.#deepest, depth)
    if (this.#yaml.isMap(node)) return this.#isTooDeep(node, depth) ? undefined : this.#readMap(node, depth)
    if (this.#yaml.isSeq(node)) return this.#isTooDeep(node, depth) ? undefined : this.#readSeq(node, depth)
    return this.#yaml.isScalar(node) ? node.value : null
  }

  #readSeq({ items }: YAMLSeq, depth: number): unknown[] {
    const list: unknown[] = []
    for (const item of items) {
      if (this.#stopped) break
      list.push(this.read(item, depth + 1))
    }
    return list
  }

  #readMap({ flow, items }: YAMLMap, depth: number): Record<string, unknown> {
    const map: Record<string, unknown> = {}
    const names = new Set<string>()
    for (const [index, { key, value }] of items.entries()) {
      if (this.#stopped) break
      if (isMerge(this.#yaml, key)) {
        this.#merge(map, value, depth)
        continue
      }
      const name = this.#nameOf(key, depth)
      if (name === undefined) continue
      if (names.has(name)) this.#mistake(key, 'duplicate key: keep one of them')
      names.add(name)
      if (flow === true && index > 0 && value === null) this.#mistake(key, noValue(name))
      set(map, name, this.read(value, depth + 1))
    }
    return map
  }

  #nameOf(key: Pair['key'], depth: number): string | undefined {
    if (this.#yaml.isMap(key) || this.#yaml.isSeq(key)) {
      this.whole = false
      this.#mistake(key, 'expected a text as key')
      return undefined
    }
    const name = this.read(key, depth + 1)
    return name === null || name === undefined ? '' : String(name)
  }

  /** What is written in the object itself wins, then what was merged in first. */
  #merge(map: Record<string, unknown>, node: unknown, depth: number): void {
    const read = this.read(node, depth)
    for (const source of Array.isArray(read) ? (read as unknown[]) : [read]) {
      if (this.#stopped) return
      if (source === null || typeof source !== 'object' || Array.isArray(source)) {
        this.whole = false
        this.#mistake(node, 'expected an object behind <<, or a list of objects')
        return
      }
      for (const [name, value] of Object.entries(source)) if (!Object.hasOwn(map, name)) set(map, name, value)
    }
  }

  #follow(alias: Alias, depth: number): unknown {
    const named = this.#anchors.get(alias.source)
    if (named === undefined) {
      this.whole = false
      this.#mistake(alias, noAnchor(alias.source))
      return undefined
    }
    this.targets.set(alias, named.node)
    if (named.open || depth + named.levels > maxLevels) return this.#stop(alias, tooDeep)
    this.#size += named.size - 1
    this.#repeated += named.size
    this.#deepest = Math.max(this.#deepest, depth + named.levels)
    if (this.#repeated > maxRepeated)
      return this.#stop(
        alias,
        `aliases repeat more than ${maxRepeated} values up to here: write fewer of them, or smaller anchors`,
      )
    return named.value
  }

  #isTooDeep(node: unknown, depth: number): boolean {
    if (depth > maxLevels) this.#stop(node, tooDeep)
    return this.#stopped
  }

  #mistake(node: unknown, message: string): void {
    this.mistakes.push({ offset: start(node), message })
    if (this.mistakes.length >= this.#maxMistakes) this.#stopped = true
    if (this.#stopped) this.whole = false
  }

  #stop(node: unknown, message: string): undefined {
    this.#stopped = true
    this.#mistake(node, message)
    return undefined
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

interface ParsedYaml {
  readonly document: Document<ParsedNode>
  /** Where the text was nested so deep that no more of it was read. */
  readonly cutAt: number | undefined
  /** The commas with nothing behind them, which YAML allows and JSON does not; looked for in JSON alone. */
  readonly trailingCommas: readonly number[]
}

/**
 * As `parseDocument` of the package, which composes nodes by calling itself: near the end of the stack V8 may
 * not throw but end the process, when it has to compile a pattern there. Its tokens are made without.
 */
export function parseYaml(yaml: Yaml, text: string, isJson: boolean, options: Options): ParsedYaml {
  const { addNewLine } = options.lineCounter
  const parser = new yaml.Parser(addNewLine)
  const trailingCommas: number[] = []
  let cutAt: number | undefined
  let comma: number | undefined
  function* tokens() {
    addNewLine(0)
    for (const lexeme of new yaml.Lexer().lex(text)) {
      const { offset } = parser
      yield* parser.next(lexeme)
      if (isJson) {
        if (comma !== undefined && (lexeme === '}' || lexeme === ']')) trailingCommas.push(comma)
        if (lexeme === ',') comma = offset
        else if (!/^\s*(?:#|$)/.test(lexeme)) comma = undefined
      }
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
  return { document: document as Document<ParsedNode>, cutAt, trailingCommas }
}
