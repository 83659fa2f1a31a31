/** Timed responses: delayed, played chunk by chunk, and cut by faults. */
import type { AnsweredCall } from '../core/call-state.ts'
import type { SimulatorCore } from '../core/simulator.ts'
import { joinBytes } from '../engine/bytes.ts'
import {
  type ByteChunk,
  bodyStages,
  type Chunk,
  type Cut,
  sizeOf,
  type WireFault,
} from '../protocol/chunks.ts'
import type { LiveBody } from '../protocol/response.ts'
import type { HeldPlayer, Hold, Playback } from './request-context.ts'
import { waitsOnClock, watchClock } from './warnings.ts'

/** Where a response goes: a socket, or a web stream. */
export interface Sink {
  /** `apart`: the client reads it separately from earlier writes. */
  write(content: string | Uint8Array, apart: boolean): void
  end(): void
  /** Breaks the connection after the written data; the client must notice. */
  fail(reason: Error, how: 'close' | 'reset'): void
  /** The bytes that the client has not taken yet. */
  backlog(): number
}

/** Called once, with the part of the response text that the journal keeps. */
export type OnEnd = (how: 'completed' | 'aborted' | 'disconnected', text: string | undefined) => void

/** Plays a response into a sink. Returns a function to call when the client disconnects. */
export function playResponse(
  playback: Playback,
  exchange: AnsweredCall,
  sink: Sink,
  onEnd: OnEnd,
  warn: (message: string) => void,
): () => void {
  if (playback.live !== undefined) return playLive(playback.live, sink, onEnd)
  const { session, entry, response } = exchange
  const { clock } = session.sandbox
  const { chunks, ending, gate } = playback
  const transcript = new Transcript()
  let due = exchange.startedAt + (response.delay ?? 0)
  let at = 0
  let cancel: (() => void) | undefined
  let finished = false
  const isFrozen = (): boolean => clock.mode === 'manual' || clock.frozen
  const watch =
    gate === undefined && isFrozen()
      ? watchClock(() => clock.now(), warn, waitsOnClock(entry.request.url))
      : undefined

  /** `when` it ends; in the mode `auto`, the clock does not show it. */
  const finish = (how: Parameters<OnEnd>[0], when = Math.max(due, clock.now())): void => {
    if (finished) return
    finished = true
    if (how !== 'completed') entry.endOffset = when - exchange.startedAt
    cancel?.()
    watch?.()
    session.open.delete(stop)
    onEnd(how, playback.text ? transcript.text : undefined)
    if (how === 'aborted') player.onGone?.()
  }
  const stop = (reason: Error): void => {
    if (finished) return
    finish('disconnected')
    sink.fail(reason, 'close')
  }
  const end = (): void => {
    // A stalled response never continues.
    if (ending === 'stall') {
      entry.endOffset = due - exchange.startedAt
      return watch?.()
    }
    finish(playback.whole ? 'completed' : 'disconnected', due)
    if (ending === 'end') sink.end()
    else sink.fail(new Error('a fault disconnected the client'), ending)
  }
  const write = ({ content, events, apart }: Chunk): void => {
    if (content.length > 0) {
      if (playback.text) transcript.add(content)
      sink.write(content, apart)
    }
    entry.eventCount += events
  }
  const playDue = (): void => {
    entry.waitsUntil = undefined
    while (!finished) {
      const now = clock.mode === 'auto' ? Number.POSITIVE_INFINITY : clock.now()
      const first = at
      const coming = chunks[at]
      const isGated = gate !== undefined && coming !== undefined && due + coming.after <= now
      const limit = isGated ? gate.admit(at, player) : chunks.length
      if (isGated && limit === at) return
      for (let chunk = chunks[at]; chunk !== undefined && due + chunk.after <= now; chunk = chunks[at]) {
        if ((chunk.apart && at > first) || at === limit) break
        due += chunk.after
        at++
      }
      const next = chunks[at]
      if (at > first) write(merged(chunks, first, at))
      if (finished) return
      if (next === undefined) return end()
      if (due + next.after > now) {
        if (isFrozen()) entry.waitsUntil = endOf(chunks, at, due)
        cancel = clock.at(due + next.after, playDue)
        return
      }
    }
  }

  const player: HeldPlayer = { onGone: undefined, play: playDue, stop }
  session.open.add(stop)
  playDue()
  return () => finish('aborted')
}

