/** Validates YAML or JSON text against a zod schema and says where in the text each mistake stands. Knows no files. */
import type { Document, Node, ParsedNode } from 'yaml'
import * as z from 'zod'
import { findings } from '../protocol/wording.ts'
import { nearestWord } from './nearest-word.ts'

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
      for (const issue of result.error?.issues ?? []) for (const { path, message, key } of worded(issue, schema, value)) add(offsetOf(document, path, key, yaml), message)
    } catch (error) {
      add(0, error instanceof Error ? error.message : String(error))
    }
  }
  return { value, mistakes: mistakes.sort((a, b) => a.offset - b.offset).map(({ offset: _, ...mistake }) => mistake) }
}

interface Worded {
  readonly path: Path
  readonly message: string
  /** True when the key is wrong, not what stands behind it. */
  readonly key: boolean
}

function worded(issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown): Worded[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path)
    return issue.keys.map((key) => {
      const nearest = nearestWord(key, known)
      return { path: [...issue.path, key], message: `unknown key ${JSON.stringify(key)}: ${nearest === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${nearest}?`}`, key: true }
    })
  }
  const input = valueAt(value, issue.path)
  const nearest = issue.code === 'invalid_value' && typeof input === 'string' ? nearestWord(input, issue.values.map(String)) : undefined
  const key = issue.code === 'invalid_key'
  return findings(new z.ZodError([issue]), value).map(({ field, message }) => ({
    path: issue.path,
    message: `${field === '' ? '' : `${field}: `}${message}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
    key,
  }))
}

/** The keys that an object may have at a path of the schema. */
function keysAt(schema: z.ZodType, path: Path): string[] {
  let at: unknown = unwrapped(schema)
  for (const part of path) {
    if (at instanceof z.ZodObject) at = unwrapped(at.shape[part as string])
    else if (at instanceof z.ZodRecord) at = unwrapped(at.valueType)
    else if (at instanceof z.ZodArray) at = unwrapped(at.element)
    else return []
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : []
}

function unwrapped(schema: unknown): unknown {
  let at = schema
  while (at instanceof z.ZodOptional || at instanceof z.ZodDefault || at instanceof z.ZodPrefault || at instanceof z.ZodNullable) at = at.unwrap()
  return at
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value
  for (const part of path) at = at !== null && typeof at === 'object' ? (at as Record<PropertyKey, unknown>)[part] : undefined
  return at
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
