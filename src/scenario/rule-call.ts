/** The call, as the function of a rule sees it. */
import type { Random } from '../engine/random.ts'
import { bodyOf, queryOf, turnsOf } from './condition-facts.ts'
import type { RuleFacts } from './rule-outcomes.ts'

/** A call, with the names of `when`. A copy: changes to it have no effect. */
export interface RuleCall {
  /** The operation: `chat.create`. */
  readonly operation: string
  readonly model: string | undefined
  /** The API key. */
  readonly key: string | undefined
  /** The JSON body, or the fields of a form by name; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: the body depends on the operation, which tests know
  readonly body: any
  /** Query parameters. */
  readonly query: Readonly<Record<string, string>>
  /** Headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Path parameters such as `video_id`. */
  readonly path: Readonly<Record<string, string>>
  readonly conversation: {
    /** The text of the last user message, or the prompt. */
    readonly lastUser: string | undefined
    /** The text of the last tool result after that message. */
    readonly toolResult: string | undefined
    /** The turn of the assistant that the call asks for, from 1. */
    readonly turn: number
  }
  /** The job that the call refers to. */
  readonly job: { readonly id: string } | undefined
  /** The flags of the session. */
  readonly flags: Readonly<Record<string, string>>
  /**
   * The position of this call among those that match the rule's `when`, from 1; counted separately by `per`.
   */
  readonly nth: number
  /** How many of them the rule has responded to before. */
  readonly answered: number
  /** Virtual milliseconds since the epoch. */
  readonly now: number
}

/** The second argument of a rule's function. */
export interface RuleTools {
  /** Seeded randomness: the same calls get the same values. */
  readonly random: Random
}

/** How often a rule has matched, including this call, and how often it has responded before. @internal */
export interface RuleCounts {
  readonly matched: number
  readonly answered: number
}

/** `flags` are the initial values of the flags. @internal */
export function ruleCallOf(
  facts: RuleFacts,
  { matched, answered }: RuleCounts,
  flags: Readonly<Record<string, string>>,
): RuleCall {
  const { operation, model, key, payload, query, headers, params, prompt, job, sandbox, now } = facts
  return {
    operation,
    model,
    key,
    body: structuredClone(bodyOf(payload)),
    query: queryOf(query),
    headers: { ...headers },
    path: { ...params },
    conversation: { lastUser: prompt, ...turnsOf(payload) },
    job: job && { id: job.id },
    flags: { ...flags, ...Object.fromEntries(sandbox.flags) },
    nth: matched,
    answered,
    now,
  }
}
