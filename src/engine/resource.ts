/** Resources with a lifecycle, and the state changes that the journal records. */
import { endOfTimeline, type FoldedState, fold, type Timeline, type TimelineEntry } from './timeline.ts'

/** `facts` never change; what changes is in the timeline. */
export interface Resource<Facts = unknown> {
  /** The collection's name: `video`, `imageJob`, `operation`. */
  readonly kind: string
  readonly id: string
  /** The API key that created it. */
  readonly owner: string
  readonly bornAt: number
  readonly facts: Facts
  /** True if its timeline violates the contract on purpose: responses are not checked. */
  readonly offContract?: boolean
  timeline: Timeline
  /** The effects of future polls, the next one first. */
  onPoll: readonly TimelineEntry[]
  /** How often it was polled. */
  polls: number
  /** How far this resource alone is ahead of its session's clock, in milliseconds (`auto`). */
  skip: number
  /** Its position in the order of creation. */
  readonly order: number
  /** What the last poll showed, as JSON; undefined before the first, and where the clock is not `auto`. */
  lastShown: string | undefined
  /** The status that a call last showed; undefined before the first. */
  lastSeenStatus?: unknown
}

/** The age of a resource by its own time, in milliseconds. */
export function ageOf(resource: Resource, now: number): number {
  return now - resource.bornAt + resource.skip
}

/** The state of a resource at a time of the session's clock. */
export function stateOf(resource: Resource, now: number): FoldedState {
  return fold(resource.timeline, ageOf(resource, now))
}

/** Whether nothing more will happen to the resource. */
export function isFinished(resource: Resource, now: number): boolean {
  return resource.onPoll.length === 0 && ageOf(resource, now) >= endOfTimeline(resource.timeline)
}

/** The status at an age; `notFound` while clients get 404, null where the timeline has set none. */
export function statusAt({ timeline }: Resource, age: number): unknown {
  const { notFound, state } = fold(timeline, age)
  return notFound ? 'notFound' : (state['status'] ?? null)
}

/** A change of a resource as its client sees it. */
export interface Transition {
  /** The collection's name: `video`, `imageJob`, `operation`, `file`. */
  readonly resource: string
  readonly id: string
  /** The status at the previous poll; null when the call created it. */
  readonly from: unknown
  /** The status now; `notFound` if clients get 404, `made` if it was created without a status. */
  readonly to: unknown
}

/** Which resources a call created, showed or removed, and how their status changed. */
export class Transitions {
  #created: Transition[] = []
  #recorded: { readonly resource: Resource; readonly how: 'made' | 'seen' | 'removed' }[] = []

  record(resource: Resource, how: 'made' | 'seen' | 'removed'): void {
    this.#recorded.push({ resource, how })
  }

  /** Records something created that has no timeline: a file. */
  recordCreated(resource: string, id: string): void {
    this.#created.push({ resource, id, from: null, to: 'made' })
  }

  /** Forgets what was recorded before this call, for instance by a control operation. */
  begin(): void {
    this.#recorded.length = 0
    this.#created.length = 0
  }

  /** What the call at `now` changed. */
  end(now: number): readonly Transition[] {
    const transitions = this.#created
    this.#created = []
    for (const { resource, how } of this.#recorded) {
      const { kind, id, lastSeenStatus } = resource
      let to = statusAt(resource, ageOf(resource, now))
      if (how === 'made') to ??= 'made'
      if (how === 'removed') to = 'notFound'
      resource.lastSeenStatus = to
      // The first look at a resource that was given from the start is no change.
      if (how === 'seen' && (lastSeenStatus === undefined || lastSeenStatus === to)) continue
      transitions.push({
        resource: kind,
        id,
        from: how === 'made' ? null : (lastSeenStatus ?? null),
        to,
      })
    }
    this.#recorded = []
    return transitions
  }
}
