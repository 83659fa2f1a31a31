/**
 * The virtual clock of one session. It never moves itself: in `manual` somebody advances it, in `auto` it
 * stands still, in `real` it follows a wall clock handed to it.
 */
import { createHeap } from './heap.ts'

export type ClockMode = 'real' | 'manual' | 'auto'

/** Undoes a scheduled task; calling it twice is harmless. */
export type Cancel = () => void

export interface ClockOptions {
  readonly mode: ClockMode
  /** Virtual milliseconds since the epoch at which the clock starts. */
  readonly start: number
  /** How much faster than the wall clock `real` runs. */
  readonly speed: number
  /** Reads a wall clock in milliseconds; only `real` calls it. */
  readonly wall: () => number
}

export interface Clock {
  readonly mode: ClockMode
  /** How much faster than the wall clock `real` runs. */
  readonly speed: number
  /** Whether a `real` clock has been stopped. */
  readonly frozen: boolean
  /** Virtual milliseconds since the epoch, whole, never decreasing. */
  now(): number
  /**
   * Runs the task when time reaches `due`; at once is never: even a past due waits for the next `run` or
   * advance.
   */
  at(due: number, task: () => void): Cancel
  /**
   * Moves time forward to `target` and runs what falls due, in order of due instant, then of scheduling.
   * Returns how many ran.
   */
  advanceTo(target: number): number
  /** Runs what is due now without moving time; a driver calls it in `real`. */
  run(): number
  /** The earliest scheduled instant, or undefined. */
  nextDue(): number | undefined
  /** How many tasks wait. */
  readonly pending: number
  /** Stops a `real` clock where it is; the others stand still anyway. */
  freeze(): void
  /** Lets a `real` clock go on from where it is, at another speed when one is given. */
  resume(speed?: number): void
  /**
   * Called when the earliest scheduled instant may have changed; `shifted` when the wall clock's part in it
   * has. One listener, set by the driver of `real`.
   */
  onSchedule: ((shifted: boolean) => void) | undefined
  /** Drops every waiting task without running it. */
  clear(): void
}

/** The default start of `manual` and `auto`: a constant, so that two runs say the same. */
export const defaultStart = Date.UTC(2026, 0, 1)

const tasksPerAdvance = 1_000_000

interface Task {
  readonly due: number
  readonly order: number
  readonly run: () => void
  cancelled: boolean
}

/** A clock that starts at `options.start`. */
export function createClock(options: ClockOptions): Clock {
  let wallStart = options.mode === 'real' ? options.wall() : 0
  let base = options.start
  let speed = options.speed
  let frozen = false
  let latest = options.start
  let order = 0
  let live = 0
  const tasks = createHeap<Task>((a, b) => a.due < b.due || (a.due === b.due && a.order < b.order))

  const now = (): number => {
    if (options.mode === 'real' && !frozen) {
      const at = Math.floor(base + (options.wall() - wallStart) * speed)
      // A wall clock that is set back must not take virtual time with it.
      if (at > latest) latest = at
    }
    return latest
  }

  const firstLive = (): Task | undefined => {
    while (tasks.first()?.cancelled === true) tasks.pop()
    return tasks.first()
  }

  const runUntil = (target: number, move: boolean): number => {
    let ran = 0
    for (let task = firstLive(); task !== undefined && task.due <= target; task = firstLive()) {
      tasks.pop()
      if (move && task.due > latest) latest = task.due
      live--
      task.cancelled = true
      if (++ran > tasksPerAdvance)
        throw new Error(
          `clock: more than ${tasksPerAdvance} tasks fell due in one advance; something schedules itself without end`,
        )
      task.run()
    }
    return ran
  }

  const clock: Clock = {
    mode: options.mode,
    get speed() {
      return speed
    },
    get frozen() {
      return frozen
    },
    now,
    at(due, run) {
      const task: Task = { due, order: order++, run, cancelled: false }
      tasks.push(task)
      live++
      clock.onSchedule?.(false)
      return () => {
        if (task.cancelled) return
        task.cancelled = true
        live--
        // A clock that nobody moves would keep what it was told to forget.
        if (live === 0) tasks.clear()
        clock.onSchedule?.(false)
      }
    },
    advanceTo(target) {
      const from = now()
      // A clock that moves by itself may have passed the target since the caller looked.
      if (target < from && options.mode !== 'real')
        throw new RangeError(`clock: time does not go backwards (now ${from}, asked for ${target})`)
      const ran = runUntil(target, true)
      if (target > latest) latest = target
      if (options.mode === 'real') {
        base += Math.max(0, target - from)
        // What is still to come has come nearer by the wall clock.
        clock.onSchedule?.(true)
      }
      return ran
    },
    run: () => runUntil(now(), false),
    nextDue: () => firstLive()?.due,
    get pending() {
      return live
    },
    freeze() {
      if (options.mode !== 'real' || frozen) return
      now()
      frozen = true
      clock.onSchedule?.(true)
    },
    resume(asked) {
      if (options.mode !== 'real') return
      base = now()
      wallStart = options.wall()
      speed = asked ?? speed
      frozen = false
      clock.onSchedule?.(true)
    },
    onSchedule: undefined,
    clear() {
      tasks.clear()
      live = 0
      clock.onSchedule?.(false)
    },
  }
  return clock
}
