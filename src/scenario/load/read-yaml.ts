/** Validates YAML or JSON text against a zod schema and says where in the text each mistake stands. */
import type { Document, Node, ParsedNode, YAMLMap } from 'yaml'
import type * as z from 'zod'
import { mistakesIn, type SettingMistake } from '../../protocol/mistakes.ts'
import { noAnchor, noValue, tooDeep, tooDeepAt, yamlWords } from './yaml-messages.ts'

/** One mistake, with the place of what is wrong. */
export interface Mistake {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  readonly message: string
  /** The line of the text, without its indentation. */
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
  /** In the order of the text; empty when the schema accepts the value. */
  readonly mistakes: readonly Mistake[]
}

/** The package that parses YAML; handed in, for browsers do without it. */
export type Yaml = typeof import('yaml')
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

/** Reads one document. Never throws for what the text says. */
export function readDocument(yaml: Yaml, text: string): YamlDocument {
  const lines = new yaml.LineCounter()
  // Merge keys (`<<: *question`) are of YAML 1.1; whoever writes one means it.
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    merge: true,
  })
  const found: (Mistake & { readonly offset: number })[] = []
  const at = (offset: number, message: string): Mistake & { readonly offset: number } => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col, message, source: (text.split('\n')[line - 1] ?? '').trim(), offset }
  }

  for (const { pos, code, message } of [...document.errors, ...document.warnings]) {
    const one = at(pos[0], yamlWords(text, { code, message, offset: pos[0] }))
    // What follows on a line that cannot be read is about the rest of the same mistake.
    if (code === 'DUPLICATE_KEY' || !found.some(({ line }) => line === one.line)) found.push(one)
  }
  // A key written twice still leaves a document whose other mistakes are worth naming.
  let whole = document.errors.every(({ code }) => code === 'DUPLICATE_KEY')
  let value: unknown
  try {
    yaml.visit(document, {
      Alias(_key, alias) {
        if (alias.resolve(document) !== undefined) return
        whole = false
        const one = at(start(alias), noAnchor(alias.source))
        if (!found.some(({ offset }) => offset === one.offset)) found.push(one)
      },
      Map(_key, { flow, items }) {
        for (const [index, { key, value: behind }] of items.entries()) {
          if (flow === true && index > 0 && behind === null && yaml.isScalar(key))
            found.push(at(start(key), noValue(String(key.value))))
        }
      },
      Pair(_key, { key }) {
        if (!yaml.isMap(key) && !yaml.isSeq(key)) return
        whole = false
        found.push(at(start(key), 'expected a text as key'))
      },
    })
    value = whole ? (document.toJS({ maxAliasCount: 100 }) ?? {}) : undefined
  } catch (error) {
    found.push(
      at(0, error instanceof RangeError ? tooDeep : error instanceof Error ? error.message : String(error)),
    )
  }
  const deep = tooDeepAt(value)
  if (deep !== undefined) {
    found.push(at(offsetOf(document, deep, false, yaml), tooDeep))
    value = undefined
  }
  const sorted = (list: typeof found): Mistake[] =>
    list.sort((a, b) => a.offset - b.offset).map(({ offset: _, ...mistake }) => mistake)
  return {
    value,
    empty: found.length === 0 && document.contents === null,
    mistakes: sorted([...found]),
    place: (mistakes) =>
      sorted([
        ...found,
        ...mistakes.map(({ path, message, key }) => ({
          ...at(offsetOf(document, path, key, yaml), message),
          path,
        })),
      ]),
  }
}

/** Reads one document and holds it against a schema. Never throws for what the text says. */
export function readYaml(yaml: Yaml, text: string, schema: z.ZodType): ReadYaml {
  const document = readDocument(yaml, text)
  const { value } = document
  const issues = value === undefined ? [] : (schema.safeParse(value).error?.issues ?? [])
  const placed = document.place(
    mistakesIn(issues, schema, value).map((mistake) => ({ ...mistake, message: sentence(mistake) })),
  )
  return { value, mistakes: placed.map(({ path: _, ...mistake }) => mistake) }
}

/** A mistake in one sentence; the line says where it stands. */
function sentence({ path, field, message, unknown }: SettingMistake): string {
  if (unknown) return `unknown key ${JSON.stringify(path.at(-1))}: ${message}`
  return field === '' ? message : `${field}: ${message}`
}

/** Where a value stands, or its key; what encloses it when it is not there. */
function offsetOf(document: Document<ParsedNode>, path: Path, key: boolean, yaml: Yaml): number {
  let node: unknown = document.contents
  let offset = start(node)
  for (const [index, part] of path.entries()) {
    if (yaml.isAlias(node)) node = node.resolve(document)
    if (yaml.isMap(node)) {
      const pair = pairOf(node, String(part), document, yaml)
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
  document: Document<ParsedNode>,
  yaml: Yaml,
): YAMLMap['items'][number] | undefined {
  // A merge key is a symbol to the reader.
  const nameOf = (node: unknown): string =>
    yaml.isScalar(node)
      ? typeof node.value === 'symbol'
        ? (node.value.description ?? '')
        : String(node.value)
      : String(node)
  const named = (name: string): YAMLMap['items'] => map.items.filter((item) => nameOf(item.key) === name)
  const [own] = named(key)
  if (own !== undefined) return own
  const resolved = (node: unknown): unknown => (yaml.isAlias(node) ? node.resolve(document) : node)
  const merged = named('<<')
    .flatMap(({ value }) => (yaml.isSeq(value) ? value.items : [value]))
    .map(resolved)
  for (const source of merged) {
    const pair = yaml.isMap(source) ? pairOf(source, key, document, yaml) : undefined
    if (pair !== undefined) return pair
  }
  return undefined
}

function start(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0
}
