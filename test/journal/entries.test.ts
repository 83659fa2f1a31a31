/** What the journal says of a call, through every integration. */
import { inspect } from 'node:util'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { JournalEntry, Simulator, SimulatorOptions } from '../../src/index.ts'
import { bodyOf, describeIntegrations, get, jsonCall, post, simulator, withRules } from '../_setup.ts'

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
const last = (sim: Simulator): JournalEntry => sim.journal().at(-1) as JournalEntry
const wall = Date.UTC(2030, 5, 1)

describeIntegrations('an entry of the journal', (integration) => {
  it('tells keys apart without showing them', async () => {
    const sim = simulator()
    const { fetch, url } = await integration.open(sim)
    for (const [key, cookie] of [
      ['sk-secret-of-alice', 'a=1234567890abcdef'],
      ['sk-secret-of-bob-1', undefined],
      ['sk-secret-of-alice', undefined],
    ] as const) {
      const given = { authorization: `Bearer ${key}`, 'x-team': 'blue' }
      const headers = cookie === undefined ? given : { ...given, cookie }
      await (await fetch(`${url}/v1/models?key=sk-secret-of-query`, { headers })).text()
    }
    const [alice, bob, again] = sim.journal() as [JournalEntry, JournalEntry, JournalEntry]
    expect(alice.caller).toMatch(/^[0-9a-f]{8}$/)
    expect(again.caller).toBe(alice.caller)
    expect(bob.caller).not.toBe(alice.caller)
    expect(alice.key).toBe('sk-sec***ice')
    expect(Object.fromEntries(alice.request.headers)).toMatchObject({
      authorization: 'Bearer sk-sec***ice',
      'x-team': 'blue',
    })
    expect(alice.request.url).toBe('/v1/models?key=sk-sec***ery')
    expect(JSON.stringify(sim.journal())).not.toMatch(/secret-of|1234567890abcdef/)
    expect(inspect(alice)).toMatch(/key: 'sk-sec\*\*\*ice'[^]*response: \{/)
    expect(inspect(alice)).not.toMatch(/secret-of|1234567890abcdef/)
  })

  it('has virtual time, and real time by the wall clock of the simulator', async () => {
    const sim = simulator({ wallClock: () => wall, start: '2026-03-01T00:00:00Z' })
    const { fetch, url } = await integration.open(sim)
    await (await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-a' } })).text()
    expect(last(sim)).toMatchObject({ at: Date.UTC(2026, 2, 1), realAt: wall })
  })

  it('keeps all events of a stream with the times at which they were due', async () => {
    const sim = simulator({
      clock: 'auto',
      settings: { chat: { firstEventAfter: '100ms', eventInterval: '10ms' } },
    })
    const { fetch, url } = await integration.open(sim)
    const text = await (await fetch(`${url}/v1/chat/completions`, jsonCall({ ...chat, stream: true }))).text()
    const { ended, response } = last(sim)
    expect(response?.events?.map(({ data }) => `data: ${data}\n\n`).join('')).toBe(text)
    expect(response?.body?.text).toBe(text)
    expect(response?.events?.[0]?.at).toBe(100)
    expect(response?.events?.slice(0, 4).map(({ at }) => at)).toEqual([100, 110, 120, 130])
    expect([response?.eventCount, ended]).toEqual([response?.events?.length, 'completed'])
  })

  it.each(['chat/completions', 'messages'])(
    'holds of a stream of %s that was cut what went out, and nothing behind it',
    async (path) => {
      const sim = simulator({
        clock: 'auto',
        ...withRules([
          `when: { operation: [chat.create, messages.create] },
              then: { stream: { script: [{ text: a }, { text: b }, { text: c }, { fault: disconnect }] } }`,
        ]),
      })
      const { fetch, url } = await integration.open(sim)
      const body = { ...chat, max_tokens: 100, stream: true }
      await fetch(`${url}/v1/${path}`, jsonCall(body, { 'anthropic-version': '2023-06-01' }))
        .then((response) => response.text())
        .catch(() => undefined)
      const { ended, response } = last(sim)
      expect([ended, response?.events?.length]).toEqual(['disconnected', response?.eventCount])
      expect(response?.body?.text).toBe(
        response?.events
          ?.map(({ event, data }) => `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`)
          .join(''),
      )
      expect(response?.events?.at(-1)?.data).toContain('"c"')
    },
  )

  it('says how the session was named', async () => {
    const sim = simulator()
    const { fetch, url } = await integration.open(sim)
    const call = async (path: string, headers: Record<string, string>): Promise<void> =>
      void (await (await fetch(url + path, { headers: { authorization: 'Bearer sk-a', ...headers } })).text())
    await call('/v1/models', {})
    await call('/s/one/v1/models', {})
    await call('/v1/models', { 'x-sim-session': 'one' })
    await call('/v1/models', { authorization: 'Bearer sk-sim-one-me' })
    expect(sim.journal().map(({ cause }) => cause.namedBy)).toEqual(['default'])
    const { entries } = await bodyOf(fetch(`${url}/s/one/__sim/journal`))
    expect(entries).toMatchObject(['prefix', 'header', 'key'].map((namedBy) => ({ cause: { namedBy } })))
  })
})

it('an entry holds of a stream that the client has left what it was handed, and while it is open what is to come', async () => {
  const sim = simulator({
    clock: 'manual',
    settings: { chat: { firstEventAfter: '1s', eventInterval: '1s' } },
  })
  const leaves = new AbortController()
  const received = await sim.fetch('http://gateway.test/v1/chat/completions', {
    ...jsonCall({ ...chat, stream: true }),
    signal: leaves.signal,
  })
  sim.clock.advance('2500ms')
  const open = last(sim)
  leaves.abort()
  await received.text().catch(() => undefined)
  const { ended, response } = last(sim)
  expect([ended, response?.eventCount, response?.events?.length]).toEqual([
    'aborted',
    response?.eventCount,
    response?.eventCount,
  ])
  expect(response?.eventCount).toBeGreaterThan(0)
  expect(open.response?.events).toEqual(response?.events)
  expect(open.cause.coming?.length).toBeGreaterThan(0)
  expect(response?.body?.text).toBe(response?.events?.map(({ data }) => `data: ${data}\n\n`).join(''))
})

describe('a client that leaves a stream after three events, on a clock that makes nobody wait', () => {
  const leaving = {
    'breaks out of its loop': async (sim: Simulator) => {
      const client = new OpenAI({ apiKey: 'sk-a', baseURL: 'http://gateway.test/v1', fetch: sim.fetch })
      let seen = 0
      const { model } = chat
      const messages = [{ role: 'user' as const, content: 'Hello' }]
      for await (const _ of await client.chat.completions.create({ model, messages, stream: true }))
        if (++seen === 3) break
    },
    'cancels the body': async (sim: Simulator) => {
      const { body } = await post(sim, '/v1/chat/completions', { ...chat, stream: true })
      const reader = (body as ReadableStream<Uint8Array>).getReader()
      for (let seen = 0; seen < 3; seen++) await reader.read()
      await reader.cancel()
    },
    'aborts the call': async (sim: Simulator) => {
      const leaves = new AbortController()
      const { body } = await sim.fetch('/v1/chat/completions', {
        ...jsonCall({ ...chat, stream: true }),
        signal: leaves.signal,
      })
      const reader = (body as ReadableStream<Uint8Array>).getReader()
      for (let seen = 0; seen < 3; seen++) await reader.read()
      leaves.abort()
      await expect(reader.read()).rejects.toThrow('aborted')
    },
  }

  it('is seen to have read what it has read, however much that is', async () => {
    const text = 'Grüße vom 🦊. '.repeat(50)
    const sim = simulator({
      clock: 'auto',
      scenarios: [{ title: 'Long', rules: [{ id: 'long', then: { text } }] }],
    })
    const { body } = await post(sim, '/v1/chat/completions', { ...chat, stream: true })
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    const read: Uint8Array[] = []
    for (let seen = 0; seen < 60; seen++) {
      const chunk = (await reader.read()).value as Uint8Array
      read.push(chunk.slice())
      // What is handed over is the client's: it may go to another thread with its memory.
      structuredClone(chunk, { transfer: [chunk.buffer as ArrayBuffer] })
    }
    await reader.cancel()
    expect(last(sim)).toMatchObject({
      response: { eventCount: 60, body: { text: Buffer.concat(read).toString() } },
    })
  })

  it.each(Object.entries(leaving))('is seen to have left when it %s', async (_, leave) => {
    const sim = simulator({ clock: 'auto' })
    await leave(sim)
    const { ended, response } = last(sim)
    expect([ended, response?.eventCount, response?.events?.length]).toEqual(['aborted', 3, 3])
    expect(response?.body?.text).toBe(response?.events?.map(({ data }) => `data: ${data}\n\n`).join(''))
    expect(sim.clientReport().findings.map(({ code }) => code)).toEqual(['stream-cut-short'])
  })
})

describe('transitions', () => {
  const video = { model: 'sora-2', prompt: 'a sunset' }
  const made = async (options: SimulatorOptions = {}): Promise<{ sim: Simulator; id: string }> => {
    const sim = simulator(options)
    const { id } = await bodyOf(post(sim, '/v1/videos', video))
    return { sim, id }
  }

  it('say what a call made', async () => {
    const { sim, id } = await made()
    expect(last(sim).cause.transitions).toEqual([{ resource: 'video', id, from: null, to: 'pending' }])
  })

  it('say what a poll saw change since somebody last looked, and nothing when nothing has', async () => {
    const { sim, id } = await made()
    const seen: unknown[] = []
    for (const by of [0, 30_000, 1000, 60_000, 1000]) {
      sim.clock.advance(by)
      await get(sim, `/v1/videos/${id}`)
      seen.push(last(sim).cause.transitions.map(({ from, to }) => [from, to]))
    }
    expect(seen).toEqual([[], [['pending', 'in_progress']], [], [['in_progress', 'completed']], []])
  })

  it('say what a call removed', async () => {
    const { sim, id } = await made()
    sim.clock.advance('60s')
    await sim.fetch(`http://gateway.test/v1/videos/${id}`, {
      method: 'DELETE',
      headers: { authorization: 'Bearer sk-test' },
    })
    expect(last(sim).cause.transitions).toEqual([{ resource: 'video', id, from: 'pending', to: 'notFound' }])
  })

  it('name a file that was uploaded', async () => {
    const sim = simulator()
    const target = await bodyOf(post(sim, '/v1/files/upload_url', { path: 'a/cat.png' }))
    await sim.fetch(target.upload_url, { method: 'PUT', body: 'bytes' })
    expect(last(sim)).toMatchObject({
      operation: 'uploads.send',
      response: { status: 200 },
      cause: { transitions: [{ resource: 'file', id: target.path, from: null, to: 'made' }] },
    })
  })

  it('are none of things that were given and that nobody has looked at before', async () => {
    const video = { id: 'video_given', key: 'sk-test', status: 'completed' } as const
    const sim = simulator({ scenarios: [{ title: 'given', given: { videos: [video] } }] })
    await get(sim, '/v1/models')
    await get(sim, '/v1/videos/video_given')
    expect(sim.journal().map(({ cause }) => cause.transitions)).toEqual([[], []])
  })

  it('name a job that is left behind by a rejection', async () => {
    const sim = simulator()
    const rejected = await post(sim, '/v1/tob/diffusion', {
      text: 'a cat [sim:ambiguous-submit-424]',
      model: 'image-job-v7',
    })
    const { cause, response } = last(sim)
    expect([rejected.status, response?.status]).toEqual([424, 424])
    expect(cause.rejection).toEqual({
      type: 'downstream_unavailable',
      code: 2002,
      jobId: cause.transitions[0]?.id,
    })
  })
})

describe('rejections', () => {
  it('stand with type, code and wait', async () => {
    const sim = simulator()
    await post(sim, '/v1/chat/completions', { ...chat, model: 'sim-rate-limit' })
    expect(last(sim)).toMatchObject({
      cause: {
        rejection: { type: 'rate_limit_error', code: 429, retryAfterMs: 1000 },
        violations: [],
        decidedBy: { kind: 'reserved-model', name: 'sim-rate-limit' },
        rule: undefined,
      },
    })
  })

  it('of a request that breaks the contract stand with each place', async () => {
    const sim = simulator()
    await post(sim, '/v1/chat/completions', { model: 7, messages: 'Hello' })
    expect(last(sim).cause.rejection).toMatchObject({ type: 'invalid_request_error', code: 400 })
    expect(
      last(sim)
        .cause.violations.map(({ field }) => field)
        .sort(),
    ).toEqual(['messages', 'model'])
  })

  it('that a rule makes are no violations', async () => {
    const rule = 'id: no, when: { operation: chat.create }, then: { error: { status: 400 } }'
    const sim = simulator(withRules([rule]))
    await post(sim, '/v1/chat/completions', chat)
    expect(last(sim)).toMatchObject({
      cause: { rule: 'no', rejection: { type: 'invalid_request_error' }, violations: [] },
    })
  })
})

describe('fields that the endpoint ignores', () => {
  it.each<[string, string, object, string[]]>([
    ['none of a usual call', 'chat/completions', { temperature: 1 }, []],
    [
      'those that chat does not know',
      'chat/completions',
      { temprature: 1, top_k: 3 },
      ['temprature', 'top_k'],
    ],
    [
      'those of a body longer than what is kept',
      'chat/completions',
      { padding: 'x'.repeat(100_000) },
      ['padding'],
    ],
    ['those of messages', 'messages', { max_tokens: 5, n: 2 }, ['n']],
  ])('%s', async (_, path, more, ignored) => {
    const sim = simulator()
    await post(sim, `/v1/${path}`, { ...chat, ...more })
    expect(last(sim).cause.ignored).toEqual(ignored)
  })

  it('of a form', async () => {
    const sim = simulator()
    const body = new FormData()
    for (const [name, value] of Object.entries({ model: 'sora-2', prompt: 'a sunset', mood: 'calm' }))
      body.append(name, value)
    const headers = { authorization: 'Bearer sk-test' }
    const response = await sim.fetch('http://gateway.test/v1/videos', { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    expect(last(sim).cause.ignored).toEqual(['mood'])
  })
})

describe('rules and faults', () => {
  it('are named', async () => {
    const sim = simulator({
      clock: 'auto',
      ...withRules(['id: cut-it, then: { fault: { kind: disconnect, afterEvents: 2 } }']),
    })
    const response = await post(sim, '/v1/chat/completions', { ...chat, stream: true })
    await expect(response.text()).rejects.toThrow('terminated')
    expect(last(sim)).toMatchObject({
      cause: { rule: 'cut-it', decidedBy: { kind: 'rule', name: 'cut-it' }, faults: ['disconnect'] },
      ended: 'disconnected',
      response: { eventCount: 2 },
    })
  })
})

describe('memory', () => {
  it('drops the oldest when streams and headers outgrow it', async () => {
    const sim = simulator({ clock: 'auto', settings: { memory: { bytes: 40_000 } } })
    for (let i = 0; i < 20; i++)
      await (
        await post(sim, '/v1/chat/completions', { ...chat, stream: true }, { 'x-padding': 'x'.repeat(2000) })
      ).text()
    expect(sim.journal().length).toBeLessThan(10)
    expect(last(sim).seq).toBe(19)
  })
})

describe('onEntry', () => {
  it('hears of the calls of every session, also of those before a reset', async () => {
    const heard: string[] = []
    const sim = simulator({ onCall: ({ session, operation }) => void heard.push(`${session} ${operation}`) })
    await get(sim, '/v1/models')
    await get(sim, '/v1/models', { 'x-sim-session': 'red' })
    await get(sim, '/__sim/health')
    sim.resetAll()
    await get(sim, '/v1/nothing')
    expect(heard).toEqual(['default models.list', 'red models.list', 'default undefined'])
  })
})
