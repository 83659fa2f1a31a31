/** Completes scenario files: the keys and values that the JSON Schema allows at a place of the text. */
import { yamlLanguage } from '@codemirror/lang-yaml'

/** A JSON Schema, as far as completion reads it. */
export interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: boolean | Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

export interface Suggestion {
  readonly label: string
  readonly kind: 'key' | 'value'
  readonly description: string | undefined
  /** What to insert. */
  readonly text: string
}

export interface Suggestions {
  /** Where the word begins that a suggestion replaces. */
  readonly from: number
  readonly suggestions: readonly Suggestion[]
}

type Node = ReturnType<typeof yamlLanguage.parser.parse>['topNode']

/** A step from the root of the document: a key, or `[]` into a list. */
interface Step {
  readonly name: string
  /** The scalars of the mapping that has the key: they select among alternatives. */
  readonly beside: Readonly<Record<string, string>>
}

/** Stands at the cursor while the text is parsed. */
const mark = '\u00a7'

export function suggestionsAt(text: string, at: number, root: Schema): Suggestions {
  const word = /[\w.$*/-]*$/.exec(text.slice(0, at))?.[0] ?? ''
  const from = at - word.length
  const before = text.slice(0, from)
  const after = text.slice(at).replace(/^[\w.$*/-]+/, '')
  const line = before.slice(before.lastIndexOf('\n') + 1)
  const none = { from, suggestions: [] }
  if (/(?:^|\s)#/.test(line)) return none
  const asKey = /^\s*(?:- +)*$|[{,]\s*$/.test(line) ? keyPlace(before, after) : undefined
  if (asKey !== undefined) {
    const keys = keysOf(asKey, root, after.startsWith(':'))
    // A list can have scalars as well.
    const values = /(?:-|,) *$/.test(line) ? valuesOf(valuePlace(before, after), root) : []
    return { from, suggestions: [...keys, ...values] }
  }
  return /[:[,-]\s+$|\[$/.test(line) ? { from, suggestions: valuesOf(valuePlace(before, after), root) } : none
}

/** The path to the mapping at the cursor, and what it has; undefined if no key can be there. */
function keyPlace(before: string, after: string): { path: readonly Step[]; has: Set<string> } | undefined {
  const text = before + mark + (after.startsWith(':') ? '' : ': 0') + after
  const node = markedNode(text, before.length)
  const key = node?.name === 'Key' ? node : node?.parent
  if (key?.name !== 'Key') return undefined
  const { path, beside } = stepsTo(key, text)
  return { path: [...path, { name: '', beside }], has: new Set(Object.keys(beside)) }
}

function valuePlace(before: string, after: string): readonly Step[] {
  const text = before + mark + after
  const node = markedNode(text, before.length)
  return node === undefined || node.parent?.name === 'Key' ? [] : stepsTo(node, text).path
}

function markedNode(text: string, at: number): Node | undefined {
  const node = yamlLanguage.parser.parse(text).resolveInner(at, 1)
  return node.type.isError ? undefined : node
}

/** The steps to a node; for a key, those to its mapping. */
function stepsTo(start: Node, text: string): { path: Step[]; beside: Step['beside'] } {
  const path: Step[] = []
  let beside: Step['beside'] | undefined
  let isKey = start.name === 'Key'
  for (let node: Node | null = start; node !== null; node = node.parent) {
    if (node.name === 'Item') path.unshift({ name: '[]', beside: {} })
    if (node.name === 'Key') isKey = true
    if (node.name !== 'Pair') continue
    const siblings = scalarsOf(node.parent, text)
    beside ??= siblings
    if (!isKey) path.unshift({ name: textOf(node.getChild('Key'), text), beside: siblings })
    isKey = false
  }
  return { path, beside: beside ?? {} }
}

const textOf = (node: Node | null, text: string): string =>
  node === null ? '' : text.slice(node.from, node.to).replace(/^["']|["']$/g, '')

/** The keys of a mapping with their values, which are empty unless they are scalars. */
function scalarsOf(mapping: Node | null, text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const pair of mapping?.getChildren('Pair') ?? []) {
    const name = textOf(pair.getChild('Key'), text)
    const value = pair.getChild('Literal') ?? pair.getChild('QuotedLiteral')
    if (name !== mark) found[name] = textOf(value, text)
  }
  return found
}

/** A schema with what it refers to and its alternatives. */
function* expanded(schema: Schema, root: Schema, depth = 0): Generator<Schema> {
  if (depth > 20) return
  yield schema
  const name = schema.$ref?.replace('#/$defs/', '')
  const target = name === undefined ? undefined : root.$defs?.[name]
  const more = [...(target === undefined ? [] : [target])]
  for (const list of [schema.anyOf, schema.oneOf, schema.allOf]) more.push(...(list ?? []))
  for (const one of more) yield* expanded(one, root, depth + 1)
}

/** Whether the scalars of a mapping contradict constants of the schema (`kind: stall`). */
function isExcluded({ properties = {} }: Schema, beside: Step['beside']): boolean {
  return Object.entries(beside).some(([name, value]) => {
    const constant = Object.hasOwn(properties, name) ? properties[name]?.const : undefined
    return constant !== undefined && String(constant) !== value
  })
}

/** The schemas of the value at the end of a path; a last step without a name keeps the mappings. */
function schemasAt(path: readonly Step[], root: Schema): readonly Schema[] {
  let here: Schema[] = [...expanded(root, root)]
  for (const { name, beside } of path) {
    here = here.filter((schema) => !isExcluded(schema, beside))
    if (name === '') break
    const inner = here.flatMap(({ properties = {}, additionalProperties, items }): Schema[] => {
      const value =
        name === '[]' ? items : Object.hasOwn(properties, name) ? properties[name] : additionalProperties
      return typeof value === 'object' ? [value] : []
    })
    here = inner.flatMap((schema) => [...expanded(schema, root)])
  }
  return here
}

function keysOf(
  { path, has }: { readonly path: readonly Step[]; readonly has: ReadonlySet<string> },
  root: Schema,
  hasColon: boolean,
): Suggestion[] {
  const found = new Map<string, Suggestion>()
  for (const { properties = {} } of schemasAt(path, root))
    for (const [label, schema] of Object.entries(properties))
      if (!has.has(label) && !found.has(label))
        found.set(label, {
          ...{ label, kind: 'key', text: hasColon ? label : `${label}: ` },
          description: descriptionOf(schema, root),
        })
  return [...found.values()]
}

function valuesOf(path: readonly Step[], root: Schema): Suggestion[] {
  const found = new Map<string, Suggestion>()
  const add = (value: unknown, description: string | undefined): void => {
    if (value === null || typeof value === 'object') return
    const label = String(value)
    const text =
      typeof value === 'string' && !/^[A-Za-z][\w.*/-]*$/.test(value) ? JSON.stringify(value) : label
    if (!found.has(label)) found.set(label, { label, kind: 'value', description, text })
  }
  if (path.length === 0) return []
  for (const { enum: choices = [], const: constant, type, description } of schemasAt(path, root)) {
    for (const choice of choices) add(choice, description)
    if (constant !== undefined) add(constant, description)
    if (type === 'boolean') for (const choice of [true, false]) add(choice, description)
  }
  return [...found.values()]
}

function descriptionOf(schema: Schema, root: Schema): string | undefined {
  for (const { description } of expanded(schema, root)) if (description !== undefined) return description
  return undefined
}
