/** Why a rule did or did not respond to a call, as plain data that is cheap to create. */
import { truncate } from './redact.ts'

export interface RuleTrace {
  /** The id of the rule. */
  readonly rule: string
  /**
   * `differs`: a condition does not hold. `count`: `nth`, `first`, `after` or `every` selects other calls.
   * `times`: the rule has used up its `times`. `ended`: its sequence is used up. `passed`: its function left
   * the call to later rules. `behind`: its conditions hold, but an earlier rule answered. `off`: it is
   * switched off. `answered`: it answered.
   */
  readonly outcome: 'differs' | 'count' | 'times' | 'ended' | 'passed' | 'behind' | 'off' | 'answered'
  /** How many of its conditions hold, as far as they were checked. */
  readonly held: number
  /** How many conditions it has. */
  readonly of: number
  /** With `differs`: the path of the condition under `when`. */
  readonly field?: string
  /** The same path, in segments. */
  readonly path?: readonly (string | number)[]
  /** With `differs`: what the condition expects. */
  readonly expected?: string
  /** With `differs`: the value in the call. */
  readonly got?: unknown
  /** How many calls have matched its conditions, including this one; only for rules that count calls. */
  readonly matched?: number | undefined
  /** With `per`: the one thing whose calls are counted: `video video_1`. */
  readonly thing?: string
  /** The counting condition in words: `nth 2`. */
  readonly counts?: string | undefined
  /** With `answered`: a function gave the answer. */
  readonly byFunction?: true | undefined
  /** With `answered`: the operations of the rule, in words. */
  readonly about?: string
  /** With `answered`: which answer (`at`, from 1) of how many (`of`) in the sequence. */
  readonly place?: { readonly at: number; readonly of: number } | undefined
  /** How many calls it had answered before. */
  readonly answered?: number
  /** How many calls it may answer at most. */
  readonly times?: number | undefined
}

/** The most traces of one call that are kept. */
const maxTraces = 50
const maxTextLength = 200

/** Adds a trace. Beyond 50, only those closest to answering are kept. */
export function addRuleTrace(list: RuleTrace[], trace: RuleTrace): void {
  if (list.length < maxTraces) {
    list.push(trace)
    return
  }
  let farthest = 0
  let most = 0
  for (let index = 0; index < list.length; index++) {
    const other = distance(list[index] as RuleTrace)
    if (other <= most) continue
    farthest = index
    most = other
  }
  if (distance(trace) >= most) return
  list.splice(farthest, 1)
  list.push(trace)
}

/** How far a rule was from answering; 0 for the rule that answered. */
export function distance({ outcome, held, of }: RuleTrace): number {
  return outcome === 'answered' ? 0 : 1 + of - held
}

/** A value short enough to keep: a truncated text, the length of a list, the size of an object. */
export function summarizeValue(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > maxTextLength ? `${truncate(value, maxTextLength)}…` : value
  if (Array.isArray(value)) return { list: value.length }
  return value !== null && typeof value === 'object' ? { object: Object.keys(value).length } : value
}
