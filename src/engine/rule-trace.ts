/** What became of one rule when a call was held against it, as plain data that is cheap to make. */
import { truncate } from './truncate.ts'

export interface RuleTrace {
  /** The id of the rule. */
  readonly rule: string
  /**
   * `differs`: a condition does not hold. `count`: it is not the call that `nth`, `first`, `after` or `every`
   * mean. `times`: it has answered as often as it may. `ended`: its sequence is at its end. `behind`: it
   * would have answered, had no rule before it. `answered`: it did.
   */
  readonly outcome: 'differs' | 'count' | 'times' | 'ended' | 'behind' | 'answered'
  /** How many of its conditions hold, as far as they were asked, and how many it has. */
  readonly held: number
  readonly of: number
  /** Of `differs`: where it stands under `when`, what is wanted there, and what the call has. */
  readonly field?: string
  readonly path?: readonly (string | number)[]
  readonly expected?: string
  readonly got?: unknown
  /** How many calls have met its conditions, this one included; known where the rule counts. */
  readonly met?: number
  /** What the counts want, in words: `nth 2`. */
  readonly counts?: string
  /** Of `answered`: the operations that the rule is about, in words, and which of several answers it gave. */
  readonly about?: string
  readonly place?: { readonly at: number; readonly of: number; readonly by: 'sequence' | 'chance' }
  /** How often it had answered before, and how often it may. */
  readonly answered?: number
  readonly times?: number
}

const most = 50
const longest = 200

/** Notes a rule; of more than 50 those stay that came nearest. */
export function addRuleTrace(list: RuleTrace[], found: RuleTrace): void {
  if (list.length < most) {
    list.push(found)
    return
  }
  let farthest = 0
  for (const [index, other] of list.entries())
    if (distance(other) > distance(list[farthest] as RuleTrace)) farthest = index
  if (distance(found) >= distance(list[farthest] as RuleTrace)) return
  list.splice(farthest, 1)
  list.push(found)
}

/** How far a rule was from answering: 0 for the one that did. */
export function distance({ outcome, held, of }: RuleTrace): number {
  if (outcome === 'answered') return 0
  return outcome === 'differs' ? 1 + of - held : 1
}

/** A value as it can be kept: a text its beginning, a list or an object only what it is. */
export function summarizeValue(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longest ? `${truncate(value, longest)}…` : value
  if (Array.isArray(value)) return { list: value.length }
  return value !== null && typeof value === 'object' ? { object: Object.keys(value).length } : value
}
