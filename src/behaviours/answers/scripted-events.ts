/** The events of a scripted stream while they are written down: when each comes, and where faults stand. */
import type { PlannedFault } from '../../protocol/plan-fault.ts'
import { events, type Reply, type StreamEvent } from '../../protocol/reply.ts'
import type { WireItem } from './scripted-text.ts'

/** Virtual milliseconds before the first event, and before each that says something. */
export interface StreamPace {
  readonly firstAfter: number
  readonly every: number
}

export class ScriptedEvents {
  readonly #pace: StreamPace
  readonly #list: StreamEvent[] = []
  readonly #faults: PlannedFault[] = []
  #waited = 0

  constructor(pace: StreamPace) {
    this.#pace = pace
  }

  /**
   * One event; `after` is in virtual milliseconds and is the pace's when left out. What was waited for since
   * the last one is added.
   */
  addEvent(event: Omit<StreamEvent, 'after'>, after: number = this.#pace.every): void {
    const own = this.#list.length === 0 ? this.#pace.firstAfter : after
    this.#list.push({ after: own + this.#waited, ...event })
    this.#waited = 0
  }

  addItem(item: WireItem): void {
    switch (item.kind) {
      case 'wait':
        this.#waited += item.ms
        break
      case 'raw':
        this.addEvent({ data: '', raw: item.text })
        break
      case 'fault':
        this.#pass()
        this.#faults.push({ ...item.fault, eventsBefore: this.#list.length })
    }
  }

  reply(): Reply {
    this.#pass()
    const reply = events(this.#list)
    return this.#faults.length === 0 ? reply : { ...reply, faults: this.#faults }
  }

  // Faults and the end come when their time has come, and only events have one: an empty text takes the time,
  // and nobody sees it.
  #pass(): void {
    if (this.#waited > 0) this.addEvent({ data: '', raw: '' }, 0)
  }
}
