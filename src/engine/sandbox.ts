/** A session's sandbox: its clock, its resources, its memory of calls. Made fresh by a reset. */
import { Bound, BoundedMap, type Limits } from './bounded-map.ts'
import { Clock, type ClockOptions } from './clock.ts'
import { endOfTime } from './duration.ts'
import type { HashWords } from './hash.ts'
import { digest, type SessionTag, sessionTag } from './random.ts'
import { Store } from './store.ts'

export interface SandboxOptions {
  readonly name: string
  readonly seed: string
  readonly tag?: SessionTag
  readonly clock: ClockOptions
  /** How much it keeps, in values and in bytes. */
  readonly memory: Limits
}

export interface Sandbox {
  readonly name: string
  readonly tag: SessionTag
  readonly seed: string
  /** `fp_…`: names the simulated backend; changes with the seed only. */
  readonly fingerprint: string
  readonly clock: Clock
  /** Bounds everything that the session keeps: beyond it, the oldest goes first. */
  readonly memory: Bound
  readonly store: Store
  /** The files that were uploaded; `behaviours/uploads/upload.ts` says what they are. */
  readonly uploads: BoundedMap<unknown>
  /** How many times a request with this hash has been seen, this time included: 1 for a first call. */
  seen(request: HashWords): number
  /** What rules with `per` have counted, by rule and thing. */
  readonly ruleCounts: BoundedMap<ThingCounts>
  /** What all rules have counted, by their ids. */
  readonly ruleTotals: Map<string, ThingCounts>
  /** The ids of the rules that are switched off; undefined for none. */
  rulesOff: ReadonlySet<string> | undefined
  /** The use of the request limit by API key. */
  readonly rates: BoundedMap<KeyRate>
  /** The end of an outage (virtual milliseconds), its maximum number of calls, and the rule that began it. */
  outage:
    | { readonly until: number; readonly rule: string | undefined; callsLeft: number | undefined }
    | undefined
  /** Flags that rules have changed. */
  flags: ReadonlyMap<string, string>
  /** Virtual milliseconds since the epoch at which the sandbox began. */
  readonly startedAt: number
}

/** How many calls matched a rule, and how many it answered: in all, or for one thing that it counts. */
export interface ThingCounts {
  matched: number
  answered: number
}

/** The virtual minute of a key (from the epoch): its requests, and the waits that `auto` has skipped. */
export interface KeyRate {
  readonly minute: number
  readonly used: number
  /** Virtual milliseconds. */
  readonly skipped: number
}

/** A sandbox at its beginning. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const memory = new Bound(options.memory)
  const clock = new Clock(options.clock)
  const repeats = new BoundedMap<number, number>(memory)
  return {
    name: options.name,
    tag: options.tag ?? sessionTag(options.name),
    seed: options.seed,
    fingerprint: `fp_${digest(`fingerprint ${options.seed}`).slice(0, 10)}`,
    clock,
    memory,
    store: new Store(memory),
    uploads: new BoundedMap(memory),
    seen([a, b]) {
      // The first 53 bits: a number takes less memory than a text.
      const key = (a >>> 0) * 2097152 + (b >>> 11)
      const count = (repeats.get(key) ?? 0) + 1
      repeats.set(key, count)
      return count
    },
    ruleCounts: new BoundedMap(memory),
    ruleTotals: new Map(),
    rulesOff: undefined,
    rates: new BoundedMap(memory),
    outage: undefined,
    flags: new Map(),
    startedAt: clock.now(),
  }
}

/** What a message about something missing adds: `; it may have been evicted …`, or nothing. */
export function evictedClause({ memory: { evicted } }: Pick<Sandbox, 'memory'>): string {
  if (evicted === 0) return ''
  const items = evicted === 1 ? 'one item' : `${evicted} items`
  return `; it may have been evicted: this session evicted ${items} (raise memory.items or memory.bytes)`
}

/**
 * The earliest time after `now` at which a resource changes or a stream continues; none behind the end of
 * time, which no clock reaches.
 */
export function nextDue(sandbox: Pick<Sandbox, 'clock' | 'store'>, now: number): number | undefined {
  const resource = sandbox.store.nextDue(now)
  const task = sandbox.clock.nextDue()
  const next = Math.min(resource ?? Infinity, task ?? Infinity)
  return next <= endOfTime ? next : undefined
}
