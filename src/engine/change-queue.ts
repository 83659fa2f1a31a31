/** The next change of every live resource, by instant: moving time costs what changes, not what exists. */
import { createHeap } from './heap.ts'
import { ageOf, type Resource } from './resource.ts'
import { nextEntryAt } from './timeline.ts'

interface ScheduledChange {
  /** By the session's clock. */
  readonly at: number
  readonly order: number
  readonly resource: Resource
}

/** How many outdated entries the heap may hold beside as many again as there are live ones. */
const maxOutdated = 1000

export class ChangeQueue {
  // An entry that is not its resource's `current` one is outdated and skipped.
  readonly #heap = createHeap<ScheduledChange>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order))
  readonly #current = new Map<Resource, ScheduledChange>()
  #order = 0

  /** Schedules the resource's next change after `age`, in milliseconds of its own time. */
  schedule(resource: Resource, age: number): void {
    const due = nextEntryAt(resource.timeline, age)
    if (due === undefined) {
      this.#current.delete(resource)
      return
    }
    const change = { at: resource.bornAt + due - resource.skip, order: this.#order++, resource }
    this.#current.set(resource, change)
    this.#heap.push(change)
    // When nobody advances the clock, outdated entries never come to the top.
    if (this.#heap.size > 2 * this.#current.size + maxOutdated) {
      this.#heap.clear()
      for (const current of this.#current.values()) this.#heap.push(current)
    }
  }

  remove(resource: Resource): void {
    this.#current.delete(resource)
  }

  /** The instant of the first change after `now`. */
  nextDue(now: number): number | undefined {
    for (let change = this.#first(); change !== undefined; change = this.#first()) {
      if (change.at > now) return change.at
      this.#heap.pop()
      this.schedule(change.resource, ageOf(change.resource, now))
    }
    return undefined
  }

  /** Takes the resources that change up to `to`, each once, and schedules what comes after. */
  *takeUntil(to: number): Generator<Resource> {
    for (let change = this.#first(); change !== undefined && change.at <= to; change = this.#first()) {
      this.#heap.pop()
      yield change.resource
      this.schedule(change.resource, ageOf(change.resource, to))
    }
  }

  #first(): ScheduledChange | undefined {
    for (let change = this.#heap.first(); change !== undefined; change = this.#heap.first()) {
      if (this.#current.get(change.resource) === change) return change
      this.#heap.pop()
    }
    return undefined
  }
}
