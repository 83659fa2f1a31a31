/**
 * Scenarios of the library over HTTP, a fifth of them with each seed: on a simulator nothing is skipped,
 * whether it serves the scenario or not.
 */
import { describe, expect, it, type TestContext } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { replayOnServer } from '../../src/run/replay.ts'
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
  limit = 10_000,
): Promise<StoryReport> {
  const listening = await listen(simulator({ selfCheck: false, ...options }))
  onTestFinished(() => listening.close())
  return replayOnServer(played, { base: listening.url, apiKey: () => 'sk-real', limit, cwd: '.' })
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
