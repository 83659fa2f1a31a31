/** `strict`: which calls need a rule, and how one is refused that has none. */
import type { RuleTrace } from '../../engine/rule-trace.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { Settings } from '../../protocol/settings.ts'
import { matchesOperation } from '../../scenario/check/support.ts'
import { nearestFirst, ruleSentence } from './rule-sentence.ts'

/**
 * Not a status of the contract, so that nobody takes it for a refusal of the service; not one that SDKs try
 * again (408, 409, 429, 5xx), so that a test fails at once and not after three tries.
 */
const unmatchedStatus = 422

/** Whether a planned call lacks a rule that `strict` asks for. A reserved value speaks for itself. */
export function lacksRule(
  { rule, decidedBy }: Plan,
  { operation, method, open, continues }: Endpoint,
  { strict }: Settings,
): boolean {
  if (strict === false || rule !== undefined || decidedBy !== undefined) return false
  if (method === 'GET' || method === 'DELETE' || open === true || continues === true) return false
  return strict === true || !strict.except.some((pattern) => matchesOperation(pattern, operation))
}

/** What is known when a call is refused for want of a rule. */
export interface Unmatched {
  readonly operation: string
  readonly session: string
  /** How many rules there are, for whatever operation. */
  readonly rules: number
  readonly considered: readonly RuleTrace[] | undefined
}

/** The most rules that a refusal describes. */
const shown = 5

/** The refusal, with the rules that came nearest in its message and one by one in its details. */
export function unmatchedCall({ operation, session, rules, considered = [] }: Unmatched): ApiError {
  const near = nearestFirst(considered)
  const sentences = near.slice(0, shown).map(ruleSentence)
  const rest = near.length > shown ? ` ${near.length - shown} more were further away.` : ''
  const why =
    rules === 0
      ? 'There are no rules at all: give the simulator a scenario.'
      : near.length === 0
        ? `${rules === 1 ? 'The one rule there is, is not' : `None of the ${rules} rules is`} about ${operation}.`
        : `Nearest: ${sentences.join(' ')}${rest}`
  return new ApiError(
    'invalid_request_error',
    `strict: no rule answers this call of ${operation} in the session "${session}". ${why} Write a rule for it, or take ${operation} out of strictness (strict: { except: [${operation}] }).`,
    {
      status: unmatchedStatus,
      code: unmatchedStatus,
      details: near.slice(0, shown).map((found, index) => ({
        code: unmatchedStatus,
        message: sentences[index] as string,
        field: fieldOf(found),
      })),
    },
  )
}

function fieldOf({ field = '', rule }: RuleTrace): string {
  return `${rule}.when${field === '' ? '' : `.${field}`}`
}
