/**
 * Whether the values that an answer takes from the request (`${body.prompt}`) can exist in one.
 */

import type * as z from 'zod'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { clip, show } from '../../protocol/wording.ts'
import {
  hasTemplates,
  partsOf,
  templateSources,
  templatesIn,
  textsIn,
  unclosedTemplate,
} from '../templates.ts'
import { descend, namesOf, parametersOf, suggestion, takers } from './forms.ts'
import type { Path, ScenarioMistake } from './mistake.ts'
import { wrongValue } from './mistake.ts'

/**
 * The mistakes of all templates inside a value. One of `endpoints` must have what a template names; without
 * any, nothing is known about the request.
 */
export function* checkTemplates(
  value: unknown,
  path: Path,
  endpoints: readonly Endpoint[],
): Generator<ScenarioMistake> {
  for (const { text, at } of hasTemplates(value) ? textsIn(value, path) : []) {
    for (const name of templatesIn(text)) {
      const message = mistakeOfSource(name, endpoints)
      if (message !== undefined) yield wrongValue(at, `\${${clip(name, 200)}}: ${message}`)
    }
    const open = unclosedTemplate(text)
    if (open !== undefined)
      yield wrongValue(at, `${show(open)} is not closed: expected a value such as \${body.prompt}`)
  }
}

/** Why no request has what a name such as `body.prompt` stands for. */
export function mistakeOfSource(name: string, endpoints: readonly Endpoint[]): string | undefined {
  const [source = '', ...path] = partsOf(name)
  if (!templateSources.includes(source)) {
    const meant = name.replace(/^(?:request|req)\./, '')
    if (meant !== name) return `write \${${meant}}`
    return (
      `expected a value of the request such as \${body.prompt}, starting with ` +
      `${templateSources.join(', ')}${suggestion(source, [], templateSources)}`
    )
  }
  if (endpoints.length === 0) return undefined
  const [first] = path
  if (source === 'body' && endpoints.every(({ accepts }) => accepts.length === 0))
    return `${takers(endpoints)} no body`
  if (source === 'prompt' && endpoints.every(({ promptOf }) => promptOf === undefined))
    return `${takers(endpoints)} no prompt`
  if (source === 'body')
    return missing(
      endpoints.flatMap(({ body }) => body ?? []),
      path,
    )
  if (source === 'query') {
    const queries = endpoints.flatMap(({ query }) => query ?? [])
    return queries.length < endpoints.length ? undefined : missing(queries, path)
  }
  if (source === 'path') {
    const parameters = [...new Set(endpoints.flatMap((endpoint) => parametersOf(endpoint.path)))]
    if (first === undefined || parameters.includes(first)) return undefined
    return `no path parameter ${clip(first, 200)} in ${namesOf(endpoints)}${suggestion(first, parameters)}`
  }
  return source !== 'headers' && path.length > 0 ? `${source} is text and has no fields` : undefined
}

/** A message about the first part of a path that does not exist. */
function missing(schemas: readonly z.ZodType[], path: readonly string[]): string | undefined {
  const { missing: name, known } = descend(schemas, path)
  return name === undefined
    ? undefined
    : `no request has a field ${show(name)} here${suggestion(name, known)}`
}
