/** The sentence above a client report, and the requests that the service rejected. */
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
    const { rejection, rule, decidedBy, unmatched, operation, method, path, status, violations } = call
    // The client did not cause the rejections of rules, faults and settings.
    if (call.session !== session || rejection === null || unmatched || (rule ?? decidedBy) !== null) continue
    const { type, param } = rejection
    const key = JSON.stringify([operation ?? `${method} ${path}`, status, type, param, violations])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [call])
    else group.push(call)
  }
  return [...groups.values()].sort((a, b) => b.length - a.length)
}
