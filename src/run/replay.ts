/** Replays scenarios: in a private simulator on a virtual clock, or against a server. */
import type { SettingsInput } from '../generated/settings-types.ts'
import { createSimulator, type JournalEntry, type Simulator } from '../index.ts'
import { matchesOperation } from '../scenario/compile/select.ts'
import type { ScenarioSpec } from '../scenario/format/scenario.ts'
import type { Step } from '../scenario/format/steps.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { defaultKey } from '../scenario/load/scenario-set.ts'
import type { StoryReport } from './replay-report.ts'
import { requestParts } from './request-parts.ts'
import { runStory } from './run-steps.ts'
import { openSession, simulatorAt } from './simulator-target.ts'
import type { RunOptions, Story } from './story-run.ts'
import { gatewayAt, inProcess, inProcessUrl } from './target.ts'

export interface InProcessOptions {
  readonly onWarning?: (message: string) => void
  /** Where the files of steps are, if the scenario is not a file itself. */
  readonly cwd?: string
  /** Folders whose files the scenario may use, in addition to its own. */
  readonly allowFiles?: readonly string[]
  /** Settings of the simulator; those of the scenario win. */
  readonly settings?: SettingsInput
  /** Called with the simulator after the last step. */
  readonly onEnd?: (simulator: Simulator) => void
}

function storyOf({ name, spec }: Scenario): Story {
  return {
    file: name,
    title: spec.title,
    seed: spec.seed,
    steps: spec.steps ?? [],
  }
}

const hasRuleFor = ({ rules = [] }: ScenarioSpec, operation: string): boolean =>
  rules.some(({ when }) =>
    [when?.operation ?? '*'].flat().some((pattern) => matchesOperation(pattern, operation)),
  )

/** On a wall clock, two runs would differ: `real` is replayed like `manual`. */
function clockOf({ spec }: Scenario): 'auto' | 'manual' {
  return spec.clock?.mode === 'auto' ? 'auto' : 'manual'
}

/** Returns the report and the simulator's journal. Throws `ScenarioError` for an invalid scenario. */
export async function replayInProcess(
  scenario: Scenario,
  {
    onWarning = () => {},
    cwd = '.',
    allowFiles = [],
    settings = {},
    onEnd = () => {},
  }: InProcessOptions = {},
): Promise<{ readonly report: StoryReport; readonly journal: readonly JournalEntry[] }> {
  // Links keep the URL of the simulator.
  const { publicUrl: _, ...used } = settings
  const simulator = createSimulator({
    scenarios: [scenario],
    settings: used,
    clock: clockOf(scenario),
    onWarning,
    allowFiles,
  })
  const target = inProcess(simulator)
  const parts = requestParts(simulator, {
    base: inProcessUrl,
    directory: scenario.directory ?? cwd,
    firstKey: firstKeyOf(scenario, settings),
  })
  const report = await runStory(storyOf(scenario), { target, parts })
  const journal = simulator.journal()
  onEnd(simulator)
  await simulator.close()
  return { report, journal }
}

function firstKeyOf({ spec }: Scenario, settings: SettingsInput = {}): string {
  return Object.keys(spec.keys ?? settings.keys ?? {})[0] ?? defaultKey
}

export interface ServerOptions extends Pick<RunOptions, 'onProgress'> {
  /** The base URL, without a trailing slash. */
  readonly base: string
  /** The key for a gateway, which replaces the first API key of the scenario. A simulator needs none. */
  apiKey(): string
  readonly controlToken?: string | undefined
  /** The maximum wait for a response, and for changes that `advance` would skip to. Milliseconds. */
  readonly limit: number
  readonly cwd: string
  /** Folders whose files the scenario may use, in addition to its own. */
  readonly allowFiles?: readonly string[]
}

/**
 * Runs the steps against a server. A simulator gets the scenario in a new session. A gateway gets the steps
 * in real time, without those that need the rules of the scenario. Rejects with `ControlError` if a simulator
 * rejects the scenario.
 */
export async function replayOnServer(scenario: Scenario, options: ServerOptions): Promise<StoryReport> {
  const { base, apiKey, limit, cwd, allowFiles = [], controlToken, onProgress } = options
  const api = createSimulator({ allowFiles })
  const firstKey = firstKeyOf(scenario)
  const common = { directory: scenario.directory ?? cwd, firstKey }
  const story = storyOf(scenario)
  const simulator = await simulatorAt(base, controlToken)
  if (simulator !== undefined) {
    const { target, session } = await openSession(simulator, scenario, clockOf(scenario))
    try {
      const parts = requestParts(api, { ...common, base: target.base })
      return await runStory(story, { target, parts, limit, onProgress })
    } finally {
      await session.dispose()
    }
  }
  const key = apiKey()
  const keyFor = (name: string): string => (name === firstKey ? key : name)
  const parts = requestParts(api, { ...common, base, keyFor })
  const target = gatewayAt(base, key, limit)
  const skip = (step: Step): string | undefined => skipReason(step, scenario, firstKey)
  return runStory(story, { target, parts, limit, skip, onProgress })
}

/** Why a gateway cannot be sent a step. */
function skipReason(step: Step, { spec }: Scenario, firstKey: string): string | undefined {
  const remedy = 'omit --base-url, or pass the URL of a gateway-sim server'
  const preset = spec.given !== undefined ? 'given resources' : 'limits'
  if (spec.given !== undefined || spec.limits !== undefined) return `the scenario has ${preset}: ${remedy}`
  if ('call' in step && hasRuleFor(spec, step.call))
    return `the scenario has a rule for ${step.call}: ${remedy}`
  // From a real server, only URLs of its own responses are fetched.
  if ('fetch' in step && !/^(?:\/|\$\{)/.test(step.fetch))
    return 'replay fetches only URLs on this server (/v1/…) and URLs saved from its responses (${name})'
  const key = 'advance' in step ? firstKey : (step.key ?? firstKey)
  return key === firstKey || key === '' || key.includes('${')
    ? undefined
    : `the step has the API key ${key}: --api-key replaces only ${firstKey}`
}
