/** Collects the events of a scripted stream, with their times and the positions of faults. */

import type { PlannedFault } from '../../protocol/plan-fault.ts'
import { events, type Reply, type StreamEvent } from '../../protocol/reply.ts'
import type { Frames } from '../../protocol/script.ts'
import type { WireItem } from './tokenized-script.ts'

/** Virtual milliseconds before the first event, and before each further one. */
export interface StreamPace {
  readonly firstAfter: number
  readonly every: number
}

/** A stream that a script writes by hand: its frames and nothing else. */
export function framesReply(frames: Frames, pace: StreamPace): Reply {
  const written = new ScriptedEvents(pace)
  for (const frame of frames) written.addItem(frame)
  return written.reply()
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
   * Adds an event; `after` is in virtual milliseconds, by default the pace. Pending waits are added to it.
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

  // A fault or the end after a wait needs an event to carry the time: an empty one, which no client sees.
  #pass(): void {
    if (this.#waited > 0) this.addEvent({ data: '', raw: '' }, 0)
  }
}
