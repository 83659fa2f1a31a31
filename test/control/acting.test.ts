/**
 * What the control API changes: overrides, changed jobs, clocks that stop, and who may do
 * it.
 */
import { describe, expect, it, onTestFinished } from 'vitest'
import { ControlError, connect } from '../../src/client.ts'
import type { Simulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { bodyOf, describeIntegrations, get, jsonCall, post, simulator, withRules } from '../_setup.ts'

const chat = (text: string, more: Record<string, unknown> = {}) => ({
  model: 'gpt-4o',
  messages: [{ role: 'user', content: text }],
  ...more,
})
const imgUrl = 'https://images.test/fox.png'
const retexture = { model: 'image-job-v7', imgUrl, remixPrompt: 'a fox' }
type Sim = ReturnType<typeof simulator>
const videoOf = async (sim: Sim): Promise<string> =>
  (await bodyOf(post(sim, '/v1/videos', { model: 'sora-2', prompt: 'a sunset' }))).id
const poll = async (sim: Sim, id: string): Promise<Record<string, unknown>> =>
  await bodyOf(get(sim, `/v1/videos/${id}`))
const statusOf = async (sim: Sim): Promise<number> =>
  (await post(sim, '/v1/chat/completions', chat('Hello'))).status

describe('an override', () => {
  it('precedes every rule, for its number of requests', async () => {
    const sim = simulator(withRules(['id: said, then: { text: from the scenario }']))
    const when = { operation: 'chat.create' } as const
    sim.overrides.add({ when, then: { error: { status: 503 } }, times: 2 })
    expect([await statusOf(sim), await statusOf(sim), await statusOf(sim)]).toEqual([503, 503, 200])
    expect(sim.overrides.list()).toMatchObject([{ id: 'override-1', answered: 2, matched: 3, left: 0 }])
    expect(sim.journal().map(({ cause }) => cause.rule)).toEqual(['override-1', 'override-1', 'said'])
  })

  it('whose operation or fault is an object without a text is rejected, not an internal error', async () => {
    const sim = simulator()
    const bad = { toString: 1, valueOf: 2 }
    const override = { when: { operation: bad }, fault: 'hang' }
    for (const body of [override, { fault: bad }, { fault: { kind: bad } }])
      expect((await post(sim, '/__sim/overrides', body)).status).toBe(400)
  })

  it.each([
    ['disconnect', undefined, { stream: true }],
    [[{ kind: 'stall', afterEvents: 2 }, 'bom'], { operation: 'chat.create' }, { stream: true }],
    ['disconnect', { body: { model: 'gpt-4o' } }, { model: 'gpt-4o', stream: true }],
  ] as const)('with the stream fault %j waits for a request that streams', async (fault, when, body) => {
    const sim = simulator()
    sim.overrides.add({ ...(when === undefined ? {} : { when }), fault, times: 1 } as never)
    expect(await statusOf(sim)).toBe(200)
    expect(sim.overrides.list()).toMatchObject([{ when: { ...when, body }, answered: 0, left: 1 }])
    expect(sim.explainRequest(0).rules[0]?.sentence).toContain('body.stream')
    await post(sim, '/v1/chat/completions', chat('Hello', { stream: true }))
    expect(sim.overrides.list()).toMatchObject([{ answered: 1, left: 0 }])
    expect(sim.journal().map(({ cause }) => cause.faults.length)).toEqual([0, [fault].flat().length])
  })

  it.each([
    { when: { body: { stream: { exists: false } } }, then: { text: 'Hi', fault: 'malformed-json' } },
    { then: { text: 'Hi', fault: 'disconnect' } },
    { fault: 'truncate' },
    { fault: ['disconnect', 'truncate'] },
  ])('with another response does not wait for a stream: %j', async (request) => {
    const sim = simulator()
    sim.overrides.add({ ...request, times: 1 } as never)
    await post(sim, '/v1/chat/completions', chat('Hello'))
    expect(sim.overrides.list()).toMatchObject([{ when: request.when ?? {}, answered: 1, left: 0 }])
  })

  it('that was added last precedes earlier ones; a removed one does not apply', async () => {
    const sim = simulator()
    sim.overrides.add({ then: { error: { status: 503 } } })
    const { id } = sim.overrides.add({ then: { error: { status: 429 } } })
    expect(await statusOf(sim)).toBe(429)
    sim.overrides.remove(id)
    expect(await statusOf(sim)).toBe(503)
    sim.overrides.clear()
    expect(await statusOf(sim)).toBe(200)
  })

  it('belongs to its session only, and a reset removes it', async () => {
    const sim = simulator()
    const session = sim.createSession({ name: 'mine' })
    session.overrides.add({ then: { error: { status: 503 } } })
    const there = async () => (await post(sim, '/s/mine/v1/chat/completions', chat('Hello'))).status
    expect([await there(), await statusOf(sim)]).toEqual([503, 200])
    session.reset()
    expect([await there(), session.overrides.list()]).toEqual([200, []])
  })

  it.each([
    [{}, 'Expected exactly one of `fault` and `then`, got neither.'],
    [{ fault: 'disconnect', then: {} }, 'Expected exactly one of `fault` and `then`, got both.'],
    [{ fault: 'disconect' }, '`fault`'],
    [{ fault: { kind: 'disconect' } }, '`fault.kind`: unknown value "disconect"; did you mean disconnect?'],
    [{ fault: 'disconnect', when: { operation: 'chat.crate' } }, '`when.operation`'],
    [
      { fault: 'disconnect', times: 2, when: { times: 1 } },
      '`times` and `when.times` mean the same thing: remove one.',
    ],
  ])('is rejected as %j', (request, message) => {
    const sim = simulator()
    sim.overrides.add({ fault: 'hang', times: 1 })
    expect(() => sim.overrides.add(request as never)).toThrow(message)
    expect(sim.overrides.list().length).toBe(1)
  })
})

describe('a change of a job', () => {
  it('finishes it at the current time of the clock, not in the future', async () => {
    const sim = simulator()
    const { id } = await bodyOf(post(sim, '/v1/videos', { prompt: 'a fox' }))
    const job = await bodyOf(post(sim, '/v1/tob/retexture', retexture))
    sim.clock.advance('7s')
    sim.jobs.change(id, { finished: true })
    sim.jobs.change(job.id, { finished: true })
    const now = sim.clock.now()
    expect(await bodyOf(get(sim, `/v1/videos/${id}`))).toMatchObject({
      status: 'completed',
      progress: 100,
      completed_at: now / 1000,
    })
    expect(await bodyOf(get(sim, `/v1/tob/job/${job.id}`))).toMatchObject({
      status: 2,
      comment: 'JobStatusSuccess',
      cost: { costAt: new Date(now).toISOString() },
    })
    sim.clock.advance('1h')
    expect(await bodyOf(get(sim, `/v1/videos/${id}`))).toMatchObject({
      status: 'completed',
      completed_at: now / 1000,
    })
  })

  it('finishes it with the rest of its timeline: ramps at their end, fields that go, notFound', async () => {
    const course = `{ at: 0s, status: pending },
      { at: 2s, status: in_progress, progress: { from: 0, to: 60, over: 10s } }, { at: 5s, size: 720x1280 }`
    const finished = async (entries: string): Promise<ReturnType<Simulator['jobs']['get']>> => {
      const sim = simulator(
        withRules([`when: { operation: videos.create }, then: { timeline: [${course}${entries}] }`]),
      )
      const { id } = await bodyOf(post(sim, '/v1/videos', { prompt: 'a fox' }))
      sim.clock.advance('3s')
      return sim.jobs.change(id, { finished: true })
    }
    expect(await finished('')).toMatchObject({
      finished: true,
      next: null,
      notFound: false,
      state: { status: 'in_progress', progress: 60, size: '720x1280' },
    })
    expect((await finished(', { at: 6s, unset: [size] }')).state).not.toHaveProperty('size')
    expect(await finished(', { at: 6s, notFound: true }')).toMatchObject({ notFound: true, finished: true })
  })

  describe('to another status sets the fields of that status', () => {
    const made = async (path: string, body: object): Promise<{ sim: Simulator; id: string }> => {
      const sim = simulator()
      const response = await bodyOf(post(sim, path, body))
      return { sim, id: response.id ?? (response.name?.split('/').at(-1) as string) }
    }

    it('for a running video that completes, one that had failed, and one that restarts', async () => {
      const { sim, id } = await made('/v1/videos', { prompt: 'a fox' })
      const shown = async (): Promise<unknown> => (await get(sim, `/v1/videos/${id}`)).json()
      sim.clock.advance('9600ms')
      expect(sim.jobs.change(id, { set: { status: 'completed' } }).state).toMatchObject({
        status: 'completed',
        progress: 100,
        error: null,
      })
      expect(await shown()).toMatchObject({ status: 'completed', progress: 100 })
      const { state } = sim.jobs.change(id, { set: { status: 'failed' } })
      expect(await shown()).toMatchObject({ status: 'failed', error: state['error'] })
      sim.jobs.change(id, { set: { status: 'completed' } })
      expect(((await shown()) as { error?: unknown }).error ?? null).toBeNull()
      expect(sim.jobs.get(id).state['error']).toBeNull()
      expect(sim.jobs.change(id, { set: { status: 'pending' } }).state).toMatchObject({ progress: 0 })
      expect(sim.jobs.change(id, { set: { status: 'completed', progress: 70 } }).state).toMatchObject({
        progress: 70,
      })
    })

    it('for an image job that had failed', async () => {
      const { sim, id } = await made('/v1/tob/retexture', {
        ...retexture,
        remixPrompt: 'a fox [sim:fail-at-50]',
      })
      sim.clock.advance('60s')
      const shown = async (): Promise<unknown> => (await get(sim, `/v1/tob/job/${id}`)).json()
      expect(await shown()).toMatchObject({ status: 3, comment: 'JobStatusFail' })
      sim.jobs.change(id, { set: { status: 'succeeded' } })
      expect(await shown()).toMatchObject({
        status: 2,
        comment: 'JobStatusSuccess',
        cost: { feeCost: 100, fastCost: 1 },
      })
      sim.jobs.change(id, { set: { status: 'failed', comment: 'JobStatusReject' } })
      expect(await shown()).toMatchObject({ status: 3, comment: 'JobStatusReject', cost: { feeCost: 0 } })
    })
  })

  it('finishes it once: nothing more happens, and no time has passed', async () => {
    const sim = simulator()
    const id = await videoOf(sim)
    const done = { kind: 'video', finished: true, next: null, state: { status: 'completed' } }
    expect(sim.jobs.change(id, { finished: true })).toMatchObject(done)
    expect(() => sim.jobs.change(id, { finished: true })).toThrow(
      `The timeline of video ${id} has already ended: set a status instead`,
    )
    expect(sim.clock.state().now).toBe('2026-01-01T00:00:00.000Z')
  })

  it('can be permanent: later entries are dropped, and ramps stop', async () => {
    const sim = simulator()
    const id = await videoOf(sim)
    sim.clock.advance('20s')
    const { progress } = await poll(sim, id)
    sim.jobs.change(id, { set: { status: 'failed', error: { code: 'moderation_blocked', message: 'no' } } })
    sim.clock.advance('1h')
    expect(await poll(sim, id)).toMatchObject({
      status: 'failed',
      progress,
      error: { code: 'moderation_blocked', message: 'no' },
    })
  })

  it('of an image job accepts the terms of scenarios', async () => {
    const sim = simulator()
    const { id } = await bodyOf(post(sim, '/v1/tob/diffusion', { model: 'image-job-v7', text: 'a fox' }))
    sim.jobs.change(id, { set: { status: 'failed' } })
    expect((await bodyOf(get(sim, `/v1/tob/job/${id}`))).status).toBe(sim.jobs.get(id).state['status'])
    expect(() => sim.jobs.change(id, { set: { status: 'finished' } })).toThrow('`set.status`')
    expect(() => sim.jobs.change(id, {})).toThrow('but only one of these')
    expect(() => sim.jobs.change('none', { finished: true })).toThrow(
      'There is no job "none" in the session "default"',
    )
  })
})

describe('a real clock', () => {
  it('can be frozen and continue, without a jump', () => {
    let wall = 1000
    const sim = simulator({ clock: 'real', start: 0, wallClock: () => wall })
    expect(sim.clock.now()).toBe(0)
    wall += 500
    expect(sim.clock.freeze()).toMatchObject({ frozen: true, now: '1970-01-01T00:00:00.500Z' })
    wall += 60_000
    expect(sim.clock.now()).toBe(500)
    sim.clock.advance('1s')
    expect(sim.clock.now()).toBe(1500)
    sim.clock.resume()
    wall += 100
    expect(sim.clock.state()).toMatchObject({ frozen: false, now: '1970-01-01T00:00:01.600Z' })
  })

  it.each(['manual', 'auto'] as const)('is the only one that can run by itself: %s rejects', (clock) => {
    const sim = simulator({ clock })
    expect(sim.clock.freeze()).toMatchObject({ frozen: false, mode: clock })
    expect(() => sim.clock.resume()).toThrow(
      `The clock of the session "default" is \`${clock}\` and does not run by itself`,
    )
  })
})

describe('a reset', () => {
  it('equals a new simulator, despite open streams, overrides, added scenarios and running jobs', async () => {
    const story = async (sim: Sim): Promise<string[]> => {
      const id = await videoOf(sim)
      sim.clock.advance('20s')
      return [
        await (await post(sim, '/v1/chat/completions', chat('Hello'))).text(),
        await (await get(sim, `/v1/videos/${id}`)).text(),
        JSON.stringify(sim.jobs.list()),
        JSON.stringify(sim.clock.state()),
        JSON.stringify(sim.scenarios.list()),
        JSON.stringify(sim.overrides.list()),
        JSON.stringify(sim.clientReport()),
      ]
    }
    const options = {
      settings: { chat: { firstEventAfter: '10s' } },
      ...withRules(['id: second, when: { operation: videos.create, nth: 2 }, then: { job: { failAt: 10 } }']),
    }
    const expected = await story(simulator(options))
    const sim = simulator(options)
    await story(sim)
    sim.overrides.add({ then: { error: { status: 503 } }, when: { operation: 'images.*' } })
    const [slow] = withRules(['id: y, when: { operation: chat.create }, then: { delay: 1s }']).scenarios
    sim.scenarios.add(slow)
    const message = { ...chat('x', { stream: true }), model: 'claude-3-5-haiku-20241022', max_tokens: 9 }
    const plain = await post(sim, '/v1/messages', message, { 'anthropic-version': '2023-06-01' })
    const reading = plain.text()
    sim.resetAll()
    await expect(reading).rejects.toMatchObject({
      cause: new Error('the session "default" was reset while this request was open'),
    })
    expect(await story(sim)).toEqual(expected)
  })
})

describeIntegrations('the control API', (integration) => {
  it('rejects as RFC 9457 says, with each finding', async () => {
    const { fetch: call, url } = await integration.open(simulator())
    const response = await call(`${url}/__sim/overrides`, jsonCall({ faults: 'hang', times: 0 }))
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/problem+json'])
    expect(await response.json()).toEqual({
      type: 'urn:gateway-sim:problem:invalid_request_error',
      title: 'Invalid request',
      status: 400,
      detail: expect.stringContaining('`times`') as string,
      instance: expect.stringMatching(/^urn:gateway-sim:call:req_[0-9a-f]{32}$/) as string,
      errors: expect.arrayContaining([
        expect.objectContaining({ field: 'times' }),
        expect.objectContaining({ field: 'faults' }),
      ]) as unknown,
    })
  })

  it('can be reached at the base URL of an SDK, of the server and of a session', async () => {
    const { fetch: call, url } = await integration.open(simulator())
    await connect(`${url}/v1`, { fetch: call }).createSession({ name: 'mine' })
    for (const address of [`${url}/s/mine`, `${url}/s/mine/`, `${url}/s/mine/v1`, `${url}/s/mine/v1beta/`]) {
      const session = connect(address, { fetch: call })
      expect([session.name, session.baseUrl]).toEqual(['mine', `${url}/s/mine`])
      expect(await session.clock.now()).toEqual(expect.any(Number))
    }
  })

  it('can be switched off; the library works without', async () => {
    const sim = simulator({ settings: { control: { enabled: false } } })
    const { fetch: call, url } = await integration.open(sim)
    expect((await call(`${url}/__sim/health`)).status).toBe(404)
    expect(sim.createSession({ name: 'mine' }).clock.advance('1s').now).toBe('2026-01-01T00:00:01.000Z')
  })

  it('requires its token if it has one, except for health and ready', async () => {
    const sim = simulator({ settings: { control: { token: 'secret-token' } } })
    const { fetch: call, url } = await integration.open(sim)
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await call(`${url}/__sim${path}`, { headers })).status
    expect([await status('/health'), await status('/ready'), await status('/clock')]).toEqual([200, 200, 401])
    expect([
      await status('/clock', { 'x-sim-token': 'secret-tokem' }),
      await status('/clock', { 'x-sim-token': 'secret-token' }),
      await status('/clock', { authorization: 'Bearer secret-token' }),
    ]).toEqual([401, 200, 200])
    expect((await call(`${url}/s/mine/__sim/clock`)).status).toBe(401)
    expect(sim.core.sessions.find('mine')).toBeUndefined()
    await expect(connect(url, { fetch: call }).clock.state()).rejects.toMatchObject({
      name: 'ControlError',
      status: 401,
      problem: { title: 'The control token is missing or invalid' },
    })
    expect(await connect(url, { fetch: call, token: 'secret-token' }).clock.state()).toMatchObject({
      mode: 'manual',
    })
  })
})

