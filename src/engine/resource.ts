/** A resource of a session: something that lives over time, such as a job or a video. */
import { endOfTimeline, type FoldedState, fold, type Timeline, type TimelineEntry } from './timeline.ts'

/** The call that submitted a resource, as rules see it; long texts are cut. */
export interface Submission {
  /** Undefined for a resource that was given from the start. */
  readonly operation: string | undefined
  readonly model: string | undefined
  readonly prompt: string | undefined
  /** The JSON body or the fields of the form; of a given resource what its scenario says. */
  readonly body: unknown
  /** Whether the body was a form, so that numbers in it are texts. */
  readonly form: boolean
}

/** `facts` never change; what changes is in the timeline. */
export interface Resource<Facts = unknown> {
  /** The collection's name: `video`, `imageJob`, `operation`. */
  readonly kind: string
  readonly id: string
  /** The API key that created it. */
  readonly owner: string
  readonly bornAt: number
  readonly facts: Facts
  /** True when its timeline breaks the contract on purpose, so that replies show it unchecked. */
  readonly offContract?: boolean
  readonly submission?: Submission | undefined
  timeline: Timeline
  /** What polls bring about that are still to come, the next first. */
  onPoll: readonly TimelineEntry[]
  /** How often it was polled. */
  polls: number
  /** How far this resource alone is ahead of its session's clock, in milliseconds (`auto`). */
  skip: number
  /** Its position in the order of creation. */
  readonly order: number
  /** What the last poll showed, as JSON; undefined before the first. */
  lastShown: string | undefined
  /** The status that a call last showed; undefined before the first. */
  lastSeenStatus?: unknown
}

/** The age of a resource by its own time, in milliseconds. */
export function ageOf(resource: Resource, now: number): number {
  return now - resource.bornAt + resource.skip
}

/** The state of a resource at an instant of the session's clock. */
export function stateOf(resource: Resource, now: number): FoldedState {
  return fold(resource.timeline, ageOf(resource, now))
}

/** Whether nothing more will happen to the resource. */
export function isFinished(resource: Resource, now: number): boolean {
  return resource.onPoll.length === 0 && ageOf(resource, now) >= endOfTimeline(resource.timeline)
}
