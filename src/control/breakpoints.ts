/**
 * Breakpoints hold requests before they are processed, before their response is sent, or before each event of
 * a stream. A held request counts as in flight, and halts the clock of its session: `advance` waits for it,
 * and a `real` clock is stopped. Once it continues, everything is as it would have been without the
 * breakpoint. A request whose client has left continues at once: nobody waits for it, and its session's clock
 * must not stand for nobody.
 */
import type { Clock } from '../engine/clock.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { JournalEntry } from '../exchange/exchange.ts'
import type { HoldChange } from '../exchange/holding.ts'

export type BreakpointPhase = 'request' | 'response' | 'event'

export interface Breakpoint {
  readonly id: string
  readonly session: string
  /** An operation id, a group (`videos.*`), or `*`. */
  readonly operation: string
  readonly phase: BreakpointPhase
  /** How many more requests it holds; undefined for no limit. A stream counts once. */
  left: number | undefined
}

/** How a held request goes on. `change` not before the request is processed. */
export type Decision =
  | { readonly action: 'continue' }
  | { readonly action: 'cut' }
  /** Its session has ended, and its connection ends with an error. */
  | { readonly action: 'end'; readonly reason: Error }
  | ({ readonly action: 'change' } & ResponseChange & EventChange)

/** Before the response. */
export interface ResponseChange {
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
}

/** Before an event. */
export interface EventChange {
  readonly data?: string | undefined
  /** Whether the further events of the stream pass. */
  readonly toEnd?: boolean | undefined
}

/** The event that is sent next. */
export interface HeldEvent {
  /** The number of preceding events. */
  readonly index: number
  /** The number of all events of the stream. */
  readonly total: number
  readonly event: string | undefined
  /** The text after `data:`, or everything that is sent if it is not a plain event. */
  readonly data: string
}

/** A request to hold, as the edge sees it. */
export interface Stop {
  readonly phase: BreakpointPhase
  readonly sandbox: Sandbox
  readonly operation: string
  readonly method: string
  readonly path: string
  /** The body of the request. */
  readonly request: string | undefined
  /** Undefined before it is processed. */
  readonly entry?: JournalEntry | undefined
  /** The response to come, before the response only. A body that is not text is undefined. */
  readonly response?: { readonly status: number; readonly body: string | undefined } | undefined
  readonly event?: HeldEvent | undefined
  /** Calls the task once the client has disconnected; immediately if it has already. */
  whenGone(task: () => void): void
}

export interface HeldRequest extends Stop {
  readonly id: string
  readonly breakpoint: string
}

interface Held extends HeldRequest {
  readonly go: (decision: Decision) => void
}

/** The most requests held at once; further ones pass. */
const maxHeld = 1000

export class Breakpoints {
  /** Whether there are any. A field, since every request reads it. */
  isArmed = false
  #armed: Breakpoint[] = []
  readonly #held = new Map<string, Held>()
  /** The halted clocks. */
  readonly #halted = new Map<Clock, { held: number; readonly wasRunning: boolean }>()
  #numbered = 0
  /** Called when a request is held or goes on, before it does; a server with a log sets it. */
  onChange: ((held: HeldRequest, change: HoldChange) => void) | undefined = undefined

  get armed(): readonly Breakpoint[] {
    return this.#armed
  }

  get held(): readonly HeldRequest[] {
    return [...this.#held.values()]
  }

  /** The held request of a journal entry. */
  holding(entry: JournalEntry): HeldRequest | undefined {
    return this.held.findLast((one) => one.entry === entry)
  }

  arm(session: string, operation: string, phase: BreakpointPhase, times: number | undefined): Breakpoint {
    const breakpoint = { id: `breakpoint-${++this.#numbered}`, session, operation, phase, left: times }
    this.#armed = [...this.#armed, breakpoint]
    this.isArmed = true
    return breakpoint
  }

  /** Removes a breakpoint; requests that it holds continue. Returns undefined for an unknown id. */
  disarm(id: string): Breakpoint | undefined {
    const found = this.#armed.find((one) => one.id === id)
    this.#armed = this.#armed.filter((one) => one !== found)
    this.isArmed = this.#armed.length > 0
    for (const held of this.#held.values())
      if (held.breakpoint === id) this.release(held.id, { action: 'continue' })
    return found
  }

  /** The breakpoint that fits, if any. */
  fitting({ phase, operation, sandbox }: Pick<Stop, 'phase' | 'operation' | 'sandbox'>) {
    return this.#armed.find(
      (one) =>
        one.phase === phase &&
        one.left !== 0 &&
        one.session === sandbox.name &&
        covers(one.operation, operation),
    )
  }

  /** Holds a request if a breakpoint fits, and calls `go` once when it is released. */
  hold(stop: Stop, go: (decision: Decision) => void): boolean {
    const fitting = this.fitting(stop)
    if (fitting === undefined || this.#held.size >= maxHeld) return false
    if (fitting.left !== undefined) fitting.left--
    return this.holdAt(fitting, stop, go)
  }

  /** Holds a request at a breakpoint that has been counted, unless it was removed. */
  holdAt(breakpoint: Breakpoint, stop: Stop, go: (decision: Decision) => void): boolean {
    if (!this.#armed.includes(breakpoint) || this.#held.size >= maxHeld) return false
    const id = `held-${++this.#numbered}`
    const { clock } = stop.sandbox
    const halted = this.#halted.get(clock)
    if (halted === undefined) {
      this.#halted.set(clock, { held: 1, wasRunning: clock.mode === 'real' && !clock.frozen })
      clock.halted = true
      clock.freeze()
    } else halted.held++
    const held: Held = { ...stop, id, breakpoint: breakpoint.id, go }
    this.#held.set(id, held)
    this.onChange?.(held, 'held')
    stop.whenGone(() => this.release(id, { action: 'continue' }, 'left'))
    return true
  }

  /** Returns false for an unknown id. */
  release(id: string, decision: Decision, change: HoldChange = decision.action): boolean {
    const held = this.#held.get(id)
    if (held === undefined) return false
    this.#held.delete(id)
    const { clock } = held.sandbox
    this.onChange?.(held, change)
    try {
      // The next event of a stream may be held at the same time, before the clock can move.
      held.go(decision)
    } finally {
      const halted = this.#halted.get(clock)
      if (halted !== undefined && --halted.held === 0) {
        this.#halted.delete(clock)
        clock.proceed(decision.action !== 'end')
        if (halted.wasRunning) clock.resume()
      }
    }
    return true
  }

  /** The sandbox has ended, by a reset or because its session was deleted: its requests end with an error. */
  end(sandbox: Sandbox): void {
    const reason = new Error(
      `the session "${sandbox.name}" was reset or deleted while a breakpoint held this request`,
    )
    for (const held of [...this.#held.values()])
      if (held.sandbox === sandbox) this.release(held.id, { action: 'end', reason })
  }

  /** The simulator is closed. */
  clear(): void {
    this.#armed = []
    this.isArmed = false
    for (const id of [...this.#held.keys()]) this.release(id, { action: 'continue' })
  }
}

function covers(wanted: string, operation: string): boolean {
  return wanted.endsWith('*') ? operation.startsWith(wanted.slice(0, -1)) : wanted === operation
}