/** When the last chunk is due. */
function endOf(chunks: readonly Chunk[], from: number, due: number): number {
  let end = due
  for (let at = from; at < chunks.length; at++) end += (chunks[at] as Chunk).after
  return end
}

/**
 * How often a live body is read, and after how long without news a comment keeps the connection open: proxies
 * often close one that is silent for five seconds.
 */
const liveMs = 100
const keepAliveMs = 4000
/** A client that has not taken this many bytes gets no more until it has. */
const maxBacklog = 1_000_000

function playLive({ read, readers }: LiveBody, sink: Sink, onEnd: OnEnd): () => void {
  let silence = 0
  const tick = (): void => {
    if (sink.backlog() > maxBacklog) return
    const news = read()
    silence = news.length === 0 ? silence + liveMs : 0
    if (news.length > 0) sink.write(news, false)
    else if (silence % keepAliveMs === 0) sink.write(':\n\n', false)
  }
  tick()
  const { reads } = readers
  reads.add(tick)
  if (readers.stop === undefined) {
    const timer = setInterval(() => {
      for (const one of reads) one()
    }, liveMs)
    readers.stop = () => clearInterval(timer)
  }
  return () => {
    reads.delete(tick)
    if (reads.size === 0) {
      readers.stop?.()
      readers.stop = undefined
    }
    onEnd('aborted', undefined)
  }
}

/** Joins chunks that are due at the same time. A body is all text or all bytes. */
function merged(chunks: readonly Chunk[], from: number, to: number): Chunk {
  const first = chunks[from] as Chunk
  if (to === from + 1) return first.content.length > 0 ? first : { ...first, events: 0 }
  const batch = chunks.slice(from, to)
  const contents = batch.map(({ content }) => content)
  return {
    ...first,
    content: typeof first.content === 'string' ? contents.join('') : joinBytes(contents as Uint8Array[]),
    // A chunk without content is only a delay.
    events: batch.reduce((sum, { content, events }) => sum + (content.length > 0 ? events : 0), 0),
  }
}

/** The beginning of a response's text, for the journal. */
class Transcript {
  static readonly #maxLength = 64 * 1024
  #decoder: InstanceType<typeof TextDecoder> | undefined
  text = ''

