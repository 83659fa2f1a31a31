/** Requests of a running simulator as lines, as `serve` logs them. */
import type { SimulatorClient } from '../../client.ts'
import type { Cause } from '../../exchange/exchange.ts'
import { rejectionReason } from '../../protocol/wording.ts'
import type { Paint } from '../../text/paint.ts'
import { counted, escapeControls } from '../../text/printable.ts'
import { prettyCall } from '../call-log.ts'

/** What an entry of the journal and a request of the feed have in common. */
export interface ShownCall {
  readonly seq: number
  readonly at: string
  readonly session: string
  readonly operation?: string | undefined
  readonly request: { readonly method: string; readonly url: string }
  readonly response?: { readonly status: number; readonly eventCount?: number | undefined } | undefined
  readonly ended: string
  readonly cause: Pick<Cause, 'requestId' | 'decidedBy' | 'faults' | 'unmatched' | 'violations'> & {
    readonly rejection?: { readonly type: string; readonly param?: string | undefined } | undefined
  }
}

export function callLine(call: ShownCall, paint: Paint): string {
  const { session, operation, request, response, cause, ended } = call
  const line = prettyCall(
    {
      at: Date.parse(call.at),
      method: escapeControls(request.method),
      path: request.url,
      status: response?.status ?? 0,
      session: escapeControls(session),
      requestId: escapeControls(cause.requestId),
      operation: operation === undefined ? undefined : escapeControls(operation),
      decidedBy: cause.decidedBy,
      faults: cause.faults,
    },
    paint,
  )
  const events = response?.eventCount ?? 0
  const after = events === 0 ? '' : ` after ${counted(events, 'event')}`
  return isCut(call) ? line + paint('yellow', ` ${ended}${after}`) : line
}

/** Whether the response was cut by the client or a fault. */
export const isCut = ({ ended }: Pick<ShownCall, 'ended'>): boolean =>
  ended === 'aborted' || ended === 'disconnected'

/** What `--failed` selects. */
export function hasFailed(call: ShownCall): boolean {
  const { status = 0 } = call.response ?? {}
  return status >= 400 || status === 0 || isCut(call) || call.cause.unmatched
}

/**
 * Why a request was rejected or matched no rule; undefined for other requests. Asks the simulator for what
 * the call does not contain: the closest rule, or the message of the response.
 */
export async function reasonOf(
  { seq, cause: { unmatched, decidedBy, rejection, violations } }: ShownCall,
  client: SimulatorClient,
): Promise<string | undefined> {
  if (unmatched) {
    const { because, rules } = await client.explainRequest(seq)
    return rules[0] === undefined ? because : `${because} Closest: ${rules[0].sentence}`
  }
  if (rejection === undefined || decidedBy !== undefined) return undefined
  const [entry] = violations.length > 0 ? [] : await client.journal({ seq, limit: 1 })
  return rejectionReason(rejection, violations, entry?.response?.body?.text)
}
