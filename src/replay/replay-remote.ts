/** Replays scenarios against a server at an address. */
import { createSimulator } from '../index.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { firstKeyOf, type GivenKeys, keyRemover, keysIn } from './keys.ts'
import type { Opened, Remote } from './remote.ts'
import { clockOf, storyOf } from './replay-scenario.ts'
import type { StoryReport } from './report.ts'
import { requestParts } from './request-parts.ts'
import { runStory } from './run-story.ts'
import { sentScenario } from './sent-scenario.ts'
import { simulatorOnly } from './simulator-only.ts'
import type { RunOptions } from './story-run.ts'

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
  const { routes, core } = createSimulator({ allowFiles })
  const opened = await remote.open({
    title: scenario.spec.title,
    clock: clockOf(scenario),
    sent: () => sentScenario(scenario, core.reader),
  })
  const reasons =
    opened.scenario === 'absent'
      ? await simulatorOnly(scenario, { cwd, allowFiles, remedy: opened.remedy })
      : new Map<string, string>()
  const firstKey = firstKeyOf(scenario)
  const story = storyOf(scenario)
  const keyFor = keyMapping(scenario, remote, opened, keys)
  const target = { ...opened.target, hide: keyRemover(keys) }
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
      reasons.set(step, `no key was given for ${key}: --api-key ${key === firstKey ? 'KEY' : `${key}=KEY`}`)
  }
  // A simulator accepts any key, unless its settings list some.
  const missingKeyNote =
    remote.kind === 'gateway' || keys.first !== undefined || keys.byName.size > 0
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

/** The key that is sent for a key of the scenario; undefined if there is none. */
function keyMapping(
  scenario: Scenario,
  { kind }: Remote,
  opened: Opened,
  { first, byName }: GivenKeys,
): (name: string) => string | undefined {
  const firstKey = firstKeyOf(scenario)
  // Who answers by the scenario knows the keys of its account, and they own what it gives.
  const known = opened.scenario === 'absent' ? {} : (scenario.spec.account?.keys ?? {})
  return (name) =>
    Object.hasOwn(known, name)
      ? name
      : (byName.get(name) ??
        (name === firstKey ? first : undefined) ??
        (kind === 'gateway' ? undefined : name))
}
