/**
 * Reads the tests out of a test file without running it: their titles, the blocks they stand in, and whether
 * anything may skip them. A test that is skipped under some condition counts as skipped, since a run that
 * skipped it has proved nothing.
 */
import { parseAst } from 'vitest/node'
import { expand, literalOf, placeholders, type Value } from './_titles.ts'

export interface FoundTest {
  /** As it stands in the source, `%s` and `${…}` included. */
  readonly written: string
  /** The titles it has when it runs, where the source shows them; patterns where it does not. */
  readonly titles: readonly (string | RegExp)[]
  readonly describes: readonly string[]
  readonly skipped: boolean
}

interface Node {
  readonly type: string
  readonly [property: string]: unknown
}

interface Modifier {
  readonly name: string
  readonly args: readonly Node[]
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/** `it.skipIf(x).each(table)` as its root and what hangs on it. */
function chainOf(
  callee: Node,
): { readonly root: string; readonly modifiers: readonly Modifier[] } | undefined {
  if (callee.type === 'Identifier') return { root: callee['name'] as string, modifiers: [] }
  if (callee.type === 'MemberExpression') {
    const inner = chainOf(callee['object'] as Node)
    const name = (callee['property'] as Node)['name']
    return inner === undefined || typeof name !== 'string'
      ? undefined
      : { root: inner.root, modifiers: [...inner.modifiers, { name, args: [] }] }
  }
  if (callee.type === 'CallExpression') {
    const inner = chainOf(callee['callee'] as Node)
    const last = inner?.modifiers.at(-1)
    return inner === undefined || last === undefined
      ? undefined
      : {
          root: inner.root,
          modifiers: [
            ...inner.modifiers.slice(0, -1),
            { name: last.name, args: callee['arguments'] as Node[] },
          ],
        }
  }
  return undefined
}

// `fails` passes when its test does not: no proof either.
const skipping = new Set(['skip', 'skipIf', 'runIf', 'todo', 'fails'])
const conditional = new Set(['IfStatement', 'ConditionalExpression', 'LogicalExpression', 'SwitchStatement'])

/** The text of a title; an expression inside a template stays as `${…}`, as it is written. */
function titleOf(
  node: Node | undefined,
  source: string,
): { readonly written: string; readonly holes: boolean } | undefined {
  if (node?.type === 'Literal' && typeof node['value'] === 'string')
    return { written: node['value'], holes: false }
  if (node?.type !== 'TemplateLiteral') return undefined
  const written = source
    .slice((node['start'] as number) + 1, (node['end'] as number) - 1)
    .replaceAll('\\`', '`')
  return { written, holes: (node['expressions'] as Node[]).length > 0 }
}

const callsSkip = (node: unknown): boolean => {
  if (Array.isArray(node)) return node.some(callsSkip)
  if (!isNode(node)) return false
  const callee = node['callee']
  if (
    node.type === 'CallExpression' &&
    isNode(callee) &&
    callee.type === 'MemberExpression' &&
    (callee['property'] as Node)['name'] === 'skip'
  )
    return true
  return Object.values(node).some(callsSkip)
}

const setsSkip = (options: Node): boolean =>
  options.type === 'ObjectExpression' &&
  (options['properties'] as Node[]).some(
    (property) =>
      ['skip', 'todo', 'fails'].includes(String((property['key'] as Node | undefined)?.['name'])) &&
      (property['value'] as Node)['value'] !== false,
  )

/** Every constant of a file by its name: tables are often declared before the test that runs over them. */
function constantsOf(node: unknown, constants = new Map<string, Node>()): Map<string, Node> {
  if (Array.isArray(node)) for (const inner of node) constantsOf(inner, constants)
  if (!isNode(node)) return constants
  if (node.type === 'VariableDeclarator' && isNode(node['init']))
    constants.set((node['id'] as Node)['name'] as string, node['init'])
  for (const value of Object.values(node)) constantsOf(value, constants)
  return constants
}

/** All tests of one file's source, those inside functions that other files call included. */
export function readTests(source: string): FoundTest[] {
  const found: FoundTest[] = []
  const file = parseAst(source, { lang: 'ts' })
  const constants = constantsOf(file)

  const visit = (node: unknown, describes: readonly string[], skipped: boolean): void => {
    if (Array.isArray(node)) for (const inner of node) visit(inner, describes, skipped)
    if (!isNode(node)) return
    const chain = node.type === 'CallExpression' ? chainOf(node['callee'] as Node) : undefined
    const isTest = chain !== undefined && /^(?:it|test)$/.test(chain.root)
    const isBlock = chain !== undefined && /^(?:describe|suite)(?:[A-Z]\w*)?$/.test(chain.root)
    const args = (node['arguments'] ?? []) as readonly Node[]
    const title = isTest || isBlock ? titleOf(args[0], source) : undefined
    if (chain === undefined || title === undefined) {
      const odd = skipped || conditional.has(node.type)
      for (const value of Object.values(node)) visit(value, describes, odd)
      return
    }
    const skips =
      skipped || chain.modifiers.some(({ name }) => skipping.has(name)) || args.slice(1).some(setsSkip)
    if (isBlock) {
      for (const arg of args.slice(1)) visit(arg, [...describes, title.written], skips)
      return
    }
    const table = chain.modifiers.find(({ name }) => name === 'each' || name === 'for')?.args[0]
    const declared = table?.type === 'Identifier' ? (constants.get(table['name'] as string) ?? table) : table
    const cases: readonly (readonly Value[])[] | undefined =
      declared === undefined ? undefined : literalOf(declared)
    const titles =
      title.holes || placeholders(title.written, table !== undefined)
        ? expand(title.written, cases)
        : [title.written]
    // A test without a body is a `todo`; one that calls `skip()` inside may skip itself.
    const empty = !args
      .slice(1)
      .some(({ type }) => type.endsWith('FunctionExpression') || type === 'Identifier')
    found.push({
      written: title.written,
      titles,
      describes,
      skipped: skips || empty || callsSkip(args.slice(1)),
    })
  }

  visit(file, [], false)
  return found
}
