/**
 * Every scenario of the library over HTTP: against a simulator that serves it nothing is skipped, against
 * another one nothing that is left fails.
 */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { probe } from '../../src/replay/remote.ts'
import { replayRemote } from '../../src/replay/replay-remote.ts'
import type { StoryReport } from '../../src/replay/report.ts'
import type { Scenario } from '../../src/scenario/load/scenario.ts'
import { simulator } from '../_setup.ts'
import { library, scenario } from '../scenario/_library.ts'
import { mistakes } from './_replay.ts'

async function replayed(played: Scenario, options: SimulatorOptions): Promise<StoryReport> {
  const listening = await listen(simulator({ selfCheck: false, ...options }))
  onTestFinished(() => listening.close())
  return replayRemote(played, await probe(listening.url, 10_000), {
    keys: { first: undefined, byName: new Map() },
    limit: 10_000,
    cwd: '.',
  })
}

describe('a simulator that serves the scenario over HTTP', () => {
  it.each(library)('holds %s as in-process', async (name) => {
    const played = scenario(name)
    const report = await replayed(played, {
      clock: played.spec.clock?.mode === 'auto' ? 'auto' : 'manual',
      scenarios: [played],
    })
    expect({ mistakes: mistakes(report), skipped: report.counts.skipped }).toEqual({
      mistakes: [],
      skipped: 0,
    })
  })
})

describe('a simulator that does not know the scenario', () => {
  it.each(library)('holds what is left of %s', async (name) => {
    const report = await replayed(scenario(name), { clock: 'manual', seed: 'another' })
    expect(mistakes(report)).toEqual([])
  })
})
