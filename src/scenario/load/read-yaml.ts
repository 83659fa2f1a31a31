/** Validates YAML or JSON text against a zod schema and says where in the text each mistake stands. */
import type { Document, ParsedNode, YAMLMap } from 'yaml'
import type * as z from 'zod'
import { parseWritten } from '../../protocol/client-names.ts'
import { mistakesIn, type SettingMistake } from '../../protocol/mistakes.ts'
import { maxMistakes, show } from '../../protocol/wording.ts'
import {
  isMerge,
  type NodeMistake,
  parseYaml,
  readNodes,
  start,
  tooDeep,
  type Yaml,
  yamlWords,
} from './read-nodes.ts'

/** One mistake, with the place of what is wrong. */
export interface Mistake {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  readonly message: string
  /** The line of the text, without its indentation; of a long one what stands around the mistake. */
  readonly source: string
  /** What of the value is wrong; left out where the text itself is. */
  readonly path?: readonly PropertyKey[]
}

export interface ReadYaml {
  /**
   * What the text says, not what the schema makes of it: defaults are not filled in. An empty text is an
   * empty object.
   */
  readonly value: unknown
  /** In the order of the text, the first ones; empty when the schema accepts the value. */
  readonly mistakes: readonly Mistake[]
}

type Path = readonly PropertyKey[]

/** Something that is wrong at a path of the value. */
export interface PathMistake {
  readonly path: Path
  readonly message: string
  /** True when the key is meant, not what stands behind it. */
  readonly key: boolean
}

/** A document that can say where its parts stand. */
export interface YamlDocument {
  /** What the text says; an empty text is an empty object, and undefined one that cannot be read. */
  readonly value: unknown
  /** True when the text says nothing at all. */
  readonly empty: boolean
  /** What is wrong with the text itself. */
  readonly mistakes: readonly Mistake[]
  /** Mistakes with their places, those of the text among them, in the order of the text. */
  place(mistakes: readonly PathMistake[]): Mistake[]
}

/**
 * Reads one document of YAML or JSON. Never throws for what the text says; of its mistakes, the first ones
 * are enough.
 */
export function readDocument(yaml: Yaml, text: string, name: string): YamlDocument {
  const lines = new yaml.LineCounter()
  const { document, cutAt, trailingCommas } = parseYaml(yaml, text, name.endsWith('.json'), {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    // Merge keys (`<<: *question`) are of YAML 1.1; whoever writes one means it.
    merge: true,
    // The parser compares each key with all before it; `readNodes` finds those that are written twice.
    uniqueKeys: false,
    // Sets, dates and binary values are nothing that a scenario or a setting could be.
    resolveKnownTags: false,
  })
  const at = ({ offset, message }: NodeMistake): PlacedMistake => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col, message, source: shownLine(text, offset), offset }
  }
  const { value, mistakes, behind } = readNodes(yaml, document, maxMistakes + 1)
  // The walk says what is nested too deep; what is wrong further in stays unsaid, for it was not all read.
  const deep = mistakes.find(({ message }) => message === tooDeep)?.offset ?? text.length
  const found: PlacedMistake[] = []
  const broken = new Set<number>()
  for (const { pos, code, message } of [...document.errors, ...document.warnings]) {
    if (found.length > maxMistakes) break
    if (pos[0] > deep) continue
    const { line } = lines.linePos(pos[0])
    // What follows on a line that cannot be read is about the rest of the same mistake.
    if (broken.has(line)) continue
    broken.add(line)
    found.push(at({ offset: pos[0], message: yamlWords(text, { code, message, offset: pos[0] }) }))
  }
  for (const offset of trailingCommas.slice(0, maxMistakes))
    found.push(at({ offset, message: 'JSON has no comma behind the last value: remove it' }))
  const told = new Set(found.map(({ offset }) => offset))
  found.push(...mistakes.filter(({ offset }) => !told.has(offset)).map(at))
  if (cutAt !== undefined && found.length === 0) found.push(at({ offset: cutAt, message: tooDeep }))
  return {
    value: document.errors.length > 0 || cutAt !== undefined ? undefined : value,
    empty: found.length === 0 && document.contents === null,
    mistakes: sorted(found),
    place: (wrong) =>
      sorted([
        ...found,
        ...wrong.map(({ path, message, key }) => ({
          ...at({ offset: offsetOf(document, path, key, { yaml, behind }), message }),
          path,
        })),
      ]),
  }
}

type PlacedMistake = Mistake & { readonly offset: number }

function sorted(list: readonly PlacedMistake[]): Mistake[] {
  return [...list].sort((a, b) => a.offset - b.offset).map(({ offset: _, ...mistake }) => mistake)
}

/** A line is shown whole up to this length, else what stands around the mistake. */
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

/** Reads one document and holds it against a schema. Never throws for what the text says. */
export function readYaml(yaml: Yaml, text: string, schema: z.ZodType, name = ''): ReadYaml {
  const document = readDocument(yaml, text, name)
  const { value } = document
  const issues = value === undefined ? [] : (parseWritten(schema, value).error?.issues ?? [])
  const placed = document.place(
    mistakesIn(issues, schema, value).map((mistake) => ({ ...mistake, message: sentence(mistake) })),
  )
  return { value, mistakes: placed.map(({ path: _, ...mistake }) => mistake) }
}

/** A mistake in one sentence; the line says where it stands. */
function sentence({ path, field, message, unknown }: SettingMistake): string {
  if (unknown) return `unknown key ${show(String(path.at(-1)))}: ${message}`
  return field === '' ? message : `${field}: ${message}`
}

/** What it takes to go through the nodes of a document. */
interface Nodes {
  readonly yaml: Yaml
  /** A node, or what it stands for if it is an alias. */
  behind(node: unknown): unknown
}

/** Where a value stands, or its key; what encloses it when it is not there. */
function offsetOf({ contents }: Document<ParsedNode>, path: Path, key: boolean, nodes: Nodes): number {
  const { yaml, behind } = nodes
  let node: unknown = contents
  let offset = start(node)
  for (const [index, part] of path.entries()) {
    node = behind(node)
    if (yaml.isMap(node)) {
      const pair = pairOf(node, String(part), nodes, new Set())
      if (pair === undefined) return offset
      const wanted = key && index === path.length - 1
      offset = wanted ? start(pair.key) : start(pair.value ?? pair.key)
      node = pair.value
    } else if (yaml.isSeq(node)) {
      node = node.items[part as number]
      if (node === undefined) return offset
      offset = start(node)
    } else return offset
  }
  return offset
}

/** The pair of a key, also where it comes from what is merged in (`<<`). */
function pairOf(
  map: YAMLMap,
  key: string,
  nodes: Nodes,
  // The same object may be merged in again and again.
  searched: Set<YAMLMap>,
): YAMLMap['items'][number] | undefined {
  if (searched.has(map)) return undefined
  searched.add(map)
  const { yaml, behind } = nodes
  const nameOf = (written: unknown): string => {
    const node = behind(written)
    return yaml.isScalar(node) ? String(node.value ?? '') : ''
  }
  const own = map.items.find((item) => !isMerge(yaml, item.key) && nameOf(item.key) === key)
  if (own !== undefined) return own
  for (const item of map.items) {
    if (!isMerge(yaml, item.key)) continue
    const merged = behind(item.value)
    for (const one of yaml.isSeq(merged) ? merged.items : [merged]) {
      const source = behind(one)
      const pair = yaml.isMap(source) ? pairOf(source, key, nodes, searched) : undefined
      if (pair !== undefined) return pair
    }
  }
  return undefined
}