describe('a server', () => {
  it.each(['0.0.0.0', '::'])('that listens beyond loopback (%s) generates a token', async (host) => {
    const listening = await listen(simulator(), { host })
    onTestFinished(() => listening.close())
    expect(listening.controlToken).toMatch(/^[A-Za-z0-9_-]{24}$/)
    const url = `http://127.0.0.1:${listening.port}`
    await expect(connect(url).sessions()).rejects.toThrow(ControlError)
    expect(await connect(url, { token: listening.controlToken }).sessions()).toEqual([
      expect.objectContaining({ name: 'default' }),
    ])
  })

  it('that is not a simulator is distinguished from one that rejects', async () => {
    const elsewhere = async () => new Response('<html>', { status: 502 })
    await expect(connect('http://gateway.test', { fetch: elsewhere }).ready()).rejects.toMatchObject({
      status: 502,
      problem: undefined,
      message: 'The server at http://gateway.test is not a simulator: GET /__sim/ready returned 502',
    })
  })
})

it('the client names the URL where no server responds, and what to start', async () => {
  const { url, close } = await listen(simulator())
  await close()
  await expect(connect(url).createSession()).rejects.toMatchObject({
    name: 'ControlError',
    status: 0,
    message: expect.stringMatching(
      new RegExp(`^No simulator responds at ${url} \\(ECONNREFUSED\\): start one with \`gateway-sim serve\``),
    ),
  })
})

