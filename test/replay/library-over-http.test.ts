/** The stories of scenarios/ over HTTP, against a simulator that serves them: what holds in-process holds on a socket. */
import { expect, it, onTestFinished } from 'vitest'
import { probe } from '../../src/replay/remote.ts'
import { replayRemote } from '../../src/replay/replay-remote.ts'
import { listen } from '../../src/transports/node.ts'
import { library, mistakes, scenario } from '../scenario/_library.ts'
import { simulator } from '../_setup.ts'

const limit = 5_000

it.each(library)('%s', async (name) => {
  const story = scenario(name)
  const listening = await listen(simulator({ scenarios: [story] }))
  onTestFinished(() => listening.close())
  const report = await replayRemote(story, await probe(listening.url, limit), { keys: { first: undefined, byName: new Map() }, cwd: '.', limit })
  expect(mistakes(report)).toEqual([])
  expect(report).toMatchObject({ outcome: 'held', counts: { failed: 0, skipped: 0 } })
})
