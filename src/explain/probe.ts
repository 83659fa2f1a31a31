/** Makes a private simulator give an answer, to show what a client really gets. */
import { createSimulator, type Simulator } from '../index.ts'
import type { Endpoint, SampleNeeds } from '../protocol/endpoint.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import type { RequestParts } from '../replay/build-request.ts'
import type { Exchange } from '../replay/exchange.ts'
import { requestParts } from '../replay/request-parts.ts'
import { runStory } from '../replay/run-story.ts'
import { inProcess } from '../replay/target.ts'
import { scriptsOf } from '../scenario/check/script.ts'
import { faultsOf } from '../scenario/compile/fault.ts'
import type { ScenarioSpec } from '../scenario/format/scenario.ts'
import type { AnswerSpec } from '../scenario/format/then.ts'
import { Scenario } from '../scenario/load/scenario.ts'
import { defaultKey } from '../scenario/load/scenario-set.ts'

/** The scenario around an answer. */
export interface ProbeContext {
  readonly seed: string | undefined
  /** The named states of the scenario. */
  readonly states: Readonly<Record<string, string>>
  readonly vocabulary: Vocabulary
}

/** An answered call and its simulator, on a manual clock. */
export interface ProbeResult {
  readonly exchange: Exchange
  readonly simulator: Simulator
  readonly parts: RequestParts
}

/** Makes a sample call of an operation under a rule with this answer; undefined if it has no sample. */
export async function probe(
  answer: AnswerSpec,
  operation: string,
  { seed, states, vocabulary }: ProbeContext,
): Promise<ProbeResult | undefined> {
  const call = sampleCall(vocabulary.endpoint(operation), needsOf(answer))
  if (call === undefined) return undefined
  const scenario = new Scenario('probe', {
    title: 'One answer',
    seed,
    states: { ...states },
    given: samplesOf(vocabulary) as NonNullable<ScenarioSpec['given']>,
    rules: [{ id: 'this-rule', when: { operation }, then: withoutChance(answer) }],
  })
  const simulator = createSimulator(
    { clock: 'manual', scenarios: [scenario], onWarning: () => {} },
    vocabulary.groups,
  )
  const target = inProcess(simulator)
  const parts = requestParts({
    base: target.base,
    routes: simulator.routes,
    reader: simulator.core.reader,
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

/** The resources that sample calls refer to, by kind. */
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

// Faults with a `chance` are shown as if they happen.
function withoutChance({ fault, ...answer }: AnswerSpec): AnswerSpec {
  return fault === undefined
    ? answer
    : { ...answer, fault: faultsOf(fault).map(({ chance: _, ...options }) => options) }
}

function needsOf(answer: AnswerSpec): SampleNeeds {
  const script = scriptsOf(answer).flatMap((one) => one.script)
  const calls = script.flatMap((item) =>
    'toolCall' in item ? [item.toolCall] : 'toolCalls' in item ? item.toolCalls : [],
  )
  return {
    tools: [...new Set(calls.map(({ name }) => name))],
    partials: script.some((item) => 'partial' in item),
    usage: script.some((item) => 'usage' in item),
  }
}
