/** Requests of a running simulator as lines, as `serve` logs them. */
import type { Cause } from '../../exchange/exchange.ts'
import type { Paint } from '../../text/paint.ts'
import { counted, escapeControls } from '../../text/printable.ts'
import { prettyCall } from '../call-log.ts'

interface ShownCall {
  readonly seq: number
  readonly at: string
  readonly session: string
  readonly operation?: string | undefined
  readonly request: { readonly method: string; readonly url: string }
  readonly response?: { readonly status: number; readonly eventCount?: number | undefined } | undefined
  readonly ended: string
  readonly cause: Pick<Cause, 'requestId' | 'decidedBy' | 'faults'>
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
  const isCut = ended === 'aborted' || ended === 'disconnected'
  return isCut ? line + paint('yellow', ` ${ended}${after}`) : line
}
