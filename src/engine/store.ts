/**
 * The resources of one session: jobs, videos, operations, each with its timeline, found by id, bounded in
 * number.
 */
import { createHeap } from './heap.ts'
import {
  endOf,
  type Folded,
  fold,
  insertEntry,
  nextEntry,
  type Timeline,
  type TimelineEntry,
} from './timeline.ts'
import { createTouches, type Transition } from './transitions.ts'

/** Something that lives over time. `facts` never change; what changes is in the timeline. */
export interface Resource<Facts = unknown> {
  /** The collection's name: `video`, `imageJob`, `operation`. */
  readonly kind: string
  readonly id: string
  /** Which API key made it. */
  readonly owner: string
  readonly bornAt: number
  readonly facts: Facts
  /** True when its timeline breaks the contract on purpose: what it shows is shown as it was written. */
  readonly offContract?: boolean
  timeline: Timeline
  /** How far this resource alone is ahead of its session's clock, in milliseconds (`auto`). */
  skip: number
  /** Its place among all that were ever added to the store. */
  readonly order: number
  /** How many polls have looked at it. */
  polls: number
  /** What the last poll showed, as JSON. */
  shown: string | undefined
  /** The status that a call has last shown; undefined while none has. */
  seenAs?: unknown
}

/** One change that an advance passed over. */
export interface FiredChange {
  /** Virtual instant, ISO 8601. */
  readonly at: string
  readonly resource: string
  readonly id: string
  /** The status before; `gone` while the resource is unknown, null where its timeline has said none. */
  readonly from: unknown
  readonly to: unknown
}

export interface StoreOptions {
  /**
   * How many resources are kept; beyond it the oldest one goes, of those that have ended when one of the
   * hundred oldest of its kind has.
   */
  readonly capacity: number
  /** The field of a kind that `FiredChange.from` and `.to` report. */
  readonly statusField: string
}

export interface Store {
  add<Facts>(resource: {
    kind: string
    id: string
    owner: string
    bornAt: number
    facts: Facts
    timeline: Timeline
    skip?: number
    offContract?: boolean
  }): Resource<Facts>
  /** The resource, `'dropped'` when the cap pushed it out, or undefined. */
  find<Facts>(kind: string, id: string): Resource<Facts> | 'dropped' | undefined
  /** All resources of a kind, oldest first. */
  list<Facts>(kind: string): Resource<Facts>[]
  /** All resources of every kind. */
  all(): Resource[]
  /**
   * The resources of one owner that have not ended at `now`, oldest first. A stuck one stays active after its
   * last entry.
   */
  active(kind: string, owner: string, now: number, ended: (seen: Folded) => boolean): Resource[]
  /** How many of one owner may be active at most, without looking at them. */
  activeAtMost(kind: string, owner: string): number
  remove(kind: string, id: string): boolean
  /** Puts one more entry into a resource's timeline. */
  append(resource: Resource, entry: TimelineEntry): void
  /** Drops what was to happen after `age`, in milliseconds of the resource's own time. */
  cutOff(resource: Resource, age: number): void
  /** Lets one resource alone move ahead of the clock by `ms`. */
  skipAhead(resource: Resource, ms: number, now: number): void
  /** The next instant of the session's clock at which some resource changes, after `now`. */
  nextDue(now: number): number | undefined
  /**
   * The changes in (`from`, `to`], in order of time. At most `limit` are listed, the rest counted. Each
   * change is passed once: what an earlier call or `nextDue` has gone beyond is not listed again.
   */
  passed(from: number, to: number, limit: number): { fired: FiredChange[]; more: number }
  /** A call begins: what was touched before is not its doing. */
  beginCall(): void
  /** A poll shows this resource. */
  see(resource: Resource): void
  /** The call has put something that is kept elsewhere: a file. */
  notePut(kind: string, id: string): void
  /** What the call has made, removed, or seen changed, at the instant of the call; undefined when nothing. */
  endCall(now: number): readonly Transition[] | undefined
  readonly size: number
}

