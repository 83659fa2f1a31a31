/** An armed fault of a session, as a scenario with one rule. */
import { parseDuration } from '../engine/duration.ts'
import { endOfTime } from '../engine/instant.ts'
import type { Fault, ScenarioInput, Then, When } from '../generated/scenario-input.ts'
import { ApiError } from '../protocol/errors.ts'
import type { ScenarioReader } from '../scenario/load/reader.ts'
import { createScenarioSet, type ScenarioSet } from '../scenario/load/scenario-set.ts'

/** A fault, or any other answer of a rule, that comes before all rules. @internal */
export interface ArmedFault {
  readonly id: string
  /** As it was asked for. */
  readonly when: Readonly<Record<string, unknown>>
  readonly then: Readonly<Record<string, unknown>>
  /** How many calls it answers at most. */
  readonly count: number | undefined
  /** When it expires, in virtual milliseconds since the epoch. */
  readonly until: number | undefined
}

/** A fault to arm. */
export interface FaultRequest {
  /** The name of the fault. Default: a generated one. */
  readonly id?: string | undefined
  /** The calls it applies to, as in `when` of a scenario rule. Default: all. */
  readonly when?: When | undefined
  /** One or several faults of the catalogue, each as a word or as `{ kind, … }`. */
  readonly fault?: Fault | readonly Fault[] | undefined
  /** Any answer of a scenario rule (`then`), instead of `fault`. */
  readonly then?: Then | undefined
  /** How many calls it answers. Default: all until it is cleared. */
  readonly count?: number | undefined
  /** How long it stays armed, in virtual time: `30s`, or milliseconds. */
  readonly ttl?: string | number | undefined
}

/**
 * The fault of a request. Throws `ApiError` (400) for a contradictory one, `ScenarioError` for what no
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
  if (count !== undefined && when.times !== undefined)
    throw new ApiError('invalid_request_error', '`count` and `when.times` mean the same: leave one out.', {
      param: 'count',
    })
  if (ttl !== undefined && when.during !== undefined)
    throw new ApiError(
      'invalid_request_error',
      '`ttl` and `when.during` both limit the time: leave one out.',
      {
        param: 'ttl',
      },
    )
  const lasts = ttl === undefined ? undefined : parseDuration(ttl)
  if (ttl !== undefined && lasts === undefined)
    throw new ApiError(
      'invalid_request_error',
      `\`ttl\`: expected a duration such as 30s, got ${JSON.stringify(ttl)}.`,
      { param: 'ttl' },
    )
  const until = lasts === undefined ? undefined : now + lasts
  if (until !== undefined && until > endOfTime)
    throw new ApiError('invalid_request_error', '`ttl`: expected a time before the end of virtual time.', {
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
    fault: { id, when: { ...when }, then: { ...answer }, count: count ?? when.times, until },
  }
}
