/**
 * Lets a simulator of its own give an answer, so that what is told of it is what a client meets. Draws
 * nothing.
 */
import { ConfigError, createSimulator, ScenarioError, type ScenarioInput, type Simulator } from '../index.ts'
import type { Endpoint, SampleNeeds } from '../protocol/endpoint.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import type { RequestParts } from '../replay/build-request.ts'
import type { Exchange } from '../replay/exchange.ts'
import { requestParts } from '../replay/request-parts.ts'
import { runStory } from '../replay/run-story.ts'
import { inProcess } from '../replay/target.ts'
import { defaultKey } from '../scenario/load/scenario-set.ts'
import type { WrittenAnswer } from '../scenario/written.ts'

/** What an answer is given under. */
export interface ProbeContext {
  readonly seed: string | undefined
  /** The named states of the scenario. */
  readonly states: Readonly<Record<string, string>>
  readonly vocabulary: Vocabulary
}

/** A call that was answered, and the simulator it was made to; its clock is `manual`. */
export interface Probed {
  readonly exchange: Exchange
  readonly simulator: Simulator
  readonly parts: RequestParts
}

/**
 * Makes one usual call of the operation under a rule that gives this answer to every call of it; undefined
 * where there is no such call.
 */
export async function probe(
  answer: WrittenAnswer,
  operation: string,
  { seed, states, vocabulary }: ProbeContext,
): Promise<Probed | undefined> {
  const call = sampleCall(vocabulary.endpoint(operation), needsOf(answer))
  if (call === undefined) return undefined
  const scenario = {
    title: 'One answer',
    ...(seed === undefined ? {} : { seed }),
    ...(Object.keys(states).length === 0 ? {} : { states }),
    given: samplesOf(vocabulary),
    rules: [{ id: 'this-rule', when: { operation }, then: certain(answer) }],
  } as unknown as ScenarioInput
  let simulator: Simulator
  try {
    simulator = createSimulator(
      { clock: 'manual', scenarios: [scenario], onWarning: () => {} },
      vocabulary.groups,
    )
  } catch (error) {
    // The rule is good where it stands; what it says of other operations is not for this one.
    if (error instanceof ScenarioError || error instanceof ConfigError) return undefined
    throw error
  }
  const target = inProcess(simulator)
  const parts = requestParts({
    base: target.base,
    routes: simulator.routes,
    directory: '.',
    firstKey: defaultKey,
    render: simulator.core.media.render,
  })
  const report = await runStory(
    { file: '', title: '', seed, steps: [{ call: operation, with: call }] },
    { target, parts, match: simulator.core.match },
  )
  const exchange = report.steps[0]?.exchanges[0]
  return exchange === undefined ? undefined : { exchange, simulator, parts }
}

/** What exists before the sample calls, by kind. */
export function samplesOf({ kinds }: Vocabulary): Readonly<Record<string, readonly object[]>> {
  return Object.fromEntries(
    kinds.flatMap(({ name, sample }) => (sample === undefined ? [] : [[name, [sample]]])),
  )
}

function sampleCall(
  endpoint: Endpoint | undefined,
  needs: SampleNeeds,
): Readonly<Record<string, unknown>> | undefined {
  if (endpoint?.sampleCall !== undefined) return endpoint.sampleCall(needs)
  if (endpoint?.example === undefined) return undefined
  const { params, json } = endpoint.example
  return { ...params, ...json, ...(endpoint.event === undefined ? {} : { stream: true }) }
}

// What happens by chance is shown as when it happens.
function certain({ fault, ...answer }: WrittenAnswer): WrittenAnswer {
  if (fault === undefined) return answer
  const list = (Array.isArray(fault) ? fault : [fault]) as readonly (
    | string
    | Readonly<Record<string, unknown>>
  )[]
  return {
    ...answer,
    fault: list.map((one) =>
      typeof one === 'string'
        ? one
        : Object.fromEntries(Object.entries(one).filter(([name]) => name !== 'chance')),
    ) as unknown as NonNullable<WrittenAnswer['fault']>,
  }
}

function needsOf({ stream }: WrittenAnswer): SampleNeeds {
  const script = stream?.script ?? []
  const calls = script.flatMap((item) =>
    'toolCall' in item ? [item.toolCall] : 'toolCalls' in item ? item.toolCalls : [],
  )
  return {
    tools: [...new Set(calls.map(({ name }) => name))],
    partials: script.some((item) => 'partial' in item),
    usage: script.some((item) => 'usage' in item),
  }
}
