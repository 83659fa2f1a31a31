/** Runs steps as `gateway-sim replay` does, against a simulator of the test. */

import type { SimulatorOptions } from '../../src/index.ts'
import type { StoryReport } from '../../src/run/replay-report.ts'
import { requestParts } from '../../src/run/request-parts.ts'
import { runStory } from '../../src/run/run-steps.ts'
import type { RunOptions } from '../../src/run/story-run.ts'
import { inProcess } from '../../src/run/target.ts'
import { type StepInput, stepSchema } from '../../src/scenario/format/steps.ts'
import { defaultKey } from '../../src/scenario/load/scenario-set.ts'
import { simulator } from '../_setup.ts'

/** The report of these steps, in-process; they are as a scenario file has them. */
export async function replay(
  steps: readonly StepInput[],
  options: SimulatorOptions = {},
  more: Partial<RunOptions> = {},
): Promise<StoryReport> {
  const sim = simulator({ seed: 'fox-7', ...options })
  const step = stepSchema(sim.routes.map(({ endpoint }) => endpoint.operation))
  const target = inProcess(sim)
  return runStory(
    { file: 'story.yaml', title: 'A story', seed: 'fox-7', steps: steps.map((one) => step.parse(one)) },
    {
      target,
      parts: requestParts(sim, { base: target.base, directory: '.', firstKey: defaultKey }),
      ...more,
    },
  )
}

/** What did not hold, as `3 body.status: expected "completed", got "failed"`. */
export function errors(report: StoryReport): string[] {
  return report.steps.flatMap(({ step, failures }) =>
    failures.map(
      ({ kind, field, expected, got }) =>
        `${step} ${kind === 'contract' ? 'contract ' : ''}${field}: expected ${expected}, got ${got}`,
    ),
  )
}

/** A chat that streams, with a model that may be a reserved word. */
export const streamed = (model = 'gpt-4o') => ({
  call: 'chat.create',
  with: { model, stream: true, messages: [{ role: 'user', content: 'Say hello.' }] },
})

/** A paced stream: the first event after 300 ms, the others 40 ms apart. */
export const paced: SimulatorOptions = {
  settings: { chat: { firstEventAfter: '300ms', eventInterval: '40ms' } },
}