/** How old a resource is by its own time, in milliseconds. */
export function ageOf(resource: Resource, now: number): number {
  return now - resource.bornAt + resource.skip
}

/** What a resource is at an instant of the session's clock. */
export function stateOf(resource: Resource, now: number): Folded {
  return fold(resource.timeline, ageOf(resource, now))
}

/** Whether nothing more will happen to the resource. */
export function isAtEnd(resource: Resource, now: number): boolean {
  return ageOf(resource, now) >= endOf(resource.timeline)
}

const remembered = 10_000
/** How many resources of a kind are looked at for one that has ended, when there has to be room. */
const maxLooked = 100
/** How many changes that are out of date may wait for their turn beside the live ones. */
const slack = 1000

interface Change {
  /** By the session's clock. */
  readonly at: number
  readonly order: number
  readonly resource: Resource
}

/** An empty store. */
export function createStore(options: StoreOptions): Store {
  const kinds = new Map<string, Map<string, Resource>>()
  const activeByOwner = new Map<string, Set<Resource>>()
  const dropped = new Set<string>()
  let size = 0

  // Live resources by the instant of their next change, so that moving time costs what changes, not what
  // exists.
  // An entry whose turn is not the resource's latest is out of date and is skipped.
  const changes = createHeap<Change>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order))
  const turns = new Map<Resource, Change>()
  const touches = createTouches<Resource>()
  let order = 0
  let added = 0

  const schedule = (resource: Resource, after: number): void => {
    const due = nextEntry(resource.timeline, after)
    if (due === undefined) {
      turns.delete(resource)
      return
    }
    const change = { at: resource.bornAt + due - resource.skip, order: order++, resource }
    turns.set(resource, change)
    changes.push(change)
    // Where nobody moves time, nothing else would take out what is out of date.
    if (changes.size > 2 * turns.size + slack) {
      changes.clear()
      for (const current of turns.values()) changes.push(current)
    }
  }
  const upcoming = (): Change | undefined => {
    for (let change = changes.first(); change !== undefined; change = changes.first()) {
      if (turns.get(change.resource) === change) return change
      changes.pop()
    }
    return undefined
  }

  const ownerKey = (kind: string, owner: string): string => `${kind} ${owner}`

  const joinOwner = (resource: Resource): void => {
    const key = ownerKey(resource.kind, resource.owner)
    const owned = activeByOwner.get(key) ?? new Set<Resource>()
    activeByOwner.set(key, owned)
    owned.add(resource)
  }

  const leaveOwner = (resource: Resource): void => {
    const key = ownerKey(resource.kind, resource.owner)
    const owned = activeByOwner.get(key)
    owned?.delete(resource)
    if (owned?.size === 0) activeByOwner.delete(key)
  }

  const forget = (resource: Resource): void => {
    kinds.get(resource.kind)?.delete(resource.id)
    turns.delete(resource)
    leaveOwner(resource)
    size--
  }

  const makeRoom = (now: number): void => {
    while (size >= options.capacity) {
      const victim = oldest((resource) => isAtEnd(resource, now)) ?? oldest(() => true)
      if (victim === undefined) return
      forget(victim)
      dropped.add(`${victim.kind} ${victim.id}`)
      if (dropped.size > remembered) dropped.delete(dropped.values().next().value as string)
    }
  }

  // Of each kind no more than the first ones are looked at: where none of thousands has ended, every call
  // would look at them all.
  const oldest = (wanted: (resource: Resource) => boolean): Resource | undefined => {
    let found: Resource | undefined
    for (const collection of kinds.values()) {
      let looked = 0
      for (const resource of collection.values()) {
        if (++looked > maxLooked) break
        if (!wanted(resource)) continue
        if (found === undefined || resource.bornAt < found.bornAt) found = resource
        break
      }
    }
    return found
  }

  return {
    add({ skip = 0, ...rest }) {
      makeRoom(rest.bornAt)
      const resource = { ...rest, skip, order: added++, polls: 0, shown: undefined, seenAs: undefined }
      const collection = kinds.get(resource.kind) ?? new Map<string, Resource>()
      kinds.set(resource.kind, collection)
      if (!collection.has(resource.id)) size++
      collection.set(resource.id, resource)
      schedule(resource, -1)
      joinOwner(resource)
      touches.note(resource, 'made')
      return resource
    },
    find<Facts>(kind: string, id: string) {
      const resource = kinds.get(kind)?.get(id)
      if (resource !== undefined) return resource as Resource<Facts>
      return dropped.has(`${kind} ${id}`) ? ('dropped' as const) : undefined
    },
    list: <Facts>(kind: string) => [...(kinds.get(kind)?.values() ?? [])] as Resource<Facts>[],
    all: () => [...kinds.values()].flatMap((collection) => [...collection.values()]),
    active(kind, owner, now, ended) {
      const found: Resource[] = []
      const owned = activeByOwner.get(ownerKey(kind, owner)) ?? []
      for (const resource of owned) {
        if (!ended(stateOf(resource, now))) found.push(resource)
        // Nothing will wake it again: it need not be looked at a second time.
        else if (isAtEnd(resource, now)) leaveOwner(resource)
      }
      return found
    },
    activeAtMost: (kind, owner) => activeByOwner.get(ownerKey(kind, owner))?.size ?? 0,
    remove(kind, id) {
      const resource = kinds.get(kind)?.get(id)
      if (resource === undefined) return false
      forget(resource)
      touches.note(resource, 'removed')
      return true
    },
    append(resource, entry) {
      resource.timeline = insertEntry(resource.timeline, entry)
      schedule(resource, entry.at - 1)
      joinOwner(resource)
    },
    cutOff(resource, age) {
      resource.timeline = resource.timeline.filter(({ at }) => at <= age)
      schedule(resource, age)
    },
    skipAhead(resource, ms, now) {
      resource.skip += ms
      schedule(resource, ageOf(resource, now))
    },
    nextDue(now) {
      for (let change = upcoming(); change !== undefined; change = upcoming()) {
        if (change.at > now) return change.at
        changes.pop()
        schedule(change.resource, ageOf(change.resource, now))
      }
      return undefined
    },
    passed(from, to, limit) {
      const seen: { at: number; resource: Resource; local: number }[] = []
      for (let change = upcoming(); change !== undefined && change.at <= to; change = upcoming()) {
        changes.pop()
        const { resource } = change
        const start = ageOf(resource, from)
        const end = ageOf(resource, to)
        for (const entry of resource.timeline) {
          if (entry.at > start && entry.at <= end)
            seen.push({ at: resource.bornAt + entry.at - resource.skip, resource, local: entry.at })
        }
        schedule(resource, end)
      }
      // Of one instant in the order in which they were made: how often somebody has looked before must not
      // show.
      seen.sort((a, b) => a.at - b.at || a.resource.order - b.resource.order)
      const fired = seen.slice(0, limit).map(({ at, resource, local }) => ({
        at: new Date(at).toISOString(),
        resource: resource.kind,
        id: resource.id,
        from: shownStatus(resource, local - 1, options.statusField),
        to: shownStatus(resource, local, options.statusField),
      }))
      return { fired, more: Math.max(0, seen.length - limit) }
    },
    beginCall: touches.begin,
    notePut: touches.notePut,
    see: (resource) => touches.note(resource, 'seen'),
    endCall: (now) =>
      touches.end((resource) => shownStatus(resource, ageOf(resource, now), options.statusField)),
    get size() {
      return size
    },
  }
}

function shownStatus(resource: Resource, local: number, field: string): unknown {
  const { gone, state } = fold(resource.timeline, local)
  return gone ? 'gone' : (state[field] ?? null)
}
