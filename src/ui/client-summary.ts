/** The sentence above a client report, and the requests that the service rejected. */

import { statusOf } from '../exchange/exchange.ts'
import type { ClientReport, LiveCall } from '../generated/control-types.ts'
import { counted } from '../text/printable.ts'

/** `2 errors, 1 hint in 14 requests.` */
export function summaryOf({ requests, errors, warnings, hints }: ClientReport): string {
  const counts = [
    [errors, 'error'],
    [warnings, 'warning'],
    [hints, 'hint'],
  ] as const
  const found = counts.filter(([count]) => count > 0).map(([count, word]) => counted(count, word))
  return `${found.length === 0 ? 'No findings' : found.join(', ')} in ${counted(requests, 'request')}.`
}

/** The rejected requests of a session, grouped by operation, status and reason; the largest group first. */
export function rejectedIn(calls: readonly LiveCall[], session: string): readonly (readonly LiveCall[])[] {
  const groups = new Map<string, LiveCall[]>()
  for (const call of calls) {
    const { operation, cause, request } = call
    const { rejection, violations, unmatched, rule, decidedBy } = cause
    // The client did not cause the rejections of rules, faults and settings.
    if (call.session !== session || rejection === undefined || unmatched) continue
    if ((rule ?? decidedBy) !== undefined) continue
    const { type, param } = rejection
    const name = operation ?? `${request.method} ${request.url}`
    const key = JSON.stringify([name, statusOf(call), type, param, violations])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [call])
    else group.push(call)
  }
  return [...groups.values()].sort((a, b) => b.length - a.length)
}
