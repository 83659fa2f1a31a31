/**
 * What browsers are told of who may call from a page: anybody the service, nobody unnamed the control API.
 */
import type { SimulatorCore } from '../core/simulator.ts'
import { isInternal, type Match } from '../protocol/router.ts'

type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Lets a page read a reply of the control API, if its origin is allowed. */
export function allowNamedOrigin(
  reply: Record<string, string>,
  { controlGuard }: SimulatorCore,
  { origin }: RequestHeaders,
): void {
  // A cache must not hand the reply for one page to another.
  reply['vary'] = 'origin'
  if (origin === undefined || !controlGuard.allowsOrigin(origin)) return
  reply['access-control-allow-origin'] = origin
  reply['access-control-expose-headers'] = '*'
}

// What may stand in a header that goes out; in-process, nobody has looked at the one that came in.
const headerValue = /^[\t\x20-\x7e]*$/

/** The answer to a browser's preflight. */
export function answerPreflight(
  core: SimulatorCore,
  headers: RequestHeaders,
  match: Match,
): { readonly status: number; readonly headers: Record<string, string> } {
  const allow = match.kind === 'method' ? match.allowed.join(', ') : 'GET, HEAD, POST, PUT, DELETE, OPTIONS'
  const reply: Record<string, string> = { allow }
  if (isInternal(match)) allowNamedOrigin(reply, core, headers)
  else if (core.settings.cors) reply['access-control-allow-origin'] = '*'
  if (reply['access-control-allow-origin'] !== undefined) {
    const asked = headers['access-control-request-headers']
    reply['access-control-allow-methods'] = allow
    reply['access-control-allow-headers'] = asked !== undefined && headerValue.test(asked) ? asked : '*'
    reply['access-control-max-age'] = '86400'
  }
  return { status: 204, headers: reply }
}
