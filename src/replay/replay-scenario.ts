/** Replays one scenario against a simulator of its own, on a virtual clock. */
import { createSimulator, type JournalEntry } from '../index.ts'
import { matchesOperation } from '../scenario/check/support.ts'
import type { Scenario } from '../scenario/load/load-scenario.ts'
import { defaultKey } from '../scenario/load/scenario-set.ts'
import type { StoryReport } from './report.ts'
import { requestParts } from './request-parts.ts'
import { type RunOptions, runStory, type Story } from './run-story.ts'
import { inProcess, inProcessAddress } from './target.ts'

export interface InProcessOptions extends Pick<RunOptions, 'onStep' | 'onProgress' | 'skip'> {
  /** Hears what the simulator warns of. */
  readonly onWarning?: (message: string) => void
  /** Where files that the steps send are looked for, when the scenario is no file. */
  readonly cwd?: string
}

/** What of a scenario is run. */
export function storyOf({ name, spec }: Scenario): Story {
  return {
    file: name,
    title: spec.title,
    seed: spec.seed,
    steps: spec.steps ?? [],
    ruled: (operation) => ruledIn(spec, operation),
  }
}

function ruledIn({ rules = [] }: Scenario['spec'], operation: string): boolean {
  return rules.some(({ when }) =>
    [when?.operation ?? '*'].flat().some((pattern) => matchesOperation(pattern, operation)),
  )
}

/** The key of steps that name none. */
export function firstKeyOf({ spec }: Scenario): string {
  return Object.keys(spec.account?.keys ?? {})[0] ?? defaultKey
}

/**
 * The report, and what the simulator wrote down. Throws `ScenarioError` for a scenario that cannot be used.
 */
export async function replayInProcess(
  scenario: Scenario,
  { onWarning = () => {}, cwd = '.', ...heard }: InProcessOptions = {},
): Promise<{ readonly report: StoryReport; readonly journal: readonly JournalEntry[] }> {
  const simulator = createSimulator({
    scenarios: [scenario],
    // A wall clock would make two runs differ: `real` is replayed on a clock that the replay moves.
    clock: scenario.spec.clock?.mode === 'auto' ? 'auto' : 'manual',
    onWarning,
  })
  // Steps that begin together must not wait for the tokenizer in an order of their own.
  if (scenario.spec.steps?.some((step) => 'parallel' in step) === true) await simulator.preload()
  const target = inProcess(simulator)
  const parts = requestParts({
    base: inProcessAddress,
    routes: simulator.routes,
    directory: scenario.directory ?? cwd,
    firstKey: firstKeyOf(scenario),
    render: simulator.core.media.render,
  })
  const report = await runStory(storyOf(scenario), { target, parts, match: simulator.core.match, ...heard })
  const journal = simulator.journal()
  await simulator.close()
  return { report, journal }
}
