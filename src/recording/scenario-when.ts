/** What tells the requests of one operation apart, in as few conditions as possible. */
import { isFields } from '../engine/fields.ts'
import { readBodyFacts } from '../protocol/body-facts.ts'
import { bodyOf, turnsOf } from '../scenario/condition-facts.ts'
import { type ComparedRequest, comparedQuery, omittedOf, without } from './play-request.ts'

/** A field of a request that a condition can name. */
interface Fact {
  /** Where `when` says it: `conversation.lastUser`, `body.temperature`. */
  readonly path: readonly string[]
  readonly value: unknown
}

/** A request with its fields; `redacted` is what was taken out of it. */
export function factsOf(request: ComparedRequest, redacted: readonly string[]): ReadonlyMap<string, Fact> {
  const omitted = omittedOf(redacted)
  const { route, params, query } = request
  const payload = without(request.payload, omitted.body)
  const facts = new Map<string, Fact>()
  const add = (path: readonly string[], value: unknown): void =>
    void (value === undefined || facts.set(path.join(' '), { path, value }))
  const body = bodyOf(payload)
  if (route?.endpoint.speaks !== undefined) {
    const { turn, toolResult } = turnsOf(payload)
    add(['conversation', 'lastUser'], readBodyFacts(payload, route.endpoint).prompt)
    add(['conversation', 'turn'], turn)
    add(['conversation', 'toolResult'], toolResult)
  }
  for (const [name, value] of Object.entries(isFields(body) ? body : {}))
    if (!omitted.body.some(([first]) => first === name))
      add(name === 'model' ? ['model'] : ['body', name], value)
  for (const [name, value] of Object.entries(params)) add(['path', name], value)
  for (const [name, value] of comparedQuery(query, omitted)) add(['query', name], value)
  return facts
}

/** The conditions that hold for `own` and for none of the others. */
export function whenApart(
  own: ReadonlyMap<string, Fact>,
  others: readonly ReadonlyMap<string, Fact>[],
): Record<string, unknown> {
  const when: Record<string, unknown> = {}
  let left = others
  while (left.length > 0) {
    let best: Fact | undefined
    let same = left
    for (const name of new Set([...own.keys(), ...left.flatMap((other) => [...other.keys()])])) {
      const fact = own.get(name) ?? { path: name.split(' '), value: undefined }
      const alike = left.filter((other) => textOf(other.get(name)?.value) === textOf(fact.value))
      if (alike.length >= same.length) continue
      best = fact
      same = alike
    }
    // They say the same in all that a condition can name.
    if (best === undefined) return when
    const [first = '', ...rest] = best.path
    const shape = shapeOf(best.value)
    when[first] =
      rest.length === 0 ? shape : { ...(when[first] as object | undefined), [rest.join(' ')]: shape }
    left = same
  }
  return when
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? ''

function shapeOf(value: unknown): unknown {
  if (value === undefined) return { exists: false }
  const isPlain = value === null || typeof value !== 'object'
  return isPlain && !(typeof value === 'string' && value.endsWith('*')) ? value : { equals: value }
}
