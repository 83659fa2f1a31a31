/** Counts the calls of all sessions as they are journaled, in bounded memory. */
import type { JournalEntry } from '../../engine/journal-entry.ts'

/** How often an operation was called, and what it answered. */
export interface OperationCount {
  /** Undefined for paths that the gateway does not have. */
  readonly operation: string | undefined
  readonly calls: number
  /** By status, lowest first; 0 for calls that were left without a reply. */
  readonly statuses: readonly { readonly status: number; readonly calls: number }[]
}

/** Calls of one kind: how many, and the first ones in words. */
export interface Sighting {
  readonly count: number
  readonly examples: readonly string[]
}

export interface Tally {
  /** Counts a call. */
  take(entry: JournalEntry): void
  readonly calls: number
  /** How many sessions were called. */
  readonly sessions: number
  operations(): readonly OperationCount[]
  /**
   * Calls that no rule names, in strict mode; in every mode, calls of paths that the gateway does not have.
   */
  readonly unmatched: Sighting
  /**
   * Calls of paths that the gateway has, refused for what they said, and not because a rule or a reserved
   * value says so.
   */
  readonly refused: Sighting
  /** Calls that met a bug of the simulator. */
  readonly bugs: Sighting
}

/** How many calls of a kind are told in words, and how many names of sessions are counted. */
const most = { examples: 20, sessions: 100_000 } as const

/** A count of nothing. */
export function createTally(): Tally {
  const operations = new Map<string | undefined, Map<number, number>>()
  const sessions = new Set<string>()
  const unmatched = sighting()
  const refused = sighting()
  const bugs = sighting()
  let calls = 0
  return {
    take(entry) {
      const { operation, status } = entry
      calls++
      if (sessions.size < most.sessions) sessions.add(entry.session)
      const statuses = operations.get(operation) ?? new Map<number, number>()
      operations.set(operation, statuses)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (entry.bug !== undefined) bugs.add(() => `${inWords(entry)}: ${entry.bug?.split('\n')[0] ?? ''}`)
      // A handler of the user's may answer a path that the gateway does not have.
      if (entry.unmatched || (operation === undefined && entry.decidedBy === undefined))
        unmatched.add(() => inWords(entry))
      if (
        !entry.unmatched &&
        operation !== undefined &&
        entry.refusal !== undefined &&
        entry.decidedBy === undefined
      )
        refused.add(() => `${inWords(entry)}: ${reasonOf(entry)}`)
    },
    get calls() {
      return calls
    },
    get sessions() {
      return sessions.size
    },
    operations: () =>
      [...operations]
        .map(([operation, counts]) => ({
          operation,
          calls: [...counts.values()].reduce((sum, count) => sum + count, 0),
          statuses: [...counts]
            .sort(([one], [other]) => one - other)
            .map(([status, count]) => ({ status, calls: count })),
        }))
        .sort((one, other) => ((one.operation ?? '~') < (other.operation ?? '~') ? -1 : 1)),
    unmatched: unmatched.seen,
    refused: refused.seen,
    bugs: bugs.seen,
  }
}

function sighting(): { add(words: () => string): void; readonly seen: Sighting } {
  const seen = { count: 0, examples: [] as string[] }
  return {
    seen,
    add(words) {
      seen.count++
      if (seen.examples.length < most.examples) seen.examples.push(words())
    },
  }
}

function inWords({ method, path, status, session }: JournalEntry): string {
  return `${method} ${withoutLongQuery(path)} answered ${status}${session === 'default' ? '' : ` [session ${session}]`}`
}

// Signatures of upload addresses are long, differ between runs and say nothing to a reader.
function withoutLongQuery(path: string): string {
  const at = path.indexOf('?')
  return at < 0 || path.length - at <= 60 ? path : `${path.slice(0, at)}?...`
}

function reasonOf({ refusal, violations }: JournalEntry): string {
  const [first] = violations
  if (first === undefined)
    return refusal?.param === undefined ? (refusal?.type ?? '') : `${refusal.type}, ${refusal.param}`
  return first.message.includes(first.field) ? first.message : `${first.field}: ${first.message}`
}
