/** Validates YAML or JSON text against a zod schema and says where in the text each mistake stands. Knows no files. */
import type { Document, Node, ParsedNode } from 'yaml'
import type * as z from 'zod'
import { mistakesIn, type SettingMistake } from '../protocol/mistakes.ts'

/** One mistake, with the place of what is wrong. */
export interface Mistake {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  readonly message: string
  /** The line of the text, without its indentation. */
  readonly source: string
}

export interface ReadYaml {
  /** What the text says, not what the schema makes of it: defaults are not filled in. An empty text is an empty object. */
  readonly value: unknown
  /** In the order of the text; empty when the schema accepts the value. */
  readonly mistakes: readonly Mistake[]
}

type Yaml = typeof import('yaml')
type Path = readonly PropertyKey[]

/** Reads one document. Never throws for what the text says. */
export async function readYaml(text: string, schema: z.ZodType): Promise<ReadYaml> {
  const yaml = await import('yaml')
  const lines = new yaml.LineCounter()
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const mistakes: (Mistake & { readonly offset: number })[] = []
  const add = (offset: number, message: string): void => {
    const { line, col } = lines.linePos(offset)
    mistakes.push({ line, column: col, message, source: (text.split('\n')[line - 1] ?? '').trim(), offset })
  }

  for (const { pos, code, message } of [...document.errors, ...document.warnings]) add(pos[0], code === 'DUPLICATE_KEY' ? 'this key stands twice in its object: keep one' : message)
  yaml.visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document) === undefined) add(start(alias), `no anchor &${alias.source} stands before this alias`)
    },
  })
  // A key written twice still leaves a document whose other mistakes are worth naming.
  const whole = document.errors.every(({ code }) => code === 'DUPLICATE_KEY') && mistakes.length === document.errors.length + document.warnings.length
  let value: unknown
  if (whole) {
    try {
      value = document.toJS({ maxAliasCount: 100 }) ?? {}
      const result = schema.safeParse(value)
      for (const issue of result.error?.issues ?? []) for (const mistake of mistakesIn(issue, schema, value)) add(offsetOf(document, mistake.path, mistake.key, yaml), sentence(mistake))
    } catch (error) {
      add(0, error instanceof Error ? error.message : String(error))
    }
  }
  return { value, mistakes: mistakes.sort((a, b) => a.offset - b.offset).map(({ offset: _, ...mistake }) => mistake) }
}

// The line says where an unknown key stands.
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
      const pair = node.items.find((item) => String(yaml.isScalar(item.key) ? item.key.value : item.key) === String(part))
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

function start(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0
}
