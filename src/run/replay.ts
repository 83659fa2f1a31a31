/** Replays scenarios: in a private simulator on a virtual clock, or against a server. */
import type { SettingsInput } from '../generated/settings-types.ts'
import { createSimulator, type JournalEntry, type Simulator } from '../index.ts'
import { decisionText } from '../protocol/plan.ts'
import { matchesOperation } from '../scenario/compile/select.ts'
import type { ScenarioSpec } from '../scenario/format/scenario.ts'
import type { Step } from '../scenario/format/steps.ts'
import { Scenario } from '../scenario/load/scenario.ts'
import { defaultKey } from '../scenario/load/scenario-set.ts'
import type { Opened, Remote } from './remote.ts'
import type { StepReport, StoryReport } from './replay-report.ts'
import { requestParts } from './request-parts.ts'
import { runStory } from './run-steps.ts'
import type { RunOptions, Story } from './story-run.ts'
import { inProcess, inProcessUrl, keyRemover } from './target.ts'

export interface InProcessOptions extends Pick<RunOptions, 'onStep' | 'onProgress' | 'skip'> {
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
    hasRuleFor: (operation) => rulesFor(spec, operation).length > 0,
    breaksEvents: (operation) => rulesFor(spec, operation).some(({ then }) => ordersBroken(then)),
  }
}

const rulesFor = ({ rules = [] }: ScenarioSpec, operation: string) =>
  rules.filter(({ when }) =>
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
    ...hooks
  }: InProcessOptions = {},
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
    base: inProcessUrl,
    routes: simulator.routes,
    reader: simulator.core.reader,
    directory: scenario.directory ?? cwd,
    firstKey: firstKeyOf(scenario, settings),
    render: simulator.core.media.render,
  })
  const report = await runStory(storyOf(scenario), { target, parts, match: simulator.core.match, ...hooks })
  const journal = simulator.journal()
  onEnd(simulator)
  await simulator.close()
  return { report, journal }
}

/** Whether a response contains a malformed event, or frames of the stream. */
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

function firstKeyOf({ spec }: Scenario, settings: SettingsInput = {}): string {
  return Object.keys(spec.keys ?? settings.keys ?? {})[0] ?? defaultKey
}

/** Every key that `--api-key NAME=KEY` can replace. */
export function keyNamesOf(scenario: Scenario): string[] {
  const firstKey = firstKeyOf(scenario)
  const sent = keysIn(scenario.spec.steps ?? [], firstKey).map(({ key }) => key)
  return [...new Set([...Object.keys(scenario.spec.keys ?? {}), firstKey, ...sent])]
}

/**
 * The key of each step that names one or sends the first one; those of earlier responses are not known yet.
 */
