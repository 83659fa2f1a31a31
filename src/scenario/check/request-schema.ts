/** The names that requests have, for conditions and templates. */
import * as z from 'zod'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { missingPart, parametersOf } from '../../protocol/schema-forms.ts'
import { clip, show } from '../../protocol/wording.ts'
import { partsOf, templateSources, templatesIn, textsIn, unclosedTemplate } from '../templates.ts'
import { type FileError, type Path, suggestion, wrongValue } from './finding.ts'

/** The possible requests for some operations, with the names of `when` and templates; without any, all. */
export function requestSchema(endpoints: readonly Endpoint[]): z.ZodObject {
  const bodies = endpoints.flatMap(({ body, accepts }) => (accepts.includes('bytes') ? [] : (body?.() ?? [])))
  const queries = endpoints.flatMap(({ query }) => query?.() ?? [])
  const parameters = endpoints.flatMap(({ path }) => parametersOf(path))
  const hasBody = endpoints.length === 0 || endpoints.some(({ accepts }) => accepts.length > 0)
  return z.object({
    body: hasBody ? anyOf(bodies) : z.strictObject({}),
    // Most operations declare no query and ignore it.
    query: queries.length < endpoints.length ? z.unknown() : anyOf(queries),
    path: endpoints.length === 0 ? z.unknown() : namedFields(parameters),
    headers: z.unknown(),
    key: z.string(),
    model: z.string(),
    prompt: z.string(),
  })
}

export function anyOf(schemas: readonly z.ZodType[]): z.ZodType {
  return schemas.length === 0 ? z.unknown() : z.union(schemas)
}

export function namedFields(names: readonly string[]): z.ZodObject {
  return z.object(Object.fromEntries(names.map((name) => [name, z.string()])))
}

/** Why no request has the value of a name such as `body.prompt`. */
export function errorOfName(name: string, requests: z.ZodObject): string | undefined {
  const [source = '', ...path] = partsOf(name)
  if (!templateSources.includes(source))
    return (
      `expected a request value that starts with one of ${templateSources.join(', ')}, such as body.prompt` +
      suggestion(source, [], templateSources)
    )
  const missing = missingPart([requests], [source, ...path])
  if (missing === undefined) return undefined
  return `no request has a field ${show(missing.name)} at this path${suggestion(missing.name, missing.known)}`
}

/** The errors of all templates inside a value. */
export function* checkTemplates(value: unknown, path: Path, requests: z.ZodObject): Generator<FileError> {
  for (const { text, at } of textsIn(value, path)) {
    for (const name of templatesIn(text)) {
      const message = errorOfName(name, requests)
      if (message !== undefined) yield wrongValue(at, `\${${clip(name, 200)}}: ${message}`)
    }
    const open = unclosedTemplate(text)
    if (open !== undefined)
      yield wrongValue(at, `${show(open)} has no closing brace: expected a value such as \${body.prompt}`)
  }
}
