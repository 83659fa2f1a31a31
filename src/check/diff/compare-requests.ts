/** Compares the statuses and errors that requests received in two recordings. */
import { grouped, isFields } from '../../engine/fields.ts'
import type { RecordedCall } from '../judge-recording.ts'
import { type Compared, type Found, list } from './compare-responses.ts'
import type { KeyedCall } from './same-request.ts'
import { formOf, mediaTypeOf, type Traffic } from './traffic.ts'

type Calls = readonly RecordedCall[]

/** Equal requests are compared first; others with all requests that have the same fields. */
export function compareRequests(a: Traffic, b: Traffic): Compared {
  const differs: Found[] = []
  const chance: string[] = []
  const add = (before: Calls, after: Calls, isSame: boolean): void => {
    const errors = errorsOf(before, after)
    differs.push(...statusOf(before, after, isSame), ...errors.differs)
    chance.push(...errors.chance)
  }
  for (const [key, before] of a.same) {
    const after = b.same.get(key)
    if (after === undefined) continue
    add(before, after, true)
    differs.push(...mediaTypesOf(before, after))
  }
  for (const [key, before] of a.alike) {
    const after = (b.alike.get(key) ?? []).filter(({ same }) => !a.same.has(same))
    if (after.length > 0) add(before, after, false)
  }
  return { differs, chance }
}

/** Other requests count only if there are no such ones: `check` itself requests the list of models. */
export function inContract(calls: Calls): Calls {
  const own = calls.filter(({ route }) => route.endpoint.extension === undefined)
  return own.length > 0 ? own : calls
}

export const isLimited = ({ response }: RecordedCall): boolean => response.status === 429

const comparable = (calls: Calls): Calls => calls.filter((call) => !isLimited(call))

/** Equally many responses to equal requests are compared in order; else only new statuses matter. */
function statusOf(a: Calls, b: Calls, isSame: boolean): Found[] {
  // A rate limit is a coincidence.
  const [before, after] = [comparable(a), comparable(b)]
  const [first] = before
  if (first === undefined) return []
  const [was, is] = [before.map(statusIn), after.map(statusIn)]
  const [seen, now] = [new Set(was), new Set(is)]
  const inOrder = isSame && was.length === is.length && changes(was) !== changes(is)
  const at = is.findIndex((status, index) => (inOrder ? status !== was[index] : !seen.has(status)))
  const changed = after[at]
  if (changed === undefined) return []
  const gone = before.filter((call) => !now.has(statusIn(call)))
  const fresh = [...now].filter((status) => !seen.has(status))
  const old = inOrder ? before[at] : (gone[0] ?? first)
  const calls = [old as RecordedCall, changed] as const
  const texts =
    inOrder && fresh.length === 0
      ? [String(was[at]), String(is[at])]
      : [list(gone.length === 0 ? seen : new Set(gone.map(statusIn))), list(fresh)]
  return [found(calls, 'status', 'status', texts), ...(isSame ? otherErrors(calls) : [])]
}

const statusIn = ({ response }: RecordedCall): number => response.status

/** A series without repetitions: polls and retries do not count. */
const changes = (statuses: readonly number[]): string =>
  statuses.filter((status, index) => status !== statuses[index - 1]).join()

function found(calls: Found['calls'], what: Found['what'], place: string, texts: readonly string[]): Found {
  const [before = '', after = ''] = texts
  return { operation: calls[0].route.endpoint.operation, what, place, before, after, calls }
}

/** Clients branch on these values, although the contract does not list them. */
const errorFields = ['type', 'code'] as const

function errorIn({ json }: RecordedCall, field: string): string | undefined {
  const error = isFields(json) ? json['error'] : undefined
  const value = isFields(error) ? error[field] : undefined
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}

/** The error of a rejection that has another status now. */
function otherErrors(calls: Found['calls']): Found[] {
  const [was, is] = calls.map(statusIn) as [number, number]
  if (was < 400 || is < 400) return []
  return errorFields.flatMap((field) => {
    const [before = 'absent', after = 'absent'] = calls.map((call) => errorIn(call, field))
    const place = `rejection ${was} → ${is} /error/${field}`
    return before === after ? [] : [found(calls, 'values', place, [before, after])]
  })
}

/** Errors with the same status. Some values in common: a coincidence. */
function errorsOf(a: Calls, b: Calls): Compared {
  const differs: Found[] = []
  const chance: string[] = []
  const rejected = (calls: Calls): Map<number, RecordedCall[]> =>
    grouped(
      calls.filter((call) => statusIn(call) >= 400),
      statusIn,
    )
  const others = rejected(b)
  for (const [status, was] of rejected(a))
    for (const field of errorFields) {
      const [seen, is] = [valuesOf(was, field), valuesOf(others.get(status) ?? [], field)]
      const fresh = [...is].filter(([value]) => !seen.has(value))
      const [[, old] = [], [, changed] = []] = [[...seen][0], fresh[0]]
      if (old === undefined || changed === undefined) continue
      const place = `rejection ${status} /error/${field}`
      const [before, after] = [list(seen.keys()), list(fresh.map(([value]) => value))]
      if (fresh.length === is.size) differs.push(found([old, changed], 'values', place, [before, after]))
      else chance.push(`${old.route.endpoint.operation}: ${place} was ${before}, now also ${after}`)
    }
  return { differs, chance }
}

/** The values of a field of errors, with the first call of each. */
function valuesOf(calls: Calls, field: string): Map<string, RecordedCall> {
  const values = new Map<string, RecordedCall>()
  for (const call of calls) {
    const value = errorIn(call, field)
    if (value !== undefined && !values.has(value)) values.set(value, call)
  }
  return values
}

/** A JSON body in place of a stream, or the reverse: nothing else in them can be compared. */
function mediaTypesOf(a: Calls, b: Calls): Found[] {
  const [before, after] = [a, b].map((calls) => calls.filter((call) => formOf(call) !== 'rejection'))
  const forms = new Set(before?.map(formOf))
  const [old] = before ?? []
  const [changed] = after ?? []
  if (old === undefined || changed === undefined || after?.some((call) => forms.has(formOf(call)))) return []
  const texts = [old, changed].map(({ response }) => mediaTypeOf(response))
  return [found([old, changed], 'header', 'content-type', texts)]
}

/** How many of the calls have no counterpart, although the other recording has their operation. */
export function unmatched(calls: readonly KeyedCall[], { alike, times }: Traffic): number {
  return calls.filter((call) => !alike.has(call.alike) && times.has(call.route.endpoint.operation)).length
}

/** The operations with statuses to compare. */
export function comparedOperations(a: Traffic, b: Traffic): number {
  const counting = new Set<RecordedCall>(inContract([...a.alike.values(), ...b.alike.values()].flat()))
  const has = (calls: Calls = []): boolean => comparable(calls).some((call) => counting.has(call))
  const compared = [...a.alike].filter(([key, calls]) => has(calls) && has(b.alike.get(key)))
  return new Set(compared.map(([, [call]]) => call?.route.endpoint.operation)).size
}
