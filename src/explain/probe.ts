/** Runs a rule's response in a private simulator, to show what a client really gets. */
import { createSimulator, type Simulator } from '../index.ts'
import type { Endpoint, SampleNeeds } from '../protocol/endpoint.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import type { Exchange, RequestParts } from '../replay/build-request.ts'
import { inProcess, inProcessUrl } from '../replay/pacer.ts'
import { requestParts } from '../replay/request-parts.ts'
import { runStory } from '../replay/run-story.ts'
import { scriptsOf, toolsCalled } from '../scenario/compile/select.ts'
import { faultsOf } from '../scenario/faults/all.ts'
import type { AnswerSpec } from '../scenario/format/rule.ts'
import type { ScenarioSpec } from '../scenario/format/scenario.ts'
import { Scenario } from '../scenario/load/scenario.ts'
import { defaultKey } from '../scenario/load/scenario-set.ts'

/** The scenario around a response. */
export interface ProbeContext {
  readonly seed: string | undefined
  readonly flags: Readonly<Record<string, string>>
  readonly vocabulary: Vocabulary
}

/** A simulator with a manual clock, and the tools that build requests to it. */
export interface Probe {
  readonly simulator: Simulator
  readonly parts: RequestParts
}

export function openProbe(scenario: Scenario, { groups }: Vocabulary, directory = '.'): Probe {
  const simulator = createSimulator({ clock: 'manual', scenarios: [scenario], onWarning: () => {} }, groups)
  const { reader, media } = simulator.core
  const parts = requestParts({
    base: inProcessUrl,
    routes: simulator.routes,
    reader,
    directory,
    firstKey: defaultKey,
    render: media.render,
  })
  return { simulator, parts }
}

/** Makes a sample call of an operation under a rule with this response; undefined if it has no sample. */
export async function probe(
  answer: AnswerSpec,
  operation: string,
  { seed, flags, vocabulary }: ProbeContext,
): Promise<(Probe & { readonly exchange: Exchange }) | undefined> {
  const call = sampleCall(vocabulary.endpoint(operation), needsOf(answer))
  if (call === undefined) return undefined
  const scenario = new Scenario('probe', {
    title: 'One answer',
    seed,
    flags: { ...flags },
    given: samplesOf(vocabulary) as NonNullable<ScenarioSpec['given']>,
    rules: [{ id: 'this-rule', when: { operation }, then: withoutChance(answer) }],
  })
  const { simulator, parts } = openProbe(scenario, vocabulary)
  const report = await runStory(
    { file: '', title: '', seed, steps: [{ call: operation, with: call }] },
    { target: inProcess(simulator), parts, match: simulator.core.match },
  )
  const exchange = report.steps[0]?.exchanges[0]
  return exchange === undefined ? undefined : { exchange, simulator, parts }
}

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
  return {
    tools: toolsCalled(answer),
    partials: script.some((item) => 'partial' in item),
    usage: script.some((item) => 'usage' in item),
  }
}
