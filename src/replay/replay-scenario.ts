/** Replays one scenario against a private simulator, on a virtual clock. */
import type { SettingsInput } from '../generated/settings-types.ts'
import { createSimulator, type JournalEntry } from '../index.ts'
import { matchesOperation } from '../scenario/compile/select.ts'
import type { ScenarioSpec } from '../scenario/format/scenario.ts'
import type { Step } from '../scenario/format/steps.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { defaultKey } from '../scenario/load/scenario-set.ts'
import { inProcess, inProcessAddress } from './pacer.ts'
import type { StoryReport } from './report.ts'
import { requestParts } from './request-parts.ts'
import { runStory } from './run-story.ts'
import type { RunOptions, Story } from './story-run.ts'

export interface InProcessOptions extends Pick<RunOptions, 'onStep' | 'onProgress' | 'skip'> {
  readonly onWarning?: (message: string) => void
  /** Where the files of steps are, if the scenario is not a file itself. */
  readonly cwd?: string
  /** Folders whose files the scenario may name, besides its own. */
  readonly allowFiles?: readonly string[]
  /** Settings of the simulator; those of the scenario win. */
  readonly settings?: SettingsInput
}

export function storyOf({ name, spec }: Scenario): Story {
  return {
    file: name,
    title: spec.title,
    seed: spec.seed,
    steps: spec.steps ?? [],
    hasRuleFor: (operation) => rulesFor(spec, operation).length > 0,
    breaksEvents: (operation) => rulesFor(spec, operation).some(({ then }) => ordersBroken(then)),
  }
}

const rulesFor = ({ rules = [] }: ScenarioSpec, operation: string) =>
  rules.filter(({ when }) =>
    [when?.operation ?? '*'].flat().some((pattern) => matchesOperation(pattern, operation)),
  )

/** On a wall clock, two runs would differ: `real` is replayed like `manual`. */
export function clockOf({ spec }: Scenario): 'auto' | 'manual' {
  return spec.clock?.mode === 'auto' ? 'auto' : 'manual'
}

/** Returns the report and the simulator's journal. Throws `ScenarioError` for an invalid scenario. */
export async function replayInProcess(
  scenario: Scenario,
  { onWarning = () => {}, cwd = '.', allowFiles = [], settings = {}, ...hooks }: InProcessOptions = {},
): Promise<{ readonly report: StoryReport; readonly journal: readonly JournalEntry[] }> {
  const simulator = createSimulator({
    scenarios: [scenario],
    settings,
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
    firstKey: firstKeyOf(scenario, settings),
    render: simulator.core.media.render,
  })
  const report = await runStory(storyOf(scenario), { target, parts, match: simulator.core.match, ...hooks })
  const journal = simulator.journal()
  await simulator.close()
  return { report, journal }
}

/** Whether an answer orders a malformed event, or writes to the stream itself. */
function ordersBroken(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(
    ([name, part]) => name === 'raw' || (name === 'kind' && part === 'malformed-event') || ordersBroken(part),
  )
}

/** The keys for a server: one for the scenario's first key, and others by name. */
export interface GivenKeys {
  readonly first: string | undefined
  readonly byName: ReadonlyMap<string, string>
}

export function firstKeyOf({ spec }: Scenario, settings: SettingsInput = {}): string {
  return Object.keys(spec.account?.keys ?? settings.keys ?? {})[0] ?? defaultKey
}

/** Every key that `--api-key NAME=KEY` can replace. */
export function keyNamesOf(scenario: Scenario): string[] {
  const firstKey = firstKeyOf(scenario)
  const sent = keysIn(scenario.spec.steps ?? [], firstKey).map(({ key }) => key)
  return [...new Set([...Object.keys(scenario.spec.account?.keys ?? {}), firstKey, ...sent])]
}

/** The key of each step that names one or sends the first one; those of earlier replies are not known yet. */
export function keysIn(
  steps: readonly Step[],
  firstKey: string,
  isOpen: (operation: string) => boolean = () => false,
  before = '',
): { readonly step: string; readonly key: string }[] {
  return steps
    .flatMap((step, index) => {
      const number = `${before}${index + 1}`
      if ('parallel' in step) return keysIn(step.parallel, firstKey, isOpen, `${number}.`)
      if ('call' in step) return isOpen(step.call) ? [] : [{ step: number, key: step.key ?? firstKey }]
      return 'fetch' in step && step.key !== undefined ? [{ step: number, key: step.key }] : []
    })
    .filter(({ key }) => key !== '' && !key.includes('${'))
}

/** A shorter key is no secret, and would be found in ordinary words. */
const shortestSecret = 8

/** Hides real keys in a text: a server may repeat a key, and reports are shared. */
export function keyRemover({ first, byName }: GivenKeys): (text: string) => string {
  const keys = [...(first === undefined ? [] : [first]), ...byName.values()].filter(
    ({ length }) => length >= shortestSecret,
  )
  // One may begin with another.
  keys.sort((a, b) => b.length - a.length)
  return (text) => keys.reduce((hidden, key) => hidden.replaceAll(key, '<key>'), text)
}
