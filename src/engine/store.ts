/** The resources of one session: found by id, advanced when they are due, bounded in number. */

import { type Bound, BoundedMap } from './bounded-map.ts'
import { ageOf, isFinished, type Resource, stateOf, statusAt, Transitions } from './resource.ts'
import { Schedule } from './schedule.ts'
import { type FoldedState, insertEntry, nextEntryAt, type Timeline, type TimelineEntry } from './timeline.ts'

/** The next change of every live resource, by time: moving time costs what changes, not what exists. */
class ChangeQueue {
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

  /** The time of the first change after `now`. */
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

/** The resources of each kind and owner that may not have ended yet. */
class ActiveResources {
  readonly #byOwner = new Map<string, Set<Resource>>()

  add(resource: Resource): void {
    const key = ownerKey(resource.kind, resource.owner)
    const resources = this.#byOwner.get(key) ?? new Set<Resource>()
    this.#byOwner.set(key, resources)
    resources.add(resource)
  }

  remove(resource: Resource): void {
    const key = ownerKey(resource.kind, resource.owner)
    const resources = this.#byOwner.get(key)
    resources?.delete(resource)
    if (resources?.size === 0) this.#byOwner.delete(key)
  }

  list(kind: string, owner: string, now: number, hasEnded: (state: FoldedState) => boolean): Resource[] {
    const active: Resource[] = []
    for (const resource of this.#byOwner.get(ownerKey(kind, owner)) ?? []) {
      if (!hasEnded(stateOf(resource, now))) active.push(resource)
      // Nothing will change it again, so it need not be checked a second time.
      else if (isFinished(resource, now)) this.remove(resource)
    }
    return active
  }

  /** How many there are of each kind to which something is still to happen. Looks at each. */
  countByKind(now: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const resources of this.#byOwner.values())
      for (const resource of resources)
        if (!isFinished(resource, now)) counts.set(resource.kind, (counts.get(resource.kind) ?? 0) + 1)
    return counts
  }

  /** An upper bound of what `list` returns, without checking any of them. */
  count(kind: string, owner: string): number {
    return this.#byOwner.get(ownerKey(kind, owner))?.size ?? 0
  }
}

const ownerKey = (kind: string, owner: string): string => `${kind} ${owner}`

/** A change that happened while time was advanced. */
export interface FiredChange {
  /** Virtual time, ISO 8601. */
  readonly at: string
  readonly resource: string
  readonly id: string
  /** The status before; `notFound` while the resource is unknown, null where its timeline has set none. */
  readonly from: unknown
  readonly to: unknown
}

interface NewResource<Facts> {
  readonly kind: string
  readonly id: string
  readonly owner: string
  readonly bornAt: number
  readonly facts: Facts
  readonly timeline: Timeline
  readonly skip?: number
  readonly offContract?: boolean
}

const maxTimelines = 1000
/** Roughly what a resource holds beside its facts, in bytes. */
const resourceWeight = 2000

const noEntries: readonly TimelineEntry[] = []

/** What polls bring about, the next first. */
const entriesOnPoll = (timeline: Timeline): readonly TimelineEntry[] =>
  timeline.filter(({ poll }) => poll !== undefined).sort((a, b) => (a.poll as number) - (b.poll as number))

export class Store {
  readonly #memory: Bound
  readonly #kinds = new Map<string, BoundedMap<Resource>>()
  readonly #active = new ActiveResources()
  readonly #changes = new ChangeQueue()
  /** What the current call has created, removed, or seen changed. */
  readonly transitions = new Transitions()
  readonly #timelines = new BoundedMap<Timeline>({ count: maxTimelines })
  #added = 0

  constructor(memory: Bound) {
    this.#memory = memory
  }

