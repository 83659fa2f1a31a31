/** A fault that is armed in a session, as the scenario of one rule that it becomes. */
import { parseDuration } from '../engine/duration.ts'
import type { ScenarioInput } from '../generated/scenario-input.ts'
import { ApiError } from '../protocol/errors.ts'
import type { ScenarioReader } from '../scenario/load/reader.ts'
import { createScenarioSet, type ScenarioSet } from '../scenario/load/scenario-set.ts'

/** A fault, or any other answer of a rule, that comes before all rules. @internal */
export interface ArmedFault {
  readonly id: string
  /** As it was asked for. */
  readonly when: Readonly<Record<string, unknown>>
  readonly then: Readonly<Record<string, unknown>>
  /** How often it answers at most. */
  readonly count: number | undefined
  /** Virtual milliseconds since the epoch from which on it is over. */
  readonly until: number | undefined
}

/** What arms a fault. */
export interface FaultRequest {
  /** Its name; one of its own unless given. */
  readonly id?: string | undefined
  /** Which calls, as `when` of a scenario's rule; all when left out. */
  readonly when?: Readonly<Record<string, unknown>> | undefined
  /** One fault of the catalogue or several: a word, or `{ kind, … }`. */
  readonly fault?: unknown
  /** Any answer of a scenario's rule, in the place of `fault`. */
  readonly then?: Readonly<Record<string, unknown>> | undefined
  /** How often it answers; until it is cleared when left out. */
  readonly count?: number | undefined
  /** How long it stands, in virtual time: `30s`, or milliseconds. */
  readonly ttl?: string | number | undefined
}

/**
 * The fault of a request. Throws `ApiError` (400) for one that contradicts itself, `ScenarioError` for what no
 * rule may say. @internal
 */
export function compileFault(
  { when = {}, fault, then, count, ttl }: FaultRequest,
  id: string,
  now: number,
  reader: ScenarioReader,
): { readonly set: ScenarioSet; readonly fault: ArmedFault } {
  if ((fault === undefined) === (then === undefined))
    throw new ApiError(
      'invalid_request_error',
      `Expected exactly one of \`fault\` and \`then\`, got ${fault === undefined ? 'neither' : 'both'}.`,
    )
  if (count !== undefined && when['times'] !== undefined)
    throw new ApiError('invalid_request_error', '`count` and `when.times` say the same: leave one out.', {
      param: 'count',
    })
  if (ttl !== undefined && when['during'] !== undefined)
    throw new ApiError('invalid_request_error', '`ttl` and `when.during` both say how long: leave one out.', {
      param: 'ttl',
    })
  const lasts = ttl === undefined ? undefined : parseDuration(ttl)
  if (ttl !== undefined && lasts === undefined)
    throw new ApiError(
      'invalid_request_error',
      `\`ttl\`: expected a duration such as 30s, got ${JSON.stringify(ttl)}.`,
      { param: 'ttl' },
    )
  const until = lasts === undefined ? undefined : now + lasts
  if (until !== undefined && Number.isNaN(new Date(until).getTime()))
    throw new ApiError('invalid_request_error', '`ttl`: leads beyond the end of virtual time.', {
      param: 'ttl',
    })
  const answer = then ?? { fault }
  const written = {
    title: 'armed',
    rules: [
      {
        id,
        when: {
          ...when,
          ...(count === undefined ? {} : { times: count }),
          ...(until === undefined ? {} : { during: { until: new Date(until).toISOString() } }),
        },
        then: answer,
      },
    ],
  }
  const set = createScenarioSet([written as unknown as ScenarioInput], reader)
  return {
    set,
    fault: { id, when, then: answer, count: count ?? (when['times'] as number | undefined), until },
  }
}
