/** Replays scenarios against a server at an address. */
import { createSimulator } from '../index.ts'
import type { Step } from '../scenario/format/steps.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import type { Remote } from './remote.ts'
import { firstKeyOf, storyOf } from './replay-scenario.ts'
import type { StoryReport } from './report.ts'
import { requestParts } from './request-parts.ts'
import { runStory } from './run-story.ts'
import { simulatorOnly } from './simulator-only.ts'
import type { RunOptions } from './story-run.ts'

/** The keys for a server: one for the scenario's first key, and others by name. */
export interface GivenKeys {
  readonly first: string | undefined
  readonly byName: ReadonlyMap<string, string>
}

export interface RemoteOptions extends Pick<RunOptions, 'onStep' | 'onProgress'> {
  readonly keys: GivenKeys
  /** How long to wait for what `advance` would skip to, in real milliseconds. */
  readonly limit: number
  readonly cwd: string
  /** Folders whose files the scenario may name, besides its own. */
  readonly allowFiles?: readonly string[]
}

/** Replays one scenario against the server. */
export async function replayRemote(
  scenario: Scenario,
  remote: Remote,
  { keys, limit, cwd, allowFiles = [], ...hooks }: RemoteOptions,
): Promise<StoryReport> {
  const { simulator } = remote
  const served = simulator?.scenarios.includes(scenario.spec.title) === true
  const reasons = new Map(served ? [] : await simulatorOnly(scenario, cwd, allowFiles))
  const firstKey = firstKeyOf(scenario)
  const story = storyOf(scenario)
  const keyFor = (name: string): string | undefined =>
    keys.byName.get(name) ??
    (name === firstKey ? keys.first : undefined) ??
    (simulator === undefined ? undefined : name)
  for (const { step, key } of keysIn(story.steps, firstKey)) {
    if (key !== '' && !reasons.has(step) && keyFor(key) === undefined)
      reasons.set(step, `no key was given for ${key}: --api-key ${key === firstKey ? 'KEY' : `${key}=KEY`}`)
  }
  const target = { ...(await remote.open()), hide: keyRemover(keys) }
  const { routes, core } = createSimulator({ allowFiles })
  const parts = requestParts({
    base: target.base,
    routes,
    reader: core.reader,
    directory: scenario.directory ?? cwd,
    firstKey,
    keyFor: (name) => keyFor(name) ?? name,
    render: core.media.render,
  })
  // A simulator accepts any key, unless its settings list some.
  const missingKeyNote =
    simulator === undefined || keys.first !== undefined || keys.byName.size > 0
      ? undefined
      : [
          'no --api-key was given, and this simulator accepts only the keys of its settings',
          'and of `account.keys` in the scenarios that it serves',
        ].join(' ')
  return runStory(story, {
    missingKeyNote,
    target,
    parts,
    match: core.match,
    limit,
    skip: (step) => reasons.get(step),
    ...hooks,
  })
}

// A server may repeat a key, and reports are shared.
function keyRemover({ first, byName }: GivenKeys): (text: string) => string {
  const keys = [...(first === undefined ? [] : [first]), ...byName.values()]
  return (text) => keys.reduce((hidden, key) => hidden.replaceAll(key, '<key>'), text)
}

/** The key of each step that sends one. */
function keysIn(
  steps: readonly Step[],
  firstKey: string,
  before = '',
): { readonly step: string; readonly key: string }[] {
  return steps.flatMap((step, index) => {
    const number = `${before}${index + 1}`
    if ('parallel' in step) return keysIn(step.parallel, firstKey, `${number}.`)
    if ('call' in step) return [{ step: number, key: step.key ?? firstKey }]
    return 'fetch' in step && step.key !== undefined ? [{ step: number, key: step.key }] : []
  })
}