  add(content: string | Uint8Array): void {
    if (this.text.length >= Transcript.#maxLength) return
    this.text +=
      typeof content === 'string'
        ? content
        : (this.#decoder ??= new TextDecoder()).decode(content, { stream: true })
  }
}

/** What happens to a delayed response. */
interface HeldResponse {
  /** The delay is over: send it, and call `firstByteSent` when its first byte leaves. */
  release(firstByteSent: () => void): void
  /** The connection breaks without a response. */
  breakOff(reason: Error): void
}

/** Delays a response. Returns a function to call if the client disconnects before it is sent. */
export function holdResponse(
  { delay, then }: Hold,
  { session, entry, startedAt }: AnsweredCall,
  core: Pick<SimulatorCore, 'callStarted' | 'warn'>,
  held: HeldResponse,
): () => void {
  const { clock, journal } = session.sandbox
  let over = false
  let cancel: (() => void) | undefined
  let watch: (() => void) | undefined

  const finish = (): boolean => {
    if (over) return false
    over = true
    cancel?.()
    watch?.()
    session.open.delete(stop)
    return true
  }
  const stop = (reason: Error): void => {
    if (!finish()) return
    journal.close(entry, 'disconnected', undefined)
    held.breakOff(reason)
  }
  const patience = (message: string): void => {
    watch?.()
    if (clock.mode === 'manual' || clock.frozen) watch = watchClock(() => clock.now(), core.warn, message)
  }
  const act = (): void => {
    entry.waitsUntil = undefined
    if (then === 'hang')
      return patience(
        `a request to ${entry.request.url} is waiting for a response that the fault hang never ` +
          'sends: set a timeout in the client, or end the request (sim.reset, POST ' +
          '/__sim/reset)',
      )
    if (then === 'reset') return stop(new Error('a fault reset the connection'))
    if (finish()) held.release(core.callStarted({ session: session.sandbox.name }))
  }

  session.open.add(stop)
  const due = startedAt + delay
  if (clock.mode === 'auto' || due <= clock.now()) {
    act()
  } else {
    cancel = clock.at(due, act)
    if (clock.mode === 'manual' || clock.frozen) entry.waitsUntil = due
    patience(waitsOnClock(entry.request.url))
  }
  return () => {
    if (finish()) journal.close(entry, 'aborted', undefined)
  }
}

/** What happens instead of a response; undefined if there is one. */
export function connectionFault(faults: readonly WireFault[]): 'hang' | 'reset' | undefined {
  return faults.find(({ instead }) => instead !== undefined)?.instead
}

/** Whether the faults do not change the body. */
export function sparesBody(faults: readonly WireFault[]): boolean {
  return faults.every(({ body, cut, lengthOff }) => (body ?? cut ?? lengthOff) === undefined)
}

/** Replaces headers. */
export function setHeaders(headers: Record<string, string>, faults: readonly WireFault[]): void {
  for (const fault of faults) Object.assign(headers, fault.headers)
}

/**
 * The body with its faults. Of several cuts, the earliest applies. `declared` is the length for the header
 * `content-length`, of plain bodies and of streams with a declared length.
 */
export function applyWireFaults(
  playback: Playback,
  faults: readonly WireFault[],
  plain: boolean,
): Playback & { readonly declared: number | undefined } {
  let chunks: readonly ByteChunk[] = inBytes(playback.chunks)
  for (const stage of bodyStages)
    for (const { body } of faults) if (body?.stage === stage) chunks = body.change(chunks)

  const cut = firstCut(chunks, faults)
  // A truncated body declares its actual length.
  const length = cut?.ending === 'end' ? cut.at : sizeOf(chunks)
  const offs = faults.flatMap(({ lengthOff }) => lengthOff ?? [])
  const isOff = offs.length > 0
  const declaredOff = offs.reduce((sum, off) => sum + off, 0)
  const ending = cut?.ending ?? (isOff ? 'close' : playback.ending)
  // To the client, a plain body that ends at its declared length is complete.
  const isCut = cut !== undefined && !(plain && cut.ending === 'end')
  return {
    chunks: cut === undefined ? chunks : chunksUntil(chunks, cut.at),
    ending: ending === 'end' && isOff ? 'close' : ending,
    whole: !isCut && !isOff,
    text: playback.text,
    declared: plain || isOff ? Math.max(0, declaredOff + length) : undefined,
  }
}

function inBytes(chunks: readonly Chunk[]): readonly ByteChunk[] {
  const encoder = new TextEncoder()
  return chunks.map((chunk) => ({
    ...chunk,
    content: typeof chunk.content === 'string' ? encoder.encode(chunk.content) : chunk.content,
  }))
}

function firstCut(chunks: readonly ByteChunk[], faults: readonly WireFault[]): Cut | undefined {
  let first: Cut | undefined
  for (const fault of faults) {
    const cut = fault.cut?.(chunks)
    if (cut !== undefined && (first === undefined || cut.at < first.at)) first = cut
  }
  return first
}

/** The chunks up to an offset. A chunk without bytes is the delay before the cut. */
function chunksUntil(chunks: readonly ByteChunk[], end: number): readonly ByteChunk[] {
  const kept: ByteChunk[] = []
  let at = 0
  for (const chunk of chunks) {
    const { content } = chunk
    if (at >= end && content.length > 0) break
    kept.push(
      at + content.length <= end ? chunk : { ...chunk, content: content.subarray(0, end - at), events: 0 },
    )
    at += content.length
  }
  return kept
}
