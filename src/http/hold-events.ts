/** Streams whose events a breakpoint holds one by one. */
import type { Breakpoint, EventChange, HeldEvent, Stop } from '../control/breakpoints.ts'
import type { SimulatorCore } from '../core/simulator.ts'
import { joinBytes } from '../engine/bytes.ts'
import type { Chunk } from '../protocol/chunks.ts'
import type { EventGate, HeldPlayer, RequestContext, WireResponse } from './request-context.ts'

export const cutReason = (): Error => new Error('the connection was cut at a breakpoint')

interface Exchange {
  readonly core: SimulatorCore
  readonly request: RequestContext
}

/** A stream with a breakpoint before each event; undefined for other responses. */
export function gateEvents({ core, request }: Exchange, response: WireResponse): WireResponse | undefined {
  const { playback, answered, status } = response
  if (playback === undefined || playback.gate !== undefined || answered.response.body.kind !== 'events')
    return
  const { entry, session } = answered
  const { method, path } = request
  const stop: Omit<Stop, 'whenGone'> = {
    phase: 'event',
    sandbox: session.sandbox,
    operation: entry.operation ?? '',
    method,
    path,
    request: entry.request.body?.text,
    entry,
    response: { status, body: undefined },
  }
  const breakpoint = core.breakpoints.fitting(stop)
  if (breakpoint === undefined) return
  if (breakpoint.left !== undefined) breakpoint.left--
  const chunks = [...playback.chunks]
  const change = (at: number, end: number, index: number, data: string): void => {
    const { event, isPlain, count } = eventIn(chunks.slice(at, end))
    const frame = isPlain ? framed(event, data) : data
    const isOneLine = isPlain && !/[\r\n]/.test(data)
    chunks.splice(at, end - at, ...replaced(chunks.slice(at, end), frame))
    entry.changeCause({ decidedBy: { kind: 'breakpoint' } })
    if (count === 1) entry.changeEvent(index, data, isOneLine ? undefined : frame)
  }
  const gate = createGate(core, breakpoint, stop, { chunks, change })
  return { ...response, playback: { ...playback, chunks, gate } }
}

interface Events {
  readonly chunks: readonly Chunk[]
  /** Sends other data instead of the event in a range of chunks. */
  change(at: number, end: number, index: number, data: string): void
}

function createGate(
  core: SimulatorCore,
  breakpoint: Breakpoint,
  stop: Omit<Stop, 'whenGone'>,
  { chunks, change }: Events,
): EventGate {
  const total = chunks.reduce((sum, { events }) => sum + events, 0)
  let index = 0
  let admitted = 0
  const hold = (at: number, end: number, player: HeldPlayer): boolean => {
    const { event, data, count } = eventIn(chunks.slice(at, end))
    const before = index
    index += count
    if (data === '') return false
    const shown: HeldEvent = { index: before, total, event, data }
    const whenGone = (task: () => void): void => {
      player.onGone = task
    }
    const settled = core.callStarted({ session: stop.sandbox.name })
    const isHeld = core.breakpoints.holdAt(breakpoint, { ...stop, event: shown, whenGone }, (decision) => {
      const { action } = decision
      if (action === 'cut') player.stop(cutReason())
      if (action === 'change') {
        const { data: other, toEnd }: EventChange = decision
        if (other !== undefined) change(at, end, before, other)
        if (toEnd === true) admitted = chunks.length
      }
      if (action !== 'end') player.play()
      // Only now: the next event may be held already.
      settled()
    })
    if (!isHeld) settled()
    return isHeld
  }
  return {
    admit(at, player) {
      if (at < admitted) return admitted
      admitted = endOfEvent(chunks, at)
      return hold(at, admitted, player) ? at : admitted
    },
  }
}

/** The end of the event that begins in a chunk; of the body, if it is cut before. */
function endOfEvent(chunks: readonly Chunk[], at: number): number {
  for (let end = at; end < chunks.length; end++) if ((chunks[end] as Chunk).events > 0) return end + 1
  return chunks.length
}

const plainFrame = /^(?:event: ([^\n]*)\n)?data: ([^\n]*)\n\n$/

/** What some chunks send. */
function eventIn(chunks: readonly Chunk[]) {
  const contents = chunks.map(({ content }) => content)
  const text = contents.every((content) => typeof content === 'string')
    ? contents.join('')
    : new TextDecoder().decode(joinBytes(contents as readonly Uint8Array[]))
  const [, event, data] = plainFrame.exec(text) ?? []
  const count = chunks.reduce((sum, { events }) => sum + events, 0)
  return { event, data: data ?? text, isPlain: data !== undefined, count }
}

function framed(event: string | undefined, data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`
}

/** The same chunks with another content, all of it in the first. */
function replaced(chunks: readonly Chunk[], frame: string): Chunk[] {
  return chunks.map((chunk, at) => {
    const content = at === 0 ? frame : ''
    return {
      ...chunk,
      content: typeof chunk.content === 'string' ? content : new TextEncoder().encode(content),
    }
  })
}
