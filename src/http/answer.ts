/** What every door does between reading a call and writing its reply. */

import type { SimulatorCore } from '../core/simulator.ts'
import type { HeldBytes, IncomingCall } from '../protocol/call.ts'
import type { Match } from '../protocol/router.ts'
import { type RequestContext, type WireReply, writeReply } from './write-reply.ts'

/**
 * The written reply; a promise only when something must be loaded, looked at, awaited or rendered first.
 * `leave` ends the call's arrival.
 */
export function answer(
  core: SimulatorCore,
  call: IncomingCall,
  match: Match,
  asked: RequestContext,
  leave: () => void,
): WireReply | Promise<WireReply> {
  const endpoint = match.kind === 'found' ? match.route.endpoint : undefined
  const missing =
    endpoint?.needs === undefined ? undefined : core.facilities.missing(endpoint.needs(call.payload))
  const unseen = endpoint?.files?.uploads === undefined ? [] : core.pendingUploads(call, match)
  if (missing === undefined && unseen.length === 0 && endpoint?.waitsForInFlight !== true)
    return writeReply(core.answer(call, match), core, asked, match)
  return waitThenAnswer(
    core,
    call,
    match,
    asked,
    missing,
    unseen,
    endpoint?.waitsForInFlight === true ? leave : undefined,
  )
}

async function waitThenAnswer(
  core: SimulatorCore,
  call: IncomingCall,
  match: Match,
  asked: RequestContext,
  missing: Promise<void> | undefined,
  unseen: readonly HeldBytes[],
  leave: (() => void) | undefined,
): Promise<WireReply> {
  await missing
  const inspect = async (held: HeldBytes): Promise<void> => {
    if (held.image !== undefined)
      held.image = await core.media.inspectPixels(held.image, held.content as Uint8Array)
  }
  // Another file may have taken the place of one meanwhile.
  for (let files = unseen; files.length > 0; files = core.pendingUploads(call, match))
    await Promise.all(files.map(inspect))
  if (leave !== undefined) {
    // This call must not wait for itself.
    leave()
    await core.settled()
  }
  return writeReply(core.answer(call, match), core, asked, match)
}

// What may stand in a header that goes out; in-process, nobody has looked at the one that came in.
const headerValue = /^[\t\x20-\x7e]*$/

/** The answer to a browser's preflight, or undefined when this is none. */
export function preflight(
  core: SimulatorCore,
  method: string,
  headers: Readonly<Record<string, string | undefined>>,
  match: Match,
): { status: number; headers: Record<string, string> } | undefined {
  if (method !== 'OPTIONS') return undefined
  const allow = match.kind === 'method' ? match.allowed.join(', ') : 'GET, HEAD, POST, PUT, DELETE, OPTIONS'
  if (!core.settings.cors) return { status: 204, headers: { allow } }
  const asked = headers['access-control-request-headers']
  return {
    status: 204,
    headers: {
      allow,
      'access-control-allow-origin': '*',
      'access-control-allow-methods': allow,
      'access-control-allow-headers': asked !== undefined && headerValue.test(asked) ? asked : '*',
      'access-control-max-age': '86400',
    },
  }
}
