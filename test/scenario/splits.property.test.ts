/**
 * However an advance is split, the same things have happened: jobs, streams and rules are functions of
 * virtual time alone.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ScenarioInput } from '../../src/index.ts'
import { runs } from '../_counts.ts'
import { simulator } from '../_setup.ts'

const at = fc.integer({ min: 0, max: 60 }).map((seconds) => seconds * 500)

/** The same course for each kind of resource, in its words. */
const states = {
  videos: ['pending', 'in_progress', 'completed', 'failed'],
  imageJobs: ['waiting', 'running', 'succeeded', 'failed'],
  videoOperations: ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED'],
}

const timelines = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 20 }),
      state: fc.integer({ min: 0, max: 3 }),
      from: fc.integer({ min: 0, max: 50 }),
      to: fc.integer({ min: 50, max: 100 }),
      ramp: fc.boolean(),
      notFound: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((entries) => (kind: keyof typeof states, progress?: string) => {
    let when = 0
    return entries.map(({ gap, state, from, to, ramp, notFound }, index) => {
      when += index === 0 ? 0 : gap * 500
      if (notFound && index > 0) return { at: when, notFound: true }
      const moving = ramp ? { from, to, over: 5000 } : from
      return { at: when, status: states[kind][state], ...(progress && { [progress]: moving }) }
    })
  })

const scenario = fc.record({
  timeline: timelines,
  job: fc.constantFrom<unknown>(
    'stuck',
    'finished',
    { failAt: 40 },
    { notFoundAt: 60 },
    { blocked: [0, 2] },
    { regressAt: 50 },
  ),
  firstEventAfter: fc.integer({ min: 0, max: 3000 }),
  tokensPerSecond: fc.integer({ min: 1, max: 50 }),
  window: fc.tuple(at, at).map(([a, b]) => ({ from: Math.min(a, b), until: Math.max(a, b) + 1 })),
  seed: fc.string({ minLength: 1, maxLength: 5 }),
})

type Story = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never

/** What a client has seen when so much time is over, and what the advances reported. */
async function transcript(story: Story, splits: readonly number[], polls = false): Promise<unknown> {
  const { timeline, job, firstEventAfter, tokensPerSecond, window, seed } = story
  const rules = [
    { id: 'video', when: { operation: 'videos.create' }, then: { timeline: timeline('videos', 'progress') } },
    { id: 'edit', when: { operation: 'imageJobs.retexture' }, then: { timeline: timeline('imageJobs') } },
    {
      id: 'operation',
      when: { operation: 'videoOperations.submit' },
      then: { timeline: timeline('videoOperations', 'progressPercent') },
    },
    { id: 'job', when: { operation: 'imageJobs.create' }, then: { job } },
    {
      id: 'stream',
      when: { operation: 'chat.create', body: { stream: true } },
      then: { stream: { firstEventAfter, tokensPerSecond } },
    },
    { id: 'window', when: { operation: 'videos.list', during: window }, then: { error: { status: 503 } } },
  ]
  const sim = simulator({ scenarios: [{ title: 'random', seed, rules } as ScenarioInput] })
  const send = (method: string, path: string, body?: unknown): Promise<Response> =>
    sim.fetch(`http://gateway.test${path}`, {
      method,
      headers: {
        authorization: 'Bearer sk-test',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const id = async (response: Promise<Response>): Promise<string> =>
    ((await (await response).json()) as { id: string; name?: string }).id
  const image = { model: 'v7', imgUrl: 'https://example.com/a.png', remixPrompt: 'x' }
  const submit = '/v1beta/models/veo-3.0:predictLongRunning'
  const { name } = (await (await send('POST', submit, { instances: [{ prompt: 'a' }] })).json()) as {
    name: string
  }
  const paths = [
    `/v1/videos/${await id(send('POST', '/v1/videos', { prompt: 'a' }))}`,
    `/v1/tob/job/${await id(send('POST', '/v1/tob/diffusion', { model: 'v7', text: 'a cat' }))}`,
    `/v1/tob/job/${await id(send('POST', '/v1/tob/retexture', image))}`,
    `/v1beta/${name}`,
  ]
  const stream = await send('POST', '/v1/chat/completions', {
    model: 'gpt-4o',
    stream: true,
    messages: [{ role: 'user', content: 'hello' }],
  })
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
  let said = ''
  let ended = false
  void (async () => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      said += new TextDecoder().decode(value)
    }
    ended = true
  })()
  const fired: unknown[] = []
  for (const by of splits) {
    for (const path of polls ? paths : []) await (await send('GET', path)).text()
    fired.push(...sim.clock.advance(by).fired)
  }
  // Turns of the loop, for what has come already to be read: no time passes in them.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  const shown = async (path: string): Promise<unknown> => {
    const response = await send('GET', path)
    return [response.status, (await response.text()).replace(/"trace_id":"[^"]*"/, '')]
  }
  const seen = {
    now: sim.clock.now(),
    fired,
    said,
    ended,
    shown: await Promise.all(paths.map(shown)),
    list: await shown('/v1/videos'),
  }
  await reader.cancel().catch(() => undefined)
  await sim.close()
  return seen
}

it('random scenarios and random splits of one advance give the same transcript', async () => {
  await fc.assert(
    fc.asyncProperty(
      scenario,
      fc.array(fc.integer({ min: 0, max: 9000 }), { minLength: 1, maxLength: 12 }),
      async (story, splits) => {
        const whole = await transcript(story, [splits.reduce((sum, by) => sum + by, 0)])
        expect(await transcript(story, splits)).toEqual(whole)
        expect(await transcript(story, splits.toReversed(), true)).toEqual(whole)
      },
    ),
    runs(60),
  )
})