  get size(): number {
    let size = 0
    for (const { count } of this.#kinds.values()) size += count
    return size
  }

  add<Facts>(made: NewResource<Facts>): Resource<Facts> {
    const { kind, id, owner, bornAt, facts, timeline, skip = 0, offContract } = made
    const hasPolls = timeline.some(({ poll }) => poll !== undefined)
    const resource: Resource<Facts> = {
      kind,
      id,
      owner,
      bornAt,
      facts,
      offContract: offContract === true,
      timeline: hasPolls ? timeline.filter(({ poll }) => poll === undefined) : timeline,
      onPoll: hasPolls ? entriesOnPoll(timeline) : noEntries,
      polls: 0,
      skip,
      order: this.#added++,
      lastShown: undefined,
      lastSeenStatus: undefined,
    }
    this.#ofKind(kind).set(id, resource, resourceWeight + sizeOf(facts))
    this.#changes.schedule(resource, -1)
    this.#active.add(resource)
    this.transitions.record(resource, 'made')
    return resource
  }

  /** The timeline of a key, made once: jobs without a plan share theirs, which never changes in place. */
  timelineOf(key: string, make: () => Timeline): Timeline {
    const known = this.#timelines.get(key)
    if (known !== undefined) return known
    const timeline = make()
    this.#timelines.set(key, timeline)
    return timeline
  }

  /** A resource that clients ask for stays in memory longest. */
  find<Facts>(kind: string, id: string): Resource<Facts> | undefined {
    const resources = this.#kinds.get(kind)
    resources?.touch(id)
    return resources?.get(id) as Resource<Facts> | undefined
  }

  /** All resources of a kind, oldest first. */
  list<Facts>(kind: string): Resource<Facts>[] {
    return [...(this.#kinds.get(kind)?.values() ?? [])] as Resource<Facts>[]
  }

  /** All resources of every kind. */
  all(): Resource[] {
    return [...this.#kinds.values()].flatMap((collection) => [...collection.values()])
  }

  /** The resources of an owner that have not ended, oldest first. A stuck one stays active. */
  active(kind: string, owner: string, now: number, hasEnded: (state: FoldedState) => boolean): Resource[] {
    return this.#active.list(kind, owner, now, hasEnded)
  }

  /** An upper bound of how many resources of an owner are active, without checking them. */
  maxActive(kind: string, owner: string): number {
    return this.#active.count(kind, owner)
  }

  /** The number of unfinished resources by kind. Checks each candidate. */
  countActive(now: number): ReadonlyMap<string, number> {
    return this.#active.countByKind(now)
  }

  remove(kind: string, id: string): boolean {
    const resource = this.find(kind, id)
    if (resource === undefined) return false
    this.#kinds.get(kind)?.delete(id)
    this.#forget(resource)
    this.transitions.record(resource, 'removed')
    return true
  }

  /** Adds an entry to a resource's timeline. */
  append(resource: Resource, entry: TimelineEntry): void {
    resource.timeline = insertEntry(resource.timeline, entry)
    this.#changes.schedule(resource, entry.at - 1)
    this.#active.add(resource)
  }

  /** Counts a poll and applies its effects at this time. */
  countPoll(resource: Resource, now: number): void {
    const polls = ++resource.polls
    const at = ageOf(resource, now)
    while (resource.onPoll[0]?.poll !== undefined && resource.onPoll[0].poll <= polls) {
      const [{ poll: _, ...entry }, ...later] = resource.onPoll
      resource.onPoll = later
      this.append(resource, { ...entry, at })
    }
  }

  /**
   * Removes entries after `age` (milliseconds of the resource's local time) and the effects of later polls.
   */
  dropEntriesAfter(resource: Resource, age: number): void {
    resource.onPoll = []
    resource.timeline = resource.timeline.filter(({ at }) => at <= age)
    this.#changes.schedule(resource, age)
  }

  /** Advances one resource by `ms` ahead of the clock. */
  skipAhead(resource: Resource, ms: number, now: number): void {
    resource.skip += ms
    this.#changes.schedule(resource, ageOf(resource, now))
  }

  /** The next time of the session's clock after `now` at which some resource changes. */
  nextDue(now: number): number | undefined {
    return this.#changes.nextDue(now)
  }

  /**
   * The changes in (`from`, `to`], in order of time. At most `limit` are listed, the rest are counted. Each
   * change is reported once: not again when an earlier call or `nextDue` has gone beyond it.
   */
  changesBetween(from: number, to: number, limit: number): { fired: FiredChange[]; more: number } {
    const passed: { at: number; resource: Resource; age: number }[] = []
    for (const resource of this.#changes.takeUntil(to)) {
      const start = ageOf(resource, from)
      const end = ageOf(resource, to)
      for (const entry of resource.timeline)
        if (entry.at > start && entry.at <= end)
          passed.push({ at: resource.bornAt + entry.at - resource.skip, resource, age: entry.at })
    }
    // Simultaneous changes are in order of creation, whatever was read before.
    passed.sort((a, b) => a.at - b.at || a.resource.order - b.resource.order)
    const fired = passed.slice(0, limit).map(({ at, resource, age }) => ({
      at: new Date(at).toISOString(),
      resource: resource.kind,
      id: resource.id,
      from: statusAt(resource, age - 1),
      to: statusAt(resource, age),
    }))
    return { fired, more: Math.max(0, passed.length - limit) }
  }

  #ofKind(kind: string): BoundedMap<Resource> {
    const known = this.#kinds.get(kind)
    if (known !== undefined) return known
    const resources = new BoundedMap<Resource>(this.#memory, (evicted) => this.#forget(evicted))
    this.#kinds.set(kind, resources)
    return resources
  }

  #forget(resource: Resource): void {
    this.#changes.remove(resource)
    this.#active.remove(resource)
  }
}

/** How many characters the strings in a value have. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return 0
  return Object.values(value).reduce((sum: number, part) => sum + sizeOf(part), 0)
}