function keysIn(
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

export interface RemoteOptions extends Pick<RunOptions, 'onStep' | 'onProgress'> {
  readonly keys: GivenKeys
  /** The maximum wait for changes that `advance` would skip to, in real milliseconds. */
  readonly limit: number
  readonly cwd: string
  /** Folders whose files the scenario may use, in addition to its own. */
  readonly allowFiles?: readonly string[]
}

export async function replayRemote(
  scenario: Scenario,
  remote: Remote,
  { keys, limit, cwd, allowFiles = [], ...hooks }: RemoteOptions,
): Promise<StoryReport> {
  const { routes, core } = createSimulator({ allowFiles })
  const { steps: _, ...written } = scenario.written as Readonly<Record<string, unknown>>
  const opened = await remote.open({
    title: scenario.spec.title,
    clock: clockOf(scenario),
    written,
    hide: keyRemover([keys.first ?? '', ...keys.byName.values()]),
  })
  const reasons =
    opened.scenario === 'absent'
      ? await simulatorOnly(scenario, { cwd, allowFiles, remedy: opened.remedy })
      : new Map<string, string>()
  const firstKey = firstKeyOf(scenario)
  const story = storyOf(scenario)
  const keyFor = keyMapping(scenario, remote, opened, keys)
  const { target } = opened
  const parts = requestParts({
    base: target.base,
    routes,
    reader: core.reader,
    directory: scenario.directory ?? cwd,
    firstKey,
    keyFor: (name) => keyFor(name) ?? name,
    render: core.media.render,
  })
  const isOpen = (operation: string): boolean => parts.routeOf(operation).endpoint.open === true
  for (const { step, key } of keysIn(story.steps, firstKey, isOpen)) {
    if (!reasons.has(step) && keyFor(key) === undefined)
      reasons.set(
        step,
        `missing API key for ${key}: pass --api-key ${key === firstKey ? 'KEY' : `${key}=KEY`}`,
      )
  }
  return runStory(story, {
    target,
    parts,
    match: core.match,
    limit,
    skip: (step) => reasons.get(step),
    ...hooks,
  })
}

/** The key that is sent for a key of the scenario; undefined if there is none. */
function keyMapping(
  scenario: Scenario,
  { kind }: Remote,
  opened: Opened,
  { first, byName }: GivenKeys,
): (name: string) => string | undefined {
  const firstKey = firstKeyOf(scenario)
  // A server with the scenario has its keys, and its given resources belong to them.
  const known = opened.scenario === 'absent' ? {} : (scenario.spec.keys ?? {})
  return (name) =>
    Object.hasOwn(known, name)
      ? name
      : (byName.get(name) ??
        (name === firstKey ? first : undefined) ??
        (kind === 'gateway' ? undefined : name))
}

/** Finds the steps that need a simulator with this scenario, by replaying it without its rules. */
interface SimulatorOnlyOptions {
  readonly cwd: string
  /** Folders whose files the scenario may use, in addition to its own. */
  readonly allowFiles: readonly string[]
  /** The remedy that makes these steps run; every reason ends with it. */
  readonly remedy: string
}

/** The reasons by step number. */
async function simulatorOnly(
  scenario: Scenario,
  { cwd, allowFiles, remedy }: SimulatorOnlyOptions,
): Promise<Map<string, string>> {
  const { report, journal } = await replayInProcess(scenario, { cwd, allowFiles })
  const decided = new Map(
    journal.map(({ cause: { requestId, decidedBy } }) => [
      requestId,
      decidedBy === undefined ? undefined : decisionText(decidedBy),
    ]),
  )
  const reasons = new Map<string, string>()
  for (const step of report.steps) {
    const by = deciderOf(step, decided)
    if (by !== undefined) reasons.set(step.step, `the response depends on ${by}: ${remedy}`)
  }

  const { title, seed, clock, steps } = scenario.spec
  // Not checked again: its steps may refer to responses that only its rules produce.
  const bare = new Scenario(scenario.name, { title, seed, clock, steps })
  const passed = new Set(report.steps.filter(({ outcome }) => outcome === 'passed').map(({ step }) => step))
  // Skipped steps make others fail, which must be skipped too: repeat until no more fail.
  for (;;) {
    const { report: without } = await replayInProcess(bare, {
      cwd: scenario.directory ?? cwd,
      allowFiles,
      skip: (step) => reasons.get(step),
    })
    const failed = without.steps.filter(
      ({ step, outcome }) => outcome === 'failed' && passed.has(step) && !reasons.has(step),
    )
    if (failed.length === 0) return reasons
    for (const { step } of failed)
      reasons.set(step, `the expectations depend on the scenario's keys, given resources or rules: ${remedy}`)
  }
}

function deciderOf(
  { exchanges }: StepReport,
  decided: ReadonlyMap<string, string | undefined>,
): string | undefined {
  for (const { response, operation } of exchanges) {
    if (response === undefined && operation !== undefined) return 'a fault'
    for (const [name, value] of response?.headers ?? []) {
      const by = name.endsWith('request-id') ? decided.get(value) : undefined
      if (by !== undefined) return by
    }
  }
  return undefined
}
