/** Collects the events of a scripted stream, with their times and the positions of faults. */

import { type EventRun, eventCount } from '../../engine/event-run.ts'
import type { PlannedFault } from '../../protocol/chunks.ts'
import type { PlannedPace } from '../../protocol/plan.ts'
import { events, type PlainResponse, type StreamEvent, type StreamItem } from '../../protocol/response.ts'
import type { WireItem } from './tokenize-script.ts'

/** Virtual milliseconds before the first event, and before each further one. */
export interface StreamPace {
  readonly firstEventAfter: number
  readonly eventInterval: number
}

/** The pace of a stream: planned, else from the settings of its API. */
export function paceOf(
  planned: PlannedPace | undefined,
  settings: { readonly firstEventAfter: number; readonly eventInterval: number },
): StreamPace {
  return {
    firstEventAfter: planned?.firstEventAfter ?? settings.firstEventAfter,
    eventInterval: planned?.eventInterval ?? settings.eventInterval,
  }
}

export class ScriptedEvents {
  readonly #pace: StreamPace
  readonly #list: StreamItem[] = []
  readonly #faults: PlannedFault[] = []
  #waited = 0

  constructor(pace: StreamPace) {
    this.#pace = pace
  }

  /** Adds an event at its time after the previous event and the waits in between. */
  addEvent(event: StreamEvent): void {
    const after = this.#afterOf(event)
    this.#list.push(after === event.after ? event : { ...event, after })
  }

  /** Adds a run of events, which may be empty. */
  addRun(run: EventRun): void {
    const { parts } = run
    if (parts.length === 0) return
    const after = this.#afterOf(run)
    if (after === run.after) return void this.#list.push(run)
    // The first event has a separate time.
    this.#list.push({ ...run, after, parts: parts.slice(0, 1) })
    if (parts.length > 1) this.#list.push({ ...run, parts: parts.slice(1) })
  }

  addItem(item: WireItem): void {
    switch (item.kind) {
      case 'wait':
        this.#waited += item.ms
        break
      case 'raw':
        this.addEvent({ after: this.#pace.eventInterval, data: '', raw: item.text })
        break
      case 'fault':
        this.#pass()
        this.#faults.push({ ...item.fault, eventsBefore: eventCount(this.#list) })
    }
  }

  response(): PlainResponse {
    this.#pass()
    const response = events(this.#list)
    return this.#faults.length === 0 ? response : { ...response, faults: this.#faults }
  }

  /**
   * The delay of an item after the previous one: the first item, and items after a wait, have a separate
   * time.
   */
  #afterOf({ after }: { readonly after: number }): number {
    const due = (this.#list.length === 0 ? this.#pace.firstEventAfter : after) + this.#waited
    this.#waited = 0
    return due
  }

  // A fault or the end after a wait needs an event to carry the time: an empty one, which no client sees.
  #pass(): void {
    if (this.#waited > 0) this.addEvent({ after: 0, data: '', raw: '' })
  }
}
