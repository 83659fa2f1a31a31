/**
 * Breakpoints hold requests before they are processed, or before their response is sent. A held request
 * counts as in flight, so the clock of its session stands still: `advance` waits for it, and a `real` clock
 * is stopped. Once it continues, everything is as it would have been without the breakpoint.
 */
import type { Clock } from '../engine/clock.ts'
import type { Sandbox } from '../engine/sandbox.ts'

export type BreakpointPhase = 'request' | 'response'

export interface Breakpoint {
  readonly id: string
  readonly session: string
  /** An operation id, a group (`videos.*`), or `*`. */
  readonly operation: string
  readonly phase: BreakpointPhase
  /** How many more requests it holds; undefined for no limit. */
  left: number | undefined
}

/** How a held request goes on. `change` only before the response. */
export type Decision =
  | { readonly action: 'continue' }
  | { readonly action: 'cut' }
  | {
      readonly action: 'change'
      readonly status?: number | undefined
      readonly headers?: Readonly<Record<string, string>> | undefined
      readonly body?: string | undefined
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
  /** The response to come, before the response only. A body that is not text is undefined. */
  readonly response?: { readonly status: number; readonly body: string | undefined } | undefined
  isGone(): boolean
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
  /** The clocks that were stopped, and how many held requests keep each. */
  readonly #stopped = new Map<Clock, number>()
  #numbered = 0

  get armed(): readonly Breakpoint[] {
    return this.#armed
  }

  get held(): readonly HeldRequest[] {
    return [...this.#held.values()]
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

  /** Holds a request if a breakpoint fits, and calls `go` once when it is released. */
  hold(stop: Stop, go: (decision: Decision) => void): boolean {
    const { phase, operation, sandbox } = stop
    const fitting = this.#armed.find(
      (one) =>
        one.phase === phase &&
        one.left !== 0 &&
        one.session === sandbox.name &&
        covers(one.operation, operation),
    )
    if (fitting === undefined || this.#held.size >= maxHeld) return false
    if (fitting.left !== undefined) fitting.left--
    const id = `held-${++this.#numbered}`
    const { clock } = sandbox
    const others = this.#stopped.get(clock)
    if (others !== undefined || (clock.mode === 'real' && !clock.frozen)) {
      this.#stopped.set(clock, (others ?? 0) + 1)
      clock.freeze()
    }
    this.#held.set(id, { ...stop, id, breakpoint: fitting.id, go })
    return true
  }

  /** Returns false for an unknown id. */
  release(id: string, decision: Decision): boolean {
    const held = this.#held.get(id)
    if (held === undefined) return false
    this.#held.delete(id)
    const { clock } = held.sandbox
    const others = this.#stopped.get(clock)
    if (others === 1) {
      this.#stopped.delete(clock)
      clock.resume()
    } else if (others !== undefined) this.#stopped.set(clock, others - 1)
    held.go(decision)
    return true
  }

  /** The sandbox has ended, by a reset or because its session was deleted: its requests end with an error. */
  end(sandbox: Sandbox): void {
    for (const held of [...this.#held.values()])
      if (held.sandbox === sandbox) this.release(held.id, { action: 'cut' })
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
