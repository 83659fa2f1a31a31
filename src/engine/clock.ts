/**
 * The virtual clock of one session. It never advances by itself: in `manual`, the test advances it; in
 * `auto`, it is frozen; in `real`, it follows the wall clock passed to it.
 */
import { Heap } from './schedule.ts'

export type ClockMode = 'real' | 'manual' | 'auto'

/** Cancels a scheduled task; idempotent. */
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

/** The default start of `manual` and `auto`: a constant, so that two runs give the same responses. */
export const defaultStart = Date.UTC(2026, 0, 1)

const maxTasksPerAdvance = 1_000_000

interface Task {
  readonly run: () => void
  cancelled: boolean
}

/** The tasks of one time, in the order in which they were scheduled: a thousand streams share a few. */
interface Timestamp {
  readonly due: number
  readonly tasks: Task[]
  /** How many of them have run or were cancelled before they could. */
  over: number
}

// Not a closure inside `at`: there it would keep the first task, and the response it plays, as long as the
// clock.
function isEarlier(a: Timestamp, b: Timestamp): boolean {
  return a.due < b.due
}

/** A clock that starts at `options.start`. */
export class Clock {
  readonly mode: ClockMode
  /**
   * Called when the earliest scheduled time may have changed; `shifted` when its distance by the wall
   * clock has changed too. Set by the driver of a `real` clock.
   */
  onSchedule: ((shifted: boolean) => void) | undefined = undefined
  readonly #wall: () => number
  /** Made with the first task: most sessions never have one. */
  #timestamps: Heap<Timestamp> | undefined
  #byDue: Map<number, Timestamp> | undefined
  #wallStart: number
  /** What the wall clock said last. */
  #wallSeen: number
  /** The virtual time at `#wallStart`. */
  #base: number
  #speed: number
  #frozen = false
  #latest: number
  #pending = 0
  /** Whether a breakpoint holds a request: an advance stops here, and its rest waits for `proceed`. */
  halted = false
  #afterHalt: readonly (() => void)[] | undefined = undefined

  constructor({ mode, start, speed, wall }: ClockOptions) {
    this.mode = mode
    this.#wall = wall
    this.#wallStart = mode === 'real' ? wall() : 0
    this.#wallSeen = this.#wallStart
    this.#base = start
    this.#speed = speed
    this.#latest = start
  }

  /** How much faster than the wall clock `real` runs. */
  get speed(): number {
    return this.#speed
  }

  /** Whether a `real` clock has been stopped. */
  get frozen(): boolean {
    return this.#frozen
  }

  /** The number of waiting tasks. */
  get pending(): number {
    return this.#pending
  }

  /** Virtual milliseconds since the epoch, whole, never decreasing. */
  now(): number {
    if (this.mode === 'real' && !this.#frozen) {
      const wall = this.#wall()
      // Setting the wall clock back does not change virtual time, and does not delay scheduled tasks.
      if (wall < this.#wallSeen) this.#wallStart -= this.#wallSeen - wall
      this.#wallSeen = wall
      const timestamp = Math.floor(this.#base + (wall - this.#wallStart) * this.#speed)
      if (timestamp > this.#latest) this.#latest = timestamp
    }
    return this.#latest
  }

  /** Runs the task when time reaches `due`; one already due waits for the next `run` or advance. */
  at(due: number, run: () => void): Cancel {
    const task: Task = { run, cancelled: false }
    const timestamp = this.#byDue?.get(due)
    if (timestamp === undefined) this.#addTimestamp(due, task)
    else timestamp.tasks.push(task)
    this.#pending++
    this.onSchedule?.(false)
    return () => {
      if (task.cancelled) return
      task.cancelled = true
      this.#pending--
      // If the clock never advances, cancelled tasks would stay in the heap.
      if (this.#pending === 0) this.#forgetAll()
      this.onSchedule?.(false)
    }
  }

  /** Moves time forward to `target` and runs the tasks that fall due, in order. Returns how many ran. */
  advanceTo(target: number): number {
    const from = this.now()
    // A `real` clock may have passed the target since the caller read it.
    if (target < from && this.mode !== 'real')
      throw new RangeError(`clock: time cannot go backwards (now ${from}, requested ${target})`)
    const ran = this.#runUntil(target, true)
    const reached = this.halted ? this.#latest : target
    if (reached > this.#latest) this.#latest = reached
    if (this.mode === 'real') {
      this.#base += Math.max(0, reached - from)
      this.onSchedule?.(true)
    }
    return ran
  }

  /** Runs the tasks that are due now without moving time; the driver of a `real` clock calls it. */
  run(): number {
    return this.#runUntil(this.now(), false)
  }

  /** The earliest scheduled time, or undefined. */
  nextDue(): number | undefined {
    return this.#first()?.due
  }

  /** Stops a `real` clock; has no effect on other clocks. */
  freeze(): void {
    if (this.mode !== 'real' || this.#frozen) return
    this.now()
    this.#frozen = true
    this.onSchedule?.(true)
  }

  /** Resumes a `real` clock, optionally at another speed. */
  resume(): void {
    if (this.mode !== 'real') return
    this.#base = this.now()
    this.#wallStart = this.#wall()
    this.#wallSeen = this.#wallStart
    this.#frozen = false
    this.onSchedule?.(true)
  }

  /** Drops every waiting task without running it. */
  clear(): void {
    this.#forgetAll()
    this.#pending = 0
    this.#afterHalt = undefined
    this.onSchedule?.(false)
  }

  /** Ends a halt, and runs what `afterHalt` was given, in order, unless `withRest` is false. */
  proceed(withRest: boolean): void {
    const tasks = withRest ? (this.#afterHalt ?? []) : []
    this.#afterHalt = undefined
    this.halted = false
    // The first task may halt the clock again, and then comes back before the others.
    for (const task of tasks)
      if (this.halted) this.afterHalt(task)
      else task()
  }

  afterHalt(task: () => void): void {
    this.#afterHalt = [...(this.#afterHalt ?? []), task]
  }

  #addTimestamp(due: number, task: Task): void {
    const timestamp = { due, tasks: [task], over: 0 }
    this.#byDue ??= new Map()
    this.#byDue.set(due, timestamp)
    this.#timestamps ??= new Heap(isEarlier)
    this.#timestamps.push(timestamp)
  }

  #forgetAll(): void {
    this.#timestamps?.clear()
    this.#byDue?.clear()
  }

  /** The earliest time that has a task left: its task `over`. */
  #first(): Timestamp | undefined {
    for (
      let timestamp = this.#timestamps?.first();
      timestamp !== undefined;
      timestamp = this.#timestamps?.first()
    ) {
      while (timestamp.tasks[timestamp.over]?.cancelled === true) timestamp.over++
      if (timestamp.over < timestamp.tasks.length) return timestamp
      this.#timestamps?.pop()
      this.#byDue?.delete(timestamp.due)
    }
    return undefined
  }

  #runUntil(target: number, moveTime: boolean): number {
    let ran = 0
    for (let first = this.#first(); first !== undefined && first.due <= target; first = this.#first()) {
      if (moveTime && this.halted) break
      const task = first.tasks[first.over++] as Task
      if (moveTime && first.due > this.#latest) this.#latest = first.due
      this.#pending--
      task.cancelled = true
      if (++ran > maxTasksPerAdvance)
        throw new Error(
          `clock: more than ${maxTasksPerAdvance} tasks became due in one advance: a task schedules itself ` +
            'endlessly',
        )
      task.run()
    }
    return ran
  }
}
