/** Requests of a running simulator as lines, as `serve` logs them. */
import type { SimulatorClient } from '../../client.ts'
import { rejectionReason } from '../../protocol/wording.ts'
import type { Paint } from '../../text/paint.ts'
import { counted, escapeControls } from '../../text/printable.ts'
import { prettyCall } from '../call-log.ts'

/** What an entry of the journal and a request of the feed have in common. */
export interface ShownCall {
  readonly seq: number
  readonly at: string
  readonly session: string
  readonly requestId: string
  readonly operation: string | null
  readonly method: string
  readonly path: string
  readonly status: number
  readonly decidedBy: string | null
  readonly faults: readonly string[]
  readonly unmatched: boolean
  readonly rejection: { readonly type: string; readonly param?: string | undefined } | null
  readonly violations: readonly { readonly field: string; readonly message: string }[]
  readonly ended: string
  readonly eventCount: number
}

export function callLine(call: ShownCall, paint: Paint): string {
  const { operation, decidedBy, ended, eventCount } = call
  const line = prettyCall(
    {
      ...call,
      at: Date.parse(call.at),
      method: escapeControls(call.method),
      session: escapeControls(call.session),
      requestId: escapeControls(call.requestId),
      operation: operation === null ? undefined : escapeControls(operation),
      decidedBy: decidedBy ?? undefined,
    },
    paint,
  )
  const after = eventCount === 0 ? '' : ` after ${counted(eventCount, 'event')}`
  return isCut(call) ? line + paint('yellow', ` ${ended}${after}`) : line
}

/** Whether the response was cut by the client or a fault. */
export const isCut = ({ ended }: Pick<ShownCall, 'ended'>): boolean =>
  ended === 'aborted' || ended === 'disconnected'

/** What `--failed` selects. */
export function hasFailed(call: ShownCall): boolean {
  return call.status >= 400 || call.status === 0 || isCut(call) || call.unmatched
}

/**
 * Why a request was rejected or matched no rule; undefined for other requests. Asks the simulator for what
 * the call does not contain: the closest rule, or the message of the response.
 */
export async function reasonOf(
  { seq, requestId, unmatched, decidedBy, rejection, violations }: ShownCall,
  client: SimulatorClient,
): Promise<string | undefined> {
  if (unmatched) {
    const { because, rules } = await client.explainRequest(seq)
    return rules[0] === undefined ? because : `${because} Closest: ${rules[0].sentence}`
  }
  if (rejection === null || decidedBy !== null) return undefined
  const [entry] = violations.length > 0 ? [] : await client.journal({ requestId, limit: 1 })
  return rejectionReason(rejection, violations, entry?.response)
}
