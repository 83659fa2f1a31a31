/** Why one rule did or did not answer a call, as plain data that is cheap to create. */
import { truncate } from './truncate.ts'

export interface RuleTrace {
  /** The id of the rule. */
  readonly rule: string
  /**
   * `differs`: a condition does not hold. `count`: it is not the call that `nth`, `first`, `after` or `every`
   * select. `times`: it has answered as often as it may. `ended`: its sequence has ended. `behind`: it would
   * have answered if no earlier rule had. `answered`: it did.
   */
  readonly outcome: 'differs' | 'count' | 'times' | 'ended' | 'behind' | 'answered'
  /** How many of its conditions hold, as far as they were checked, and how many it has. */
  readonly held: number
  readonly of: number
  /** Of `differs`: the condition under `when`, what it expects, and what the call has. */
  readonly field?: string
  readonly path?: readonly (string | number)[]
  readonly expected?: string
  readonly got?: unknown
  /** How many calls have met its conditions, this one included; only for rules that count. */
  readonly met?: number
  /** The counting condition in words: `nth 2`. */
  readonly counts?: string
  /** Of `answered`: the operations of the rule, in words, and which of several answers it gave. */
  readonly about?: string
  readonly place?: { readonly at: number; readonly of: number; readonly by: 'sequence' | 'chance' }
  /** How often it has answered before, and how often it may. */
  readonly answered?: number
  readonly times?: number
}

const maxTraces = 50
const maxTextLength = 200

/** Adds a trace; of more than 50, the ones that came nearest to answering stay. */
export function addRuleTrace(list: RuleTrace[], trace: RuleTrace): void {
  if (list.length < maxTraces) {
    list.push(trace)
    return
  }
  let farthest = 0
  for (const [index, other] of list.entries())
    if (distance(other) > distance(list[farthest] as RuleTrace)) farthest = index
  if (distance(trace) >= distance(list[farthest] as RuleTrace)) return
  list.splice(farthest, 1)
  list.push(trace)
}

/** How far a rule was from answering: 0 for the one that did. */
export function distance({ outcome, held, of }: RuleTrace): number {
  if (outcome === 'answered') return 0
  return outcome === 'differs' ? 1 + of - held : 1
}

/** A value short enough to keep: a truncated text, the length of a list, the size of an object. */
export function summarizeValue(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > maxTextLength ? `${truncate(value, maxTextLength)}…` : value
  if (Array.isArray(value)) return { list: value.length }
  return value !== null && typeof value === 'object' ? { object: Object.keys(value).length } : value
}
