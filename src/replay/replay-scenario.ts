/** Replays one scenario against a private simulator, on a virtual clock. */
import { createSimulator, type JournalEntry } from '../index.ts'
import { matchesOperation } from '../scenario/check/reach.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { firstKeyOf } from './keys.ts'
import { breaksEvents } from './ordered-breaks.ts'
import type { StoryReport } from './report.ts'
import { requestParts } from './request-parts.ts'
import { runStory } from './run-story.ts'
import type { RunOptions, Story } from './story-run.ts'
import { inProcess, inProcessAddress } from './target.ts'

export interface InProcessOptions extends Pick<RunOptions, 'onStep' | 'onProgress' | 'skip'> {
  /** Called with the simulator's warnings. */
  readonly onWarning?: (message: string) => void
  /** Where the files of steps are, if the scenario is not a file itself. */
  readonly cwd?: string
  /** Folders whose files the scenario may name, besides its own. */
  readonly allowFiles?: readonly string[]
}

export function storyOf({ name, spec }: Scenario): Story {
  return {
    file: name,
    title: spec.title,
    seed: spec.seed,
    steps: spec.steps ?? [],
    hasRuleFor: (operation) => hasRuleFor(spec, operation),
    breaksEvents: (operation) => breaksEvents(spec, operation),
  }
}

function hasRuleFor({ rules = [] }: Scenario['spec'], operation: string): boolean {
  return rules.some(({ when }) =>
    [when?.operation ?? '*'].flat().some((pattern) => matchesOperation(pattern, operation)),
  )
}

/** On a wall clock, two runs would differ: `real` is replayed like `manual`. */
export function clockOf({ spec }: Scenario): 'auto' | 'manual' {
  return spec.clock?.mode === 'auto' ? 'auto' : 'manual'
}

/** Returns the report and the simulator's journal. Throws `ScenarioError` for an invalid scenario. */
export async function replayInProcess(
  scenario: Scenario,
  { onWarning = () => {}, cwd = '.', allowFiles = [], ...hooks }: InProcessOptions = {},
): Promise<{ readonly report: StoryReport; readonly journal: readonly JournalEntry[] }> {
  const simulator = createSimulator({
    scenarios: [scenario],
    clock: clockOf(scenario),
    onWarning,
    allowFiles,
  })
  // Loading the tokenizer on demand could change the order of parallel steps.
  if (scenario.spec.steps?.some((step) => 'parallel' in step) === true) await simulator.preload()
  const target = inProcess(simulator)
  const parts = requestParts({
    base: inProcessAddress,
    routes: simulator.routes,
    reader: simulator.core.reader,
    directory: scenario.directory ?? cwd,
    firstKey: firstKeyOf(scenario),
    render: simulator.core.media.render,
  })
  const report = await runStory(storyOf(scenario), { target, parts, match: simulator.core.match, ...hooks })
  const journal = simulator.journal()
  await simulator.close()
  return { report, journal }
}
