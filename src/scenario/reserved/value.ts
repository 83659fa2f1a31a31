/**
 * What a reserved value is: like a test card number, it brings about a refusal or a failure from any client
 * without set-up.
 */
import type { Operation, Selector } from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'

/** What the director knows of a call when it looks for a reserved value. */
export interface CallFacts {
  readonly route: Operation
  readonly key: string | undefined
  readonly model: string | undefined
  readonly prompt: string | undefined
  /** The path of the file that the call is about. */
  readonly path?: string | undefined
  /** How often this same request has come, this time included. */
  readonly nth: number
}

export interface ReservedKey {
  readonly contains: string
  readonly reaches: string
  readonly plan: Plan
}

export interface ReservedWord {
  /** As it is written; `N` stands for any whole number. */
  readonly word: string
  /** The operations it acts on; those of the object store have words of their own. */
  readonly on: Selector
  readonly reaches: string
  /** The largest N that has an effect; unlimited unless given. */
  readonly max?: number
  plan(n: number, facts: CallFacts): Plan
}
