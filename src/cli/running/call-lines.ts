/** Requests of a running simulator as lines: `watch` and `journal` print them as `serve` logs them. */
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
  const line = prettyCall(
    {
      ...call,
      at: Date.parse(call.at),
      method: escapeControls(call.method),
      session: escapeControls(call.session),
      requestId: escapeControls(call.requestId),
      operation: call.operation === null ? undefined : escapeControls(call.operation),
      decidedBy: call.decidedBy ?? undefined,
    },
    paint,
  )
  return line + paint('yellow', endOf(call))
}

/** Whether the response was cut by the client or a fault. */
export const isCut = ({ ended }: Pick<ShownCall, 'ended'>): boolean =>
  ended === 'aborted' || ended === 'disconnected'

/** How a response was cut: ` aborted after 3 events`. */
function endOf(call: ShownCall): string {
  if (!isCut(call)) return ''
  return ` ${call.ended}${call.eventCount === 0 ? '' : ` after ${counted(call.eventCount, 'event')}`}`
}

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
