/** Collects the events of a scripted stream, with their times and the positions of faults. */

import type { PlannedFault } from '../../protocol/pieces.ts'
import type { PlannedPace } from '../../protocol/plan.ts'
import { events, type Reply, type StreamEvent } from '../../protocol/reply.ts'
import type { Frames } from '../../protocol/script.ts'
import type { WireItem } from './tokenize-script.ts'

/** Virtual milliseconds before the first event, and before each further one. */
export interface StreamPace {
  readonly firstAfter: number
  readonly every: number
}

/** How a stream is paced: as planned, as the settings of its API say otherwise. */
export function paceOf(
  planned: PlannedPace | undefined,
  settings: { readonly firstTokenAfter: number; readonly tokenEvery: number },
): StreamPace {
  return {
    firstAfter: planned?.firstAfter ?? settings.firstTokenAfter,
    every: planned?.every ?? settings.tokenEvery,
  }
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

  /** Adds an event, which comes at its time after the one before it and the waits in between. */
  addEvent(event: StreamEvent): void {
    const isFirst = this.#list.length === 0
    const after = (isFirst ? this.#pace.firstAfter : event.after) + this.#waited
    this.#list.push(after === event.after ? event : { ...event, after })
    this.#waited = 0
  }

  addItem(item: WireItem): void {
    switch (item.kind) {
      case 'wait':
        this.#waited += item.ms
        break
      case 'raw':
        this.addEvent({ after: this.#pace.every, data: '', raw: item.text })
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
    if (this.#waited > 0) this.addEvent({ after: 0, data: '', raw: '' })
  }
}
