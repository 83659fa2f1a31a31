/** The next change of every live resource, by instant: moving time costs what changes, not what exists. */
import { ageOf, type Resource } from './resource.ts'
import { Schedule } from './schedule.ts'
import { nextEntryAt } from './timeline.ts'

export class ChangeQueue {
  /** By the session's clock. */
  readonly #changes = new Schedule<Resource>()

  /** Schedules the resource's next change after `age`, in milliseconds of its own time. */
  schedule(resource: Resource, age: number): void {
    const due = nextEntryAt(resource.timeline, age)
    this.#changes.set(resource, due === undefined ? undefined : resource.bornAt + due - resource.skip)
  }

  remove(resource: Resource): void {
    this.#changes.delete(resource)
  }

  /** The instant of the first change after `now`. */
  nextDue(now: number): number | undefined {
    for (let change = this.#changes.first(); change !== undefined; change = this.#changes.first()) {
      if (change.at > now) return change.at
      this.schedule(change.item, ageOf(change.item, now))
    }
    return undefined
  }

  /** Takes the resources that change up to `to`, each once, and schedules what comes after. */
  *takeUntil(to: number): Generator<Resource> {
    for (
      let change = this.#changes.first();
      change !== undefined && change.at <= to;
      change = this.#changes.first()
    ) {
      yield change.item
      this.schedule(change.item, ageOf(change.item, to))
    }
  }
}
