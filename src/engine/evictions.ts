/** Counts of evictions by kind, per session and in total. */

export type EvictionKind =
  | 'runningJobs'
  | 'finishedJobs'
  | 'files'
  | 'imageSources'
  | 'journalEntries'
  | 'requests'
  | 'rateLimits'
  | 'ruleCounts'
  | 'clientReport'
  | 'sessions'
  | 'expiredSessions'
  | 'deletedSessions'
  | 'warnings'

export type EvictionCounts = Readonly<Partial<Record<EvictionKind, number>>>

export interface Evictions {
  /** `session`: the session of the evicted value, or the evicted session. */
  add(kind: EvictionKind, count?: number, session?: string): void
  /** The counts so far; kinds without evictions are absent. */
  readonly counts: EvictionCounts
}

/** Called for each eviction; `isFirst` for the first of its kind. */
export type EvictionListener = (
  kind: EvictionKind,
  count: number,
  session: string | undefined,
  isFirst: boolean,
) => void

/** Counts from nothing. */
export function createEvictions(listener?: EvictionListener): Evictions {
  let counts: Partial<Record<EvictionKind, number>> | undefined
  return {
    add(kind, count = 1, session = undefined) {
      if (count === 0) return
      counts ??= {}
      const before = counts[kind] ?? 0
      counts[kind] = before + count
      listener?.(kind, count, session, before === 0)
    },
    get counts() {
      return { ...counts }
    },
  }
}
