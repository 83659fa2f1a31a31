import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { createSimulator } from 'gateway-sim'
import { listen } from 'gateway-sim/node'
import { studio } from './studio.js'

const sim = createSimulator({ clock: 'manual' })
const { url, close } = await listen(sim)
after(close)
afterEach(() => sim.resetAll())

// The client's sleep moves the simulator's clock, so that minutes take milliseconds.
const client = studio({
  baseUrl: url,
  apiKey: 'sk-any',
  sleep: async (ms) => void sim.clock.advance(ms),
  now: () => sim.clock.now(),
})

test('polls an image job every five seconds', async () => {
  const images = await client.paint('a lighthouse at night')
  assert.equal(images.length, 4)
  assert.equal((await fetch(images[0])).headers.get('content-type'), 'image/png')
  sim.verify({ requests: 'imageJobs.retrieve', atMost: 1, within: '4s' })
})

test('downloads a video that took a minute', async () => {
  const started = sim.clock.now()
  const bytes = await client.film('a sunset')
  assert.ok(bytes.length > 1000)
  assert.equal(sim.clock.now() - started, 60_000)
  assert.ok(sim.clientReport().ok)
})

test('reports the reason when a video fails', async () => {
  const job = { failAt: 60, code: 'server_error', message: 'The renderer crashed.' }
  sim.overrides.add({ when: { operation: 'videos.create' }, then: { job } })
  await assert.rejects(client.film('a sunset'), /The renderer crashed/)
})

test('gives up after five minutes, and submits only once', async () => {
  sim.overrides.add({ when: { operation: 'imageJobs.create' }, then: { job: 'stuck' } })
  await assert.rejects(client.paint('a lighthouse at night'), /no result after 300 s/)
  sim.verify({ requests: 'imageJobs.create', times: 1 })
})
