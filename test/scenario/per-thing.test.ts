/** Counts that each job, key or value has to itself. */
import { describe, expect, it } from 'vitest'
import { teapot, under } from './_gateway.ts'

const operationPath = '/v1beta/models/veo-3'

function gateway(rules: readonly object[], more: object = {}, options: object = {}) {
  const { sim, call, chat } = under(rules, more, { clock: 'manual', ...options })
  const video = async (fields: object = {}): Promise<string> =>
    (await call('POST', '/v1/videos', { model: 'sora-2', prompt: 'a fox', ...fields })).body.id
  const poll = (id: string) => call('GET', `/v1/videos/${id}`)
  return { sim, call, chat, video, poll }
}
const rejected = ({ status }: { readonly status: number }): boolean => status === 503

describe('counts per job', () => {
  it('nth: the second poll of each video, whatever requests come between', async () => {
    const { video, poll } = gateway([
      { id: 'r', when: { operation: 'videos.retrieve', nth: 2, per: 'job' }, then: teapot('r') },
    ])
    const [a, b] = [await video(), await video()]
    const seen: boolean[] = []
    for (const id of [a, b, b, a, a, b]) seen.push(rejected(await poll(id)))
    expect(seen).toEqual([false, false, true, true, false, false])
  })

  it('a sequence restarts for each video, and `times` counts responses for each', async () => {
    const { video, poll } = gateway([
      {
        id: 'once',
        when: { operation: 'videos.retrieve', times: 1, per: 'job' },
        then: teapot('once'),
      },
      {
        id: 'r',
        when: { operation: 'videos.retrieve', per: 'job' },
        then: { sequence: [{ patch: { model: 'one' } }, { patch: { model: 'two' } }], end: 'last' },
      },
    ])
    const [a, b] = [await video(), await video()]
    const seen: unknown[] = []
    for (const id of [a, b, a, b, a, b]) {
      const { status, body } = await poll(id)
      seen.push(status === 200 ? body.model : status)
    }
    expect(seen).toEqual([503, 503, 'one', 'one', 'two', 'two'])
  })

  it('counts polls and downloads of one video together if a rule has both', async () => {
    const { video, poll, call } = gateway([
      {
        when: { operation: ['videos.retrieve', 'videos.content'], everyNth: 2, per: 'job' },
        then: teapot('r'),
      },
    ])
    const [a, b] = [await video(), await video()]
    expect(rejected(await poll(a))).toBe(false)
    expect(rejected(await poll(b))).toBe(false)
    expect(rejected(await call('GET', `/v1/videos/${a}/content`))).toBe(true)
  })

  it('also for image jobs and video operations', async () => {
    const { call } = gateway([
      {
        when: {
          operation: ['imageJobs.retrieve', 'videoOperations.retrieve'],
          nth: 2,
          per: 'job',
        },
        then: teapot('r'),
      },
    ])
    const job = (await call('POST', '/v1/tob/diffusion', { model: 'image-job-v7', text: 'a fox' })).body.id
    const { name } = (
      await call('POST', `${operationPath}:predictLongRunning`, { instances: [{ prompt: 'a fox' }] })
    ).body
    const get = () => call('GET', `/v1beta/${name}`)
    expect((await call('GET', `/v1/tob/job/${job}`)).status).toBe(200)
    expect((await get()).status).toBe(200)
    expect((await get()).status).toBe(503)
    expect((await call('GET', `/v1/tob/job/${job}`)).status).toBe(503)
    expect((await get()).status).toBe(200)
  })

  it('for a group: the operations whose requests name a job', async () => {
    const { video, poll } = gateway([
      { when: { operation: 'videos.*', first: 1, per: 'job' }, then: teapot('r') },
    ])
    const id = await video()
    expect(rejected(await poll(id))).toBe(true)
    expect(rejected(await poll(id))).toBe(false)
  })

  it('an explanation names the video and its count', async () => {
    const { sim, video, poll } = gateway([
      { id: 'r', when: { operation: 'videos.retrieve', nth: 2, per: 'job' }, then: teapot('r') },
    ])
    const id = await video()
    await poll(id)
    expect(sim.explainRequest(1).text).toContain(
      `rule r: match 1 for video ${id}; it answers only nth 2 per job.`,
    )
    await poll(id)
    expect(sim.explainRequest(2).text).toContain(
      `Rule r answered: request 2 of videos.retrieve for video ${id}, nth 2 per job.`,
    )
  })
})

describe('counts per', () => {
  const at = (fields: object, headers: Record<string, string> = {}) => [fields, headers] as const
  it.each([
    ['key', at({}), at({}, { authorization: 'Bearer sk-other' })],
    ['model', at({ model: 'gpt-4o' }), at({ model: 'gpt-5' })],
    ['body.metadata.user', at({ metadata: { user: 'a' } }), at({ metadata: { user: 'b' } })],
    ['body.messages.0.content', at({ user: 'a' }), at({ messages: [{ role: 'user', content: 'other' }] })],
    ['headers.x-user', at({}, { 'x-user': 'a' }), at({}, { 'X-User': 'b' })],
    ['body.metadata.user', at({ metadata: { user: 'a' } }), at({})],
    ['prompt', at({}), at({ messages: [{ role: 'user', content: 'other' }] })],
  ] as const)('%s', async (per, one, other) => {
    const { chat } = gateway([{ when: { operation: 'chat.create', nth: 2, per }, then: teapot('r') }])
    const seen: boolean[] = []
    for (const [fields, headers] of [one, other, one, other, one])
      seen.push(rejected(await chat('hello', { store: true, ...fields }, headers)))
    expect(seen).toEqual([false, false, true, true, false])
  })

  it('session: all requests together, as without `per`', async () => {
    const { chat } = gateway([
      { when: { operation: 'chat.create', nth: 2, per: 'session' }, then: teapot('r') },
    ])
    expect([await chat('a'), await chat('b'), await chat('c')].map(rejected)).toEqual([false, true, false])
  })

  it('API keys are hidden in explanations', async () => {
    const { sim, chat } = gateway([
      { when: { operation: 'chat.create', nth: 2, per: 'key' }, then: teapot('r') },
    ])
    await chat('hello', {}, { authorization: 'Bearer sk-secret-secret-secret' })
    expect(sim.explainRequest(0).text).not.toContain('sk-secret-secret-secret')
  })

  it('memory.items limits the number of counts; evicted ones restart from 1', async () => {
    const { sim, chat } = gateway(
      [{ when: { operation: 'chat.create', nth: 2, per: 'body.user' }, then: teapot('r') }],
      {},
      { settings: { memory: { items: 6 } }, onWarning: () => {} },
    )
    for (const user of ['a', 'b', 'c']) await chat('hello', { user })
    expect(rejected(await chat('hello', { user: 'a' }))).toBe(false)
    expect(rejected(await chat('hello', { user: 'a' }))).toBe(true)
    expect(sim.jobs.list().evicted).toBeGreaterThan(2)
  })
})
