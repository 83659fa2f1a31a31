/** What had to go because a bound was reached: counted by kind, in each session and in all together. */

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
  /** `session` is the one in which it was, or which it was. */
  add(kind: EvictionKind, count?: number, session?: string): void
  /** How many so far; kinds of which nothing has gone are absent. */
  readonly counts: EvictionCounts
}

/** Hears of what has gone; `isFirst` for the first of its kind. */
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
