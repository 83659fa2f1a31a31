/**
 * Scenarios of the library over HTTP, a fifth of them with each seed. On a simulator nothing is skipped,
 * whether it serves the scenario or is given it; on a gateway that is no simulator, nothing that is left
 * fails.
 */
import { describe, expect, it, type TestContext } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { probe } from '../../src/run/remote.ts'
import { type GivenKeys, keyNamesOf, replayRemote } from '../../src/run/replay.ts'
import type { StoryReport } from '../../src/run/replay-report.ts'
import type { Scenario } from '../../src/scenario/load/scenario.ts'
import { some } from '../_counts.ts'
import { simulator } from '../_setup.ts'
import { run, serve } from '../cli/_io.ts'
import { library, root, scenario } from '../scenario/_library.ts'
import { errors } from './_replay.ts'

const stories = [...some(library)]

async function replayed(
  played: Scenario,
  { onTestFinished }: TestContext,
  options: SimulatorOptions,
  {
    limit = 10_000,
    keys = { first: undefined, byName: new Map() },
  }: { limit?: number; keys?: GivenKeys } = {},
): Promise<StoryReport> {
  const listening = await listen(simulator({ selfCheck: false, ...options }))
  onTestFinished(() => listening.close())
  return replayRemote(played, await probe(listening.url, limit), { keys, limit, cwd: '.' })
}

// Every story goes through `gateway-sim record` in test/check/scenarios.thorough.test.ts.
it('every scenario passes against a `gateway-sim serve` that receives it from replay', async () => {
  const { url } = await serve(['--quiet'])
  const files = stories.map((name) => `scenarios/${name}`)
  const { code, stdout, stderr } = await run(['replay', ...files, '--base-url', url, '--format', 'json'], {
    cwd: root,
  })
  const { counts, scenarios } = JSON.parse(stdout) as {
    counts: { steps: { failed: number; skipped: number } }
    scenarios: { file: string; outcome: string }[]
  }
  expect(scenarios.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
  expect(scenarios.map(({ file }) => file)).toEqual(files)
  expect(counts.steps).toMatchObject({ failed: 0, skipped: 0 })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

describe('a simulator that serves the scenario over HTTP', () => {
  it.for(stories)('%s passes as in-process', async (name, context) => {
    const played = scenario(name)
    const report = await replayed(played, context, {
      clock: played.spec.clock?.mode === 'auto' ? 'auto' : 'manual',
      scenarios: [played],
    })
    expect({ errors: errors(report), skipped: report.counts.skipped }).toEqual({
      errors: [],
      skipped: 0,
    })
  })
})

// Several at once: most of their time they wait for the next poll.
describe.concurrent('a gateway that is not a simulator, in real time', () => {
  it.for(stories)(
    'holds what is left of %s, and each skip says what would make it run',
    async (name, context) => {
      const played = scenario(name)
      const report = await replayed(
        played,
        context,
        // Minutes of a job are seconds here.
        { clock: 'real', speed: 60, seed: 'another', settings: { control: { enabled: false } } },
        {
          limit: 15_000,
          keys: { first: undefined, byName: new Map(keyNamesOf(played).map((key) => [key, `real-${key}`])) },
        },
      )
      expect(errors(report)).toEqual([])
      for (const { reason = 'x: y' } of report.steps) expect(reason).toMatch(/: |no earlier step has saved/)
    },
  )
})
