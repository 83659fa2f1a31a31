/** The simulator's own API under `/__sim`, as far as it goes now: health, clock, advance, reset, journal. */
import { describe, expect, it } from 'vitest'
import { bodyOf, describeIntegrations, get, post, simulator } from '../_setup.ts'

const chat = (text: string, more: Record<string, unknown> = {}) => ({
  model: 'gpt-4o',
  messages: [{ role: 'user', content: text }],
  ...more,
})

describeIntegrations('GET /__sim/health and /__sim/clock', (integration) => {
  it('respond without an API key', async () => {
    const { fetch: call, url } = await integration.open(simulator())
    expect(await bodyOf(call(`${url}/__sim/health`))).toEqual({
      ...{ status: 'ok', sessions: 1, session: 'default' },
      ...{ requests: 0, resources: 0, scenarios: [], evicted: 0 },
    })
    expect(await bodyOf(call(`${url}/__sim/clock`))).toEqual({
      ...{ mode: 'manual', speed: 1, frozen: false, now: '2026-01-01T00:00:00.000Z' },
      ...{ next: null, in: null, pending: 0 },
    })
  })
})

describe('GET /__sim/health', () => {
  it.each(['/s/red', ''])('never creates the session in its path (%j)', async (prefix) => {
    const sim = simulator()
    const health = await sim.fetch(`${prefix}/__sim/health`, { headers: { 'x-sim-session': 'red' } })
    expect(await health.json()).toMatchObject({ session: 'default', sessions: 1 })
    expect(sim.core.sessions.find('red')).toBeUndefined()
  })
})

describe('POST /__sim/clock/advance', () => {
  const advance = async (sim: ReturnType<typeof simulator>, body: unknown) =>
    (await post(sim, '/__sim/clock/advance', body)).json()

  it('advances time by a duration and reports the effects', async () => {
    const sim = simulator({ settings: { imageJobs: { duration: '40s' } } })
    const job = await bodyOf(post(sim, '/v1/tob/diffusion', { model: 'image-job-v7', text: 'a fox' }))
    const moved = (await advance(sim, { by: '1h' })) as {
      fired: { id: string; from: unknown; to: unknown; at: string; resource: string }[]
      now: string
      next: null
    }
    expect(moved).toMatchObject({
      from: '2026-01-01T00:00:00.000Z',
      now: '2026-01-01T01:00:00.000Z',
      more: 0,
      events: 0,
      next: null,
    })
    expect(moved.fired.at(-1)).toEqual({
      at: '2026-01-01T00:00:40.000Z',
      resource: 'imageJob',
      id: job.id,
      from: 1,
      to: 2,
    })
  })

  it('advances to a time, to the next due event, and until nothing is due', async () => {
    const sim = simulator()
    await post(sim, '/v1/videos', { model: 'video-1', prompt: 'a sunset' })
    expect(await advance(sim, { to: '2026-01-01T00:00:00.500Z' })).toMatchObject({
      now: '2026-01-01T00:00:00.500Z',
      fired: [],
    })
    const next = (await advance(sim, { to: 'next' })) as { fired: unknown[] }
    expect(next.fired.length).toBe(1)
    const idle = (await advance(sim, { to: 'idle' })) as { fired: { to: unknown }[]; next: null }
    expect(idle.fired.at(-1)?.to).toBe('completed')
    expect(idle.next).toBeNull()
  })

  it('releases the events of a stream', async () => {
    const sim = simulator({ settings: { chat: { firstEventAfter: '1s', eventInterval: '1s' } } })
    const response = await post(sim, '/v1/chat/completions', chat('Say "one two"', { stream: true }))
    expect(await advance(sim, { by: '2s' })).toMatchObject({ events: 2 })
    const rest = (await advance(sim, { to: 'idle' })) as { events: number }
    expect(rest.events).toBeGreaterThan(0)
    expect(await response.text()).toContain('data: [DONE]')
  })

  it('does not go beyond a day', async () => {
    const sim = simulator({ settings: { videos: { duration: '30h' } } })
    await post(sim, '/v1/videos', { model: 'video-1', prompt: 'a sunset' })
    const idle = (await advance(sim, { to: 'idle' })) as { next: string | null }
    expect(idle.next).not.toBeNull()
  })

  it.each([
    [{}, 'Expected exactly one of `by` and `to`, got 0.'],
    [{ by: '5s', to: 'idle' }, 'Expected exactly one of `by` and `to`, got 2.'],
    [{ by: '1s', to: '2027-01-01T00:00:00Z' }, 'Expected exactly one of `by` and `to`, got 2.'],
    [{ by: 'soon' }, '`by`: expected a duration such as 5s, 350ms or 1h30m, got "soon".'],
    [{ by: -5 }, '`by`: expected a duration such as 5s, 350ms or 1h30m, got -5.'],
    [
      { to: 'yesterday' },
      '`to`: expected next, idle or an ISO 8601 timestamp such as 2026-01-01T00:00:00Z, got "yesterday".',
    ],
    [
      { to: '2020-01-01T00:00:00Z' },
      '`to`: time cannot go backwards: expected 2026-01-01T00:00:00.000Z (now) or later, got "2020-01-01T00:00:00Z".',
    ],
    [{ by: '9999999999d' }, '`by`: is beyond 9999-01-01T00:00:00.000Z, the end of virtual time.'],
    [{ bye: '5s' }, '`bye`: unknown key "bye": did you mean by?'],
  ])('%j is rejected', async (body, message) => {
    const sim = simulator()
    const response = await post(sim, '/__sim/clock/advance', body)
    expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([400, message])
    expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1))
  })

  it.each([
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'application/x-www-form-urlencoded'],
    [{ 'content-type': 'text/plain;charset=UTF-8' }, 'text/plain'],
    [{ 'content-type': '' }, 'none'],
  ])('requires a JSON content type: %j is rejected', async (headers, got) => {
    const sim = simulator()
    const response = await sim.fetch('http://gateway.test/__sim/clock/advance', {
      method: 'POST',
      headers,
      body: '{"by":"1s"}',
    })
    expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([
      415,
      `content-type: expected application/json, got ${got}. With curl: --json instead of -d.`,
    ])
    expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1))
  })

  it('waits until every request in flight has its first byte', async () => {
    const sim = simulator({ settings: { chat: { firstEventAfter: '1s', eventInterval: '1s' } } })
    // The first chat call loads the tokenizer; the advance that is sent after it must not overtake it.
    const streaming = post(sim, '/v1/chat/completions', chat('Say "x"', { stream: true }))
    const advanced = (await advance(sim, { by: '1m' })) as { events: number }
    expect(advanced.events).toBeGreaterThan(1)
    expect(await (await streaming).text()).toContain('[DONE]')
  })
})

