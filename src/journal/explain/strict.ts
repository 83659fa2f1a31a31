/** `strict`: which calls need a rule, and the refusal of those without one. */
import type { RuleTrace } from '../../engine/rule-trace.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { Settings } from '../../protocol/settings.ts'
import { matchesOperation } from '../../scenario/check/reach.ts'
import { nearestFirst, ruleSentence } from './rule-sentence.ts'

/** A status that is not in the contract, and that SDKs do not retry (408, 409, 429, 5xx). */
const unmatchedStatus = 422

/** Whether a call lacks a rule that `strict` requires. A reserved value is as good as a rule. */
export function lacksRule(
  { rule, decidedBy }: Plan,
  { operation, method, open, continues }: Endpoint,
  { strict }: Settings,
): boolean {
  if (strict === false || rule !== undefined || decidedBy !== undefined) return false
  if (method === 'GET' || method === 'DELETE' || open === true || continues === true) return false
  return strict === true || !strict.except.some((pattern) => matchesOperation(pattern, operation))
}

/** A call that is refused because no rule matches it. */
export interface Unmatched {
  readonly operation: string
  readonly session: string
  /** The number of rules for all operations. */
  readonly rules: number
  /** The number of those that were tried. */
  readonly tried: number
  readonly considered: readonly RuleTrace[]
}

/** The most rules that a refusal describes. */
const maxShown = 5

/** The refusal, with the closest rules in its message and its details. */
export function unmatchedCall({ operation, session, rules, tried, considered }: Unmatched): ApiError {
  const near = nearestFirst(considered)
  const sentences = near.slice(0, maxShown).map(ruleSentence)
  const rest = tried > maxShown ? ` ${tried - maxShown} more did not match.` : ''
  const why =
    rules === 0 && near.length === 0
      ? 'There are no rules: load a scenario.'
      : near.length === 0
        ? rules === 1
          ? `The only rule does not apply to ${operation}.`
          : `None of the ${rules} rules applies to ${operation}.`
        : `Nearest: ${sentences.join(' ')}${rest}`
  return new ApiError(
    'invalid_request_error',
    [
      `strict: no rule answers this call of ${operation} in the session "${session}". ${why} Write a rule`,
      `for it, or exempt ${operation} from strict mode (strict: { except: [${operation}] }).`,
    ].join(' '),
    {
      status: unmatchedStatus,
      code: unmatchedStatus,
      details: near.slice(0, maxShown).map((found, index) => ({
        code: unmatchedStatus,
        message: sentences[index] as string,
        field: fieldOf(found),
      })),
    },
  )
}

/** The refusal of a call that was not recorded, where such are not simulated. */
export function missedRecording({
  operation,
  session,
  considered,
}: Pick<Unmatched, 'operation' | 'session' | 'considered'>): ApiError {
  const near = nearestFirst(considered).slice(0, maxShown)
  const sentences = near.map(ruleSentence)
  const why = near.length === 0 ? `No call of ${operation} was recorded.` : `Nearest: ${sentences.join(' ')}`
  return new ApiError(
    'invalid_request_error',
    [
      `recordings: none answers this call of ${operation} in the session "${session}". ${why} Record it,`,
      'write a rule for it, or let calls that were not recorded be simulated (onMiss: simulate).',
    ].join(' '),
    {
      status: unmatchedStatus,
      code: unmatchedStatus,
      details: near.map((found, index) => ({
        code: unmatchedStatus,
        message: sentences[index] as string,
        field: fieldOf(found),
      })),
    },
  )
}

function fieldOf({ field = '', rule, recorded }: RuleTrace): string {
  if (recorded === true) return `${rule}: ${field}`
  return `${rule}.when${field === '' ? '' : `.${field}`}`
}
