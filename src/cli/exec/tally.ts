/** Counts the calls of all sessions, in bounded memory. */
import type { JournalEntry } from '../../engine/journal-entry.ts'

/** The calls of one operation. */
export interface OperationCount {
  /** Undefined for unknown paths. */
  readonly operation: string | undefined
  readonly calls: number
  /** By status, ascending; 0 for calls without a reply. */
  readonly statuses: readonly { readonly status: number; readonly calls: number }[]
}

/** Calls with something in common: how many, and the first ones as text. */
export interface CallGroup {
  readonly count: number
  readonly examples: readonly string[]
}

export interface Tally {
  /** Counts a call. */
  record(entry: JournalEntry): void
  readonly calls: number
  /** The number of sessions with calls. */
  readonly sessions: number
  operations(): readonly OperationCount[]
  /** Calls to unknown paths and, in strict mode, calls that match no rule. */
  readonly unmatched: CallGroup
  /** Calls refused because of their content, not by a rule or a reserved value. */
  readonly refused: CallGroup
  /** Calls that hit a bug in the simulator. */
  readonly bugs: CallGroup
}

const maxExamples = 20
const maxSessions = 100_000

export function createTally(): Tally {
  const operations = new Map<string | undefined, Map<number, number>>()
  const sessions = new Set<string>()
  const unmatched = createGroup()
  const refused = createGroup()
  const bugs = createGroup()
  let calls = 0
  return {
    record(entry) {
      const { operation, status } = entry
      calls++
      if (sessions.size < maxSessions) sessions.add(entry.session)
      const statuses = operations.get(operation) ?? new Map<number, number>()
      operations.set(operation, statuses)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (entry.bug !== undefined)
        bugs.add(() => `${describeCall(entry)}: ${entry.bug?.split('\n')[0] ?? ''}`)
      // A user's msw handler may answer an unknown path.
      if (entry.unmatched || (operation === undefined && entry.decidedBy === undefined))
        unmatched.add(() => describeCall(entry))
      if (
        !entry.unmatched &&
        operation !== undefined &&
        entry.refusal !== undefined &&
        entry.decidedBy === undefined
      )
        refused.add(() => `${describeCall(entry)}: ${reasonOf(entry)}`)
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
    unmatched: unmatched.group,
    refused: refused.group,
    bugs: bugs.group,
  }
}

function createGroup(): { add(example: () => string): void; readonly group: CallGroup } {
  const group = { count: 0, examples: [] as string[] }
  return {
    group,
    add(example) {
      group.count++
      if (group.examples.length < maxExamples) group.examples.push(example())
    },
  }
}

function describeCall({ method, path, status, session }: JournalEntry): string {
  const inSession = session === 'default' ? '' : ` [session ${session}]`
  return `${method} ${withoutLongQuery(path)} answered ${status}${inSession}`
}

// The signatures of upload URLs are long and differ between runs.
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