describe('POST /__sim/reset', () => {
  it('needs no body, and resets only the session it names unless told otherwise', async () => {
    const sim = simulator()
    await post(sim, '/s/one/v1/chat/completions', chat('Hello'))
    await post(sim, '/s/two/v1/chat/completions', chat('Hello'))
    const calls = async (name: string): Promise<number> =>
      (await bodyOf(get(sim, `/s/${name}/__sim/health`))).requests
    await sim.fetch('http://gateway.test/s/one/__sim/reset', { method: 'POST' })
    expect([await calls('one'), await calls('two')]).toEqual([0, 1])
    await post(sim, '/__sim/reset', { all: true })
    expect(await calls('two')).toBe(0)
  })

  it('quotes its only field if the request has another one', async () => {
    const { detail } = await bodyOf(post(simulator(), '/__sim/reset', { x: 1 }))
    expect(detail).toBe('`x`: unknown key "x": expected `all`.')
  })
})

describe('GET /__sim/journal', () => {
  it('contains each request with its body, its response and the cause', async () => {
    const sim = simulator()
    const body = chat('Hello')
    const said = await (
      await post(sim, '/v1/chat/completions', body, { authorization: 'Bearer sk-very-secret-key' })
    ).text()
    await post(sim, '/v1/chat/completions', chat('Hello', { model: 'sim-overloaded' }))
    const journal = await bodyOf(get(sim, '/__sim/journal'))
    expect(journal.total).toBe(2)
    expect(journal.entries[0]).toEqual({
      seq: 0,
      at: '2026-01-01T00:00:00.000Z',
      realAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      session: 'default',
      operation: 'chat.create',
      key: 'sk-ver***key',
      caller: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      request: {
        method: 'POST',
        url: '/v1/chat/completions',
        headers: [
          ['authorization', 'Bearer sk-ver***key'],
          ['content-type', 'application/json'],
        ],
        body: { text: JSON.stringify(body), size: JSON.stringify(body).length, isComplete: true },
      },
      response: {
        status: 200,
        headers: expect.arrayContaining([['content-type', 'application/json']]) as unknown[],
        body: { text: said, size: Buffer.byteLength(said), isComplete: true },
      },
      ended: 'completed',
      firstByteAfter: 0,
      endedAfter: 0,
      redacted: ['header:authorization'],
      cause: {
        requestId: expect.stringMatching(/^req_[0-9a-f]{32}$/) as string,
        namedBy: 'default',
        unmatched: false,
        transitions: [],
        faults: [],
        violations: [],
        ignored: [],
      },
    })
    expect(journal.entries[1]).toMatchObject({
      response: { status: 503 },
      cause: { decidedBy: { kind: 'reserved-model', name: 'sim-overloaded' } },
    })
  })
})
