/** What `serve`, `watch`, `journal` and `clock` say about requests that a breakpoint holds. */
import { formatDuration } from '../engine/duration.ts'
import { type HoldChange, heldPlace } from '../exchange/holding.ts'
import { escapeControls } from '../text/printable.ts'

export interface HeldCall {
  readonly id: string
  readonly breakpoint: string
  readonly phase: 'request' | 'response' | 'event'
  readonly operation: string
  readonly session: string
  readonly seq: number | null
  readonly event: { readonly index: number; readonly total: number } | null
}

const callText = ({ operation, seq }: HeldCall): string =>
  escapeControls(`${operation}${seq === null ? '' : ` #${seq}`}`)

/** `held by breakpoint-1 before its response: chat.create #12, session default` */
export const heldText = (held: HeldCall): string =>
  escapeControls(`held by ${held.breakpoint} ${heldPlace(held)}: ${callText(held)}, session ${held.session}`)

/** `control` is the URL of the control API. */
export const releaseText = ({ id }: HeldCall, control: string): string =>
  escapeControls(`release it at ${control}/ui/#/breakpoints or with POST ${control}/held/${id}`)

const endTexts: Readonly<Record<Exclude<HoldChange, 'held'>, string>> = {
  continue: 'released',
  change: 'released with a change',
  cut: 'cut',
  end: 'ended by a reset',
  left: 'released, because the client left',
}

/** A line for each request that is held or goes on; undefined for one that was not seen before. */
export function createHoldLines(control: string) {
  const seen = new Map<string, number>()
  return (held: HeldCall, change: HoldChange): string | undefined => {
    if (change === 'held') {
      seen.set(held.id, performance.now())
      return `${heldText(held)}; the session's clock is stopped; ${releaseText(held, control)}`
    }
    const since = seen.get(held.id)
    if (!seen.delete(held.id) || since === undefined) return undefined
    const ms = performance.now() - since
    const after = formatDuration(ms < 1000 ? ms : Math.round(ms / 1000) * 1000)
    return `${endTexts[change]} after ${after}: ${callText(held)} (${escapeControls(held.breakpoint)})`
  }
}
