/** A session's sandbox: its clock, its resources, its journal, its memory of calls. Made fresh by a reset. */
import { BoundedMap, type Bounds } from './bounded-map.ts'
import { type Clock, type ClockOptions, createClock } from './clock.ts'
import { endOfTime } from './duration.ts'
import { createEvictions, type EvictionKind, type Evictions } from './evictions.ts'
import { createJournal, type Journal, type JournalOptions } from './journal.ts'
import { digest, type SessionTag, sessionTag } from './random.ts'
import { Store, type StoreOptions } from './store.ts'

export interface SandboxOptions {
  readonly name: string
  readonly seed: string
  readonly tag?: SessionTag
  readonly clock: ClockOptions
  readonly store: StoreOptions
  readonly journal: JournalOptions
  /** How many uploaded files, and how many bytes of them, are kept; the sources of images as well. */
  readonly uploads: Required<Pick<Bounds, 'count' | 'size'>>
  /** The maximum number of requests remembered to detect repeats; at least half as many are. */
  readonly requests: number
  /** Counts evictions at these limits. */
  readonly evictions?: Evictions
}

export interface Sandbox {
  readonly name: string
  readonly tag: SessionTag
  readonly seed: string
  /** `fp_…`: names the simulated backend; changes with the seed only. */
  readonly fingerprint: string
  readonly clock: Clock
  readonly store: Store
  readonly journal: Journal
  /** The files that were uploaded; `behaviours/upload.ts` says what they are. Sizes in bytes. */
  readonly uploads: BoundedMap<unknown>
  /**
   * The images of clients that results are made from, by their SHA-256; `behaviours/image-series.ts` reads
   * them. Sizes in bytes, bounds those of uploads.
   */
  readonly sources: BoundedMap<unknown>
  /** How many times this key has been seen, this time included: 1 for a first call. */
  seen(key: number): number
  /** What rules with `per` have counted, by rule and thing. */
  readonly ruleCounts: BoundedMap<ThingCounts>
  /** What all rules have counted, by their ids. */
  readonly ruleTotals: Map<string, RuleTotal>
  /** The ids of the rules that are switched off; undefined for none. */
  rulesOff: ReadonlySet<string> | undefined
  /** The use of the request limit by API key. */
  readonly rates: BoundedMap<KeyRate>
  /** How often each recording was played, by a name that `recording/` gives it. */
  readonly plays: Map<string, number>
  /** The end of an outage (virtual milliseconds), its maximum number of calls, and the rule that began it. */
  outage:
    | { readonly until: number; callsLeft: number | undefined; readonly rule: string | undefined }
    | undefined
  /** Flags that rules have changed. Replaced, not changed: explanations keep what a call found. */
  flags: ReadonlyMap<string, string>
  /** Evictions. */
  readonly evictions: Evictions
  /** Virtual milliseconds since the epoch at which the sandbox began. */
  readonly startedAt: number
}

/** How many calls matched a rule, and how many it answered: in all, or for one thing that it counts. */
export interface ThingCounts {
  matched: number
  answered: number
}

export interface RuleTotal extends ThingCounts {
  /** The `seq` of the last call that a rule with `times` may answer. */
  usedUpBy?: number
}

/** The virtual minute of a key (from the epoch): its requests, and the waits that `auto` has skipped. */
export interface KeyRate {
  readonly minute: number
  readonly used: number
  /** Virtual milliseconds. */
  readonly skipped: number
}

/** The names of evicted uploads, for error messages. */
const rememberEvicted = 10_000

/** A sandbox at its beginning. */
export function createSandbox(options: SandboxOptions): Sandbox {
  return new SessionSandbox(options)
}

const noFlags: ReadonlyMap<string, string> = new Map()

// A class that makes its maps when they are first used: most sessions never need most of them.
class SessionSandbox implements Sandbox {
  readonly name: string
  readonly tag: SessionTag
  readonly seed: string
  readonly fingerprint: string
  readonly clock: Clock
  readonly store: Store
  readonly journal: Journal
  readonly uploads: BoundedMap<unknown>
  readonly sources: BoundedMap<unknown>
  readonly evictions: Evictions
  readonly startedAt: number
  outage: Sandbox['outage'] = undefined
  flags: Sandbox['flags'] = noFlags
  rulesOff: Sandbox['rulesOff'] = undefined
  /** How many requests are remembered at most. */
  readonly #requests: number
  // Two maps, the older of which goes as a whole: finding the oldest of a hundred thousand keys one by one,
  // behind all that were taken out before it, is slow.
  #latest: Map<number, number> | undefined
  #earlier: Map<number, number> | undefined
  #ruleTotals: Sandbox['ruleTotals'] | undefined
  #plays: Sandbox['plays'] | undefined
  #ruleCounts: Sandbox['ruleCounts'] | undefined
  #rates: Sandbox['rates'] | undefined

  constructor(options: SandboxOptions) {
    const evictions = options.evictions ?? createEvictions()
    const bounds = (kind: 'files' | 'imageSources'): Bounds => ({
      ...options.uploads,
      onEvict: () => evictions.add(kind),
    })
    this.name = options.name
    this.tag = options.tag ?? sessionTag(options.name)
    this.seed = options.seed
    this.fingerprint = `fp_${digest(`fingerprint ${options.seed}`).slice(0, 10)}`
    this.clock = createClock(options.clock)
    this.store = new Store({ ...options.store, onEvict: evictions.add })
    this.journal = createJournal({ ...options.journal, onEvict: () => evictions.add('journalEntries') })
    this.uploads = new BoundedMap({ ...bounds('files'), rememberEvicted })
    this.sources = new BoundedMap(bounds('imageSources'))
    this.evictions = evictions
    this.startedAt = this.clock.now()
    this.#requests = options.requests
  }

  seen(key: number): number {
    let latest = (this.#latest ??= new Map())
    const count = (latest.get(key) ?? this.#earlier?.get(key) ?? 0) + 1
    if (latest.size >= Math.max(1, Math.floor(this.#requests / 2)) && !latest.has(key)) {
      const gone = this.#requests > 1 ? this.#earlier : latest
      this.evictions.add('requests', gone?.size ?? 0)
      this.#earlier = this.#requests > 1 ? latest : undefined
      latest = this.#latest = new Map()
    }
    latest.set(key, count)
    return count
  }

  get ruleTotals(): Sandbox['ruleTotals'] {
    return (this.#ruleTotals ??= new Map())
  }

  get plays(): Sandbox['plays'] {
    return (this.#plays ??= new Map())
  }

  get ruleCounts(): Sandbox['ruleCounts'] {
    return (this.#ruleCounts ??= this.#boundedByRequests('ruleCounts'))
  }

  get rates(): Sandbox['rates'] {
    return (this.#rates ??= this.#boundedByRequests('rateLimits'))
  }

  #boundedByRequests<Value>(kind: EvictionKind): BoundedMap<Value> {
    return new BoundedMap({ count: this.#requests, onEvict: () => this.evictions.add(kind) })
  }
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
