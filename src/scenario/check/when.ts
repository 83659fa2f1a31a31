/**
 * Errors in the conditions of a rule, and in its templates: names and values that no request has.
 */
import * as z from 'zod'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { locatedErrors } from '../../protocol/field-errors.ts'
import { canSpeak, patternsOf, type Vocabulary } from '../../protocol/operations.ts'
import { fieldsOf, formsOf, itemsOf, missingPart, parametersOf } from '../../protocol/schema-forms.ts'
import { clip, show } from '../../protocol/wording.ts'
import { isOperators } from '../compile/match-value.ts'
import { isCounted, perJob, perSession } from '../compile/select.ts'
import type { ThenSpec, WhenSpec } from '../format/rule.ts'
import { partsOf, templateSources, templatesIn, textsIn, unclosedTemplate } from '../templates.ts'
import { operators, operatorWords } from '../values.ts'
import { type FileError, type Path, suggestion, wrongKey, wrongValue } from './file-error.ts'

export interface WhenContext {
  readonly path: Path
  /** The operations of the rule; none if unknown. */
  readonly endpoints: readonly Endpoint[]
  readonly vocabulary: Vocabulary
  readonly flags: readonly string[]
  /** The API keys of the scenario; undefined when every key is valid. */
  readonly keys?: readonly string[] | undefined
}

export function* checkWhen(when: WhenSpec, context: WhenContext): Generator<FileError> {
  const { path, endpoints, flags, keys } = context
  const { conversation, key } = when
  const requests = requestSchema(endpoints).extend({
    conversation: z.unknown(),
    flags: namedFields(flags),
  })
  for (const [name, part] of Object.entries(when))
    if (Object.hasOwn(requests.shape, name))
      yield* checkMatcher({ [name]: part }, path, [requests], name === 'flags' ? noFlag : undefined)
  if (typeof key === 'string' && !key.endsWith('*') && keys?.includes(key) === false)
    yield wrongValue([...path, 'key'], `\`keys\` does not list ${show(key)}${suggestion(key, keys)}`)
  const isSpoken = endpoints.length === 0 || endpoints.some(({ speaks }) => speaks !== undefined)
  if (conversation !== undefined && !isSpoken) {
    const spoken = patternsOf(canSpeak, context.vocabulary.all).join(', ')
    const message = `applies only to requests that have a conversation: expected one of ${spoken}`
    yield wrongKey([...path, 'conversation'], message)
  }
}

const noFlag = (name: string): string => `\`flags\` of the scenario does not list ${show(name)}`

/** Errors in `per`: a value that no request has, or that nothing is counted by. */
export function* checkPer(when: WhenSpec, then: ThenSpec, context: WhenContext): Generator<FileError> {
  const { per } = when
  if (per === undefined || per === perSession) return
  const here = [...context.path, 'per']
  const message = per === perJob ? undefined : errorOfName(per, requestSchema(context.endpoints))
  const isFree = isCounted(when) || then.sequence !== undefined
  if (message !== undefined) yield wrongValue(here, message)
  // A rule with a function has an empty `then` here, and may count.
  else if (Object.keys(then).length > 0 && !isFree)
    yield wrongKey(here, 'has no effect without `nth`, `first`, `everyNth`, `times` or a `sequence`')
}

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

function anyOf(schemas: readonly z.ZodType[]): z.ZodType {
  return schemas.length === 0 ? z.unknown() : z.union(schemas)
}

function namedFields(names: readonly string[]): z.ZodObject {
  return z.object(Object.fromEntries(names.map((name) => [name, z.string()])))
}

/** Why no request has the value of a name such as `body.prompt`. */
function errorOfName(name: string, requests: z.ZodObject): string | undefined {
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

/** The maximum number of unknown names reported per object: each needs a search for similar names. */
const maxUnknown = 20

/** The errors of a matcher. One of `against` must fit; without any, every value is possible. */
export function* checkMatcher(
  matcher: unknown,
  path: Path,
  against: readonly z.ZodType[],
  /** The message for an unknown name. */
  absent: (name: string) => string = (name) => `no request has a field ${show(name)} at this path`,
): Generator<FileError> {
  if (matcher === null || typeof matcher !== 'object') return
  const forms = against.flatMap(formsOf)
  if (Array.isArray(matcher)) {
    for (const [index, item] of matcher.entries())
      yield* checkMatcher(item, [...path, index], itemsOf(forms), absent)
    return
  }
  if (isOperators(matcher)) return yield* checkOperators(matcher, path, against, absent)
  const known = fieldsOf(forms)
  let unknown = 0
  for (const [name, part] of Object.entries(matcher)) {
    const here = [...path, name]
    if (known === undefined || known.has(name))
      yield* checkMatcher(part, here, known?.get(name) ?? [], absent)
    else if (operatorWords().includes(name))
      yield wrongKey(here, `the operator ${name} cannot be combined with fields: put it into its own object`)
    else if (unknown++ < maxUnknown)
      yield wrongKey(here, absent(name) + suggestion(name, [...known.keys()], operatorWords()))
  }
}

function* checkOperators(
  written: Readonly<Record<string, unknown>>,
  path: Path,
  against: readonly z.ZodType[],
  absent: (name: string) => string,
): Generator<FileError> {
  const schemas: Readonly<Record<string, z.ZodType>> = operators().shape
  for (const [word, wanted] of Object.entries(written)) {
    const here = [...path, word]
    const { error } = safeParse(schemas[word] as z.ZodType, wanted)
    const [wrong] = error === undefined ? [] : locatedErrors(error.issues, wanted)
    if (wrong !== undefined) yield wrongValue(here, wrong.message)
    else if (word === 'not') yield* checkMatcher(wanted, here, against, absent)
    else if (word === 'anyOf')
      for (const [index, one] of (wanted as readonly unknown[]).entries())
        yield* checkMatcher(one, [...here, index], against, absent)
    else if (word === 'some') yield* checkMatcher(wanted, here, itemsOf(against.flatMap(formsOf)), absent)
    else if (word === 'length') yield* checkMatcher(wanted, here, [], absent)
  }
}
