/**
 * Whether what an answer takes from the request (`${body.prompt}`) can be in a request. Knows requests by the
 * schemas it is handed.
 */
import type * as z from 'zod'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { hasTemplates, templateSources, templatesIn, unclosedTemplate } from '../templates.ts'
import { fieldsOf, formsOf, itemsOf, type ScenarioMistake } from './shape.ts'
import { suggestion } from './suggestion.ts'

type Path = readonly PropertyKey[]

/**
 * The mistakes of all templates inside a value. `endpoints` are what the call may be to: one that has what is
 * named is enough; none given means that nothing is known of it.
 */
export function* checkTemplates(
  value: unknown,
  path: Path,
  endpoints: readonly Endpoint[],
): Generator<ScenarioMistake> {
  if (!hasTemplates(value)) return
  if (typeof value === 'string') {
    for (const name of templatesIn(value)) {
      const message = whatIsWrong(name, endpoints)
      if (message !== undefined) yield { path, message: `\${${name}}: ${message}`, key: false }
    }
    const open = unclosedTemplate(value)
    if (open !== undefined)
      yield {
        path,
        message: `${JSON.stringify(open)} is not closed: expected a value of the request, as \${body.prompt}`,
        key: false,
      }
    return
  }
  for (const [name, part] of Object.entries(value as object))
    yield* checkTemplates(part, [...path, Array.isArray(value) ? Number(name) : name], endpoints)
}

function whatIsWrong(name: string, endpoints: readonly Endpoint[]): string | undefined {
  const [source = '', ...path] = name.split('.')
  if (!(templateSources as readonly string[]).includes(source)) {
    const nearest = nearestWord(source, templateSources)
    return [
      `expected a value of the request, as \${body.prompt}: it begins with`,
      `${templateSources.join(', ')}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
    ].join(' ')
  }
  if (endpoints.length === 0) return undefined
  switch (source) {
    case 'body':
      return endpoints.every(({ accepts }) => accepts.length === 0)
        ? `${named(endpoints)} take${endpoints.length === 1 ? 's' : ''} no body`
        : missing(
            endpoints.flatMap(({ body }) => body ?? []),
            path,
          )
    case 'query':
      return endpoints.some(({ query }) => query === undefined)
        ? undefined
        : missing(
            endpoints.flatMap(({ query }) => query ?? []),
            path,
          )
    case 'path': {
      const params = new Set(
        endpoints.flatMap(({ path: written }) =>
          [...written.matchAll(/\{(\w+)\}/g)].map(([, param]) => param as string),
        ),
      )
      return path[0] === undefined || params.has(path[0])
        ? undefined
        : `no such parameter stands in the paths of ${named(endpoints)}${suggestion(path[0], [...params])}`
    }
    case 'prompt':
      if (endpoints.every(({ promptOf }) => promptOf === undefined))
        return `${named(endpoints)} take${endpoints.length === 1 ? 's' : ''} no prompt`
  }
  return source !== 'headers' && path.length > 0 ? `${source} is a text, without fields` : undefined
}

/** The first step of a path that leads nowhere, in words. */
function missing(schemas: readonly z.ZodType[], path: readonly string[]): string | undefined {
  let at = schemas
  for (const name of path) {
    const forms = at.flatMap(formsOf)
    const fields = fieldsOf(forms)
    if (fields === undefined) return undefined
    const items = /^\d+$/.test(name) ? itemsOf(forms) : []
    const next = fields.get(name) ?? (items.length > 0 ? items : undefined)
    if (next === undefined)
      return `no request has a field ${JSON.stringify(name)} here${suggestion(name, [...fields.keys()])}`
    at = next
  }
  return undefined
}

function named(endpoints: readonly Endpoint[]): string {
  return endpoints.length > 4
    ? 'the operations of this rule'
    : endpoints.map(({ operation }) => operation).join(', ')
}
