/** What the director looks at of a call. */

import type { Random } from '../engine/random.ts'
import type { World } from '../engine/world.ts'
import type { Operation } from '../protocol/operations.ts'
import type { AskedRules } from './asked-rules.ts'
import type { ConditionFacts } from './condition-facts.ts'

/** A call as the director sees it. */
export interface RuleFacts extends ConditionFacts {
  readonly operation: string
  readonly route: Operation
  /** Chance of this call. */
  readonly identity: Random
  readonly world: World
  /** The path of the file that the call is about. */
  readonly path?: string | undefined
  /** How often this same request has been seen, this time included. */
  readonly nth: number
  /** What became of the rules, for explanations; the director makes it where there are rules to ask. */
  considered: AskedRules | undefined
}
