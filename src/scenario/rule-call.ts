/** What a rule that is a function sees of a call. */
import type { Random } from '../engine/random.ts'
import type { Submission } from '../engine/resource.ts'
import type { RuleFacts } from './asked-rules.ts'
import { bodyOf, queryOf, turnsOf } from './condition-facts.ts'

/** A call, in the words of `when`. A copy: changing it changes nothing. */
export interface RuleCall {
  /** The operation: `chat.create`. */
  readonly operation: string
  readonly model: string | undefined
  /** The API key. */
  readonly key: string | undefined
  /** The JSON body, or the fields of a form by name; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: every operation has a body of its own, and tests know which
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
    /** Which answer of the assistant this would be, from 1. */
    readonly turn: number
  }
  /** The job, video or operation that the call names, and how it was made (`made`). */
  readonly job:
    | {
        readonly id: string
        readonly made: Pick<Submission, 'operation' | 'model' | 'prompt' | 'body'> | undefined
      }
    | undefined
  /** The flags of the session. */
  readonly flags: Readonly<Record<string, string>>
  /** Which of the calls that meet the rule's `when` this is, from 1; of one thing where it has `per`. */
  readonly nth: number
  /** How many of them the rule has answered before. */
  readonly answered: number
  /** Virtual milliseconds since the epoch. */
  readonly now: number
}

/** What else a rule that is a function gets. */
export interface RuleTools {
  /** Seeded chance: the same calls draw the same values. */
  readonly random: Random
}

/** How often a rule matched, this call included, and how often it has answered before. @internal */
export interface RuleCounts {
  readonly matched: number
  readonly answered: number
}

/** `flags` are the first values of the flags. @internal */
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
    job: job === undefined ? undefined : { id: job.id, made: structuredClone(job.made) },
    flags: { ...flags, ...Object.fromEntries(sandbox.flags) },
    nth: matched,
    answered,
    now,
  }
}
