/** Resolves the local JSON pointers of `$ref`; fetches nothing and does not read what it finds. */
import { describeValue, SchemaRefusal } from './schema-refusal.ts'

/**
 * The value at `pointer` (such as `#/$defs/node`) in `schema`. Throws `SchemaRefusal` at `from` when there
 * is none.
 */
export function resolvePointer(
  schema: unknown,
  pointer: string,
  from: string,
): { value: unknown; path: string } {
  const refuse = (what: string): SchemaRefusal =>
    new SchemaRefusal(from, '$ref', `got ${describeValue(pointer)}; ${what}`)
  if (pointer === '' || pointer === '#') return { value: schema, path: '' }
  if (!pointer.startsWith('#/'))
    throw refuse('only local pointers are followed; put that schema under $defs and write "#/$defs/..."')
  const steps: string[] = []
  let value: unknown = schema
  for (const written of pointer.slice(2).split('/')) {
    const step = decoded(written)
    if (step === undefined) throw refuse('it is not well encoded; write ~0 for ~, ~1 for / and %25 for %')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      throw refuse(`nothing stands there; ${defined(schema)}`)
    value = (value as Record<string, unknown>)[step]
    steps.push(step)
  }
  return { value, path: steps.join('.') }
}

function decoded(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined
  }
}

function defined(schema: unknown): string {
  const root = schema as Record<string, unknown>
  const names = ['$defs', 'definitions'].flatMap((home) => {
    const held = root[home]
    return typeof held === 'object' && held !== null
      ? Object.keys(held).map((name) => `#/${home}/${name}`)
      : []
  })
  if (names.length === 0) return 'the schema has no $defs'
  return `the schema defines ${names.slice(0, 8).join(', ')}`
}
