/** The failures of one operation as cases for `test.each`. */
import type { Operation, ScenarioInput } from '../generated/scenario-types.ts'
import { createSimulator } from '../index.ts'
import { didYouMean } from '../protocol/nearest-word.ts'
import { allFailures, type Failure, type Nature } from './failure.ts'
import type { Target } from './target.ts'
import { scenarioOf } from './trial.ts'

/** Options that select failures of an operation. */
export interface FailureOptions {
  /** Whether the client asks for a stream. Default: false. */
  readonly stream?: boolean
  /** Whether every request fails, instead of the first one. Default: false. */
  readonly always?: boolean
  /** Names of failures, such as `rate-limit`. Default: all. */
  readonly only?: readonly string[]
  /** Names of failures to omit. */
  readonly except?: readonly string[]
}

/** A failure as a case of a test. */
export interface FailureCase {
  /** `chat.create:rate-limit`; also a value of `only` in `tryFailures`. */
  readonly id: string
  readonly operation: string
  /** `rate-limit`. */
  readonly failure: string
  readonly nature: Nature
  /** What the client sees, in one sentence. */
  readonly what: string
  /** Makes the failure: `await sim.scenarios.add(scenario)`. */
  readonly scenario: ScenarioInput
}

/** Twice the number of events before a failure in the middle of a stream. Even short streams are longer. */
const assumedEvents = 6

/**
 * The failures that can meet a request for an operation.
 *
 * @example
 * test.for(failures(operation, { stream: true }))('survives $failure', async ({ scenario }, { sim }) => {
 *   await sim.scenarios.add(scenario)
 *   // …
 * })
 */
export function failures(
  operation: Operation,
  { stream = false, always = false, only, except = [] }: FailureOptions = {},
): FailureCase[] {
  const target = targetOf(operation, stream)
  const possible = allFailures.filter((failure) => failure.meets(target))
  checkNames([...(only ?? []), ...except], operation, possible)
  return possible
    .filter(({ id }) => (only === undefined || only.includes(id)) && !except.includes(id))
    .map((failure) => ({
      id: `${operation}:${failure.id}`,
      operation,
      failure: failure.id,
      nature: failure.nature,
      what: failure.what,
      scenario: scenarioOf({ operation, nth: always ? undefined : 1, failure, target }),
    }))
}

function targetOf(id: string, stream: boolean): Target {
  const { vocabulary } = createSimulator().core
  const operation = vocabulary.operation(id)
  if (operation === undefined)
    throw new TypeError(
      `failures: unknown operation ${JSON.stringify(id)}: ${didYouMean(id, vocabulary.operations)}`,
    )
  const { event, response } = operation.endpoint
  if (stream && event === undefined) throw new TypeError(`failures: ${id} does not stream: omit \`stream\``)
  return {
    operation,
    nth: 1,
    position: { received: 1, checked: 1 },
    delivery: stream ? 'stream' : 'body',
    events: stream ? assumedEvents : undefined,
    body: undefined,
    choice: undefined,
    isJson: !stream && response !== undefined,
  }
}

function checkNames(names: readonly string[], operation: string, possible: readonly Failure[]): void {
  const ids = possible.map(({ id }) => id)
  const unknown = names.find((name) => !ids.includes(name))
  if (unknown === undefined) return
  throw new TypeError(
    `failures: ${JSON.stringify(unknown)} is not a failure of ${operation}: ${didYouMean(unknown, ids)}`,
  )
}