it.each([undefined, ''])('the client names the variable without which it has no URL (%j)', (url) => {
  expect(() => connect(url)).toThrow(
    /^GATEWAY_SIM_URL is not set .*`npx gateway-sim exec -- npx playwright test`/,
  )
})

describe('an unknown key or value is rejected with a suggestion', () => {
  const asked = async (path: string, body?: object): Promise<{ status: number; detail: string }> => {
    const sim = simulator()
    const response = await (body === undefined ? get(sim, `/__sim${path}`) : post(sim, `/__sim${path}`, body))
    return { status: response.status, detail: ((await response.json()) as { detail: string }).detail }
  }

  it.each([
    ['/journal?oepration=chat.create', undefined, 'did you mean operation?'],
    ['/journal?operation=chat.crate', undefined, 'did you mean chat.create?'],
    ['/journal?operation=vidoes.*', undefined, 'unknown operation "vidoes.*"'],
    ['/sessions', { sed: 1 }, 'did you mean seed?'],
    ['/jobs/job-1', { finshed: true }, 'did you mean finished?'],
    ['/clock/advance', { bye: '5s' }, 'did you mean by?'],
  ])('%s %j', async (path, body, said) => {
    expect(await asked(path, body)).toEqual({ status: 400, detail: expect.stringContaining(said) })
  })

  it('an operation without requests is not an error', async () => {
    for (const query of ['chat.create', 'videos.*', '*'])
      expect(await asked(`/journal?operation=${query}`)).toMatchObject({ status: 200 })
  })
})
