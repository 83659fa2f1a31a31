/** A simulator that plays recordings: the requests that match, their responses, streams and jobs. */
import { describe, expect, it } from 'vitest'
import { createSimulator, type ScenarioInput, type SimulatorOptions } from '../../src/index.ts'
import { asClient, exchange, posting, recorder, recordingsOf } from './_record.ts'

const gateway = 'https://gateway.example/v1'
const start = Date.parse('2026-01-01T00:00:00Z')
const chat = (content: string, more: object = {}) => ({
  url: `${gateway}/chat/completions`,
  body: { model: 'gpt-4o', messages: [{ role: 'user', content }], ...more },
})
const said = (text: string) => ({ body: `{"id":"x","says":${JSON.stringify(text)}}` })

interface Playing extends SimulatorOptions {
  readonly rules?: ScenarioInput['rules']
}

async function playing(
  exchanges: Parameters<typeof recordingsOf>[0],
  { rules = [], ...options }: Playing = {},
) {
  const recording = await recordingsOf(exchanges)
  const scenarios = [...(rules.length === 0 ? [] : [{ title: 'Rules', rules }]), recording]
  const sim = createSimulator({ onWarning: () => {}, strict: true, ...options, scenarios })
  const ask = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await sim.fetch('http://sim/v1/chat/completions', posting(body, headers))
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  return { sim, ask }
}

describe('the same request', () => {
  it('gets the recorded bytes, whatever its headers, its key and the order of its fields', async () => {
    const { ask, sim } = await playing([exchange(chat('hello'), said('costs ${this} $&'))])
    const { body } = chat('hello')
    const reordered = { messages: body.messages, model: body.model }
    for (const headers of [{}, { authorization: 'Bearer other', 'x-client': '2' }])
      expect((await ask(reordered, headers)).text).toBe('{"id":"x","says":"costs ${this} $&"}')
    expect(sim.journal({}).at(-1)?.cause.rule).toBe('a HAR object, entry 1')
  })

  it('gets the nth recording the nth time, and then the last one, in each session', async () => {
    const { ask } = await playing(
      [exchange(chat('again'), said('first')), exchange(chat('again'), said('second'))],
      { strict: false },
    )
    const { body } = chat('again')
    const inSession = (name: string) =>
      ask(body, { 'x-sim-session': name }).then(({ text }) => JSON.parse(text).says)
    const says = [await inSession('a'), await inSession('b'), await inSession('a'), await inSession('a')]
    expect(says).toEqual(['first', 'first', 'second', 'second'])
  })

  it('is recognised without the fields that were redacted', async () => {
    const { ask } = await playing([
      exchange(chat('hello', { user: 'redacted' }), said('hi'), { redacted: ['/user'] }),
      exchange(chat('redacted', { seed: 7 }), said('ho'), { redacted: ['/messages/0/content'] }),
    ])
    expect((await ask(chat('hello', { user: 'anna' }).body)).text).toContain('hi')
    expect((await ask(chat('my secret', { seed: 7 }).body)).text).toContain('ho')
  })

  it('gets a recorded rejection, also of its key', async () => {
    const error = (message: string) => ({ body: JSON.stringify({ error: { message } }) })
    const { ask } = await playing([
      exchange(chat('x', { temperature: 9 }), { status: 400, ...error('too hot') }),
      exchange(chat('y'), { status: 401, ...error('revoked') }),
    ])
    expect(await ask(chat('x', { temperature: 9 }).body)).toMatchObject({
      status: 400,
      text: expect.stringContaining('too hot'),
    })
    expect(await ask(chat('y').body)).toMatchObject({ status: 401, text: expect.stringContaining('revoked') })
  })

  it('may be a form', async () => {
    const { fetch, exchanges } = recorder(createSimulator())
    const form = (prompt: string) => {
      const body = new FormData()
      body.set('prompt', prompt)
      body.set('model', 'video-1')
      return { method: 'POST', body, headers: asClient }
    }
    await fetch('http://real/v1/videos', form('a cat'))
    const { sim } = await playing(exchanges)
    expect((await sim.fetch('http://sim/v1/videos', form('a cat'))).status).toBe(200)
    expect((await sim.fetch('http://sim/v1/videos', form('a dog'))).status).toBe(422)
  })

  it('gets simulated files where the response links to files', async () => {
    const url = `${gateway}/images/generations`
    const body = { model: 'gpt-image-1', prompt: 'a cat' }
    const data = [{ url: 'https://cdn.example/a.png?sig=redacted' }]
    const { sim } = await playing([exchange({ url, body }, { body: JSON.stringify({ created: 1, data }) })])
    const response = await sim.fetch('http://sim/v1/images/generations', posting(body))
    const text = await response.text()
    expect([response.status, text.includes('cdn.example')]).toEqual([200, false])
  })

  it('may have a response that is no text', async () => {
    const url = `${gateway}/images/generations`
    const body = { model: 'gpt-image-1', prompt: 'a cat' }
    const bytes = new Uint8Array([137, 80, 78, 71, 0, 255])
    const { sim } = await playing([exchange({ url, body }, { type: 'image/png', body: bytes })])
    const response = await sim.fetch('http://sim/v1/images/generations', posting(body))
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  })
})

describe('a request that was not recorded', () => {
  it('is rejected by strict, which names the nearest recording and the field', async () => {
    const { ask } = await playing([
      exchange(chat('hello'), said('hi')),
      exchange(chat('goodbye', { temperature: 1.5 }), said('bye')),
    ])
    const { status, text } = await ask(chat('goodbye', { temperature: 1 }).body)
    expect(status).toBe(422)
    expect(JSON.parse(text).error.message).toContain(
      'rule a HAR object, entry 2: `body.temperature`: expected 1.5',
    )
  })

  it('is simulated otherwise', async () => {
    const { ask } = await playing([exchange(chat('hello'), said('hi'))], { strict: false })
    expect(await ask(chat('hello!').body)).toMatchObject({ status: 200 })
  })

  it('gets the response of a rule of the user, which precedes recordings', async () => {
    const rules = [{ when: { model: 'gpt-4o' }, then: { text: 'ruled' } }]
    const { ask } = await playing([exchange(chat('hello'), said('hi'))], { rules })
    expect((await ask(chat('hello').body)).text).toContain('ruled')
  })
})

it('an override applies, and the retry gets the recording', async () => {
  const { ask, sim } = await playing([
    exchange(chat('hello'), said('first')),
    exchange(chat('hello'), said('second')),
  ])
  sim.overrides.add({ when: { operation: 'chat.create' }, fault: 'overloaded', times: 1 })
  expect((await ask(chat('hello').body)).status).toBeGreaterThanOrEqual(500)
  expect((await ask(chat('hello').body)).status).toBe(200)
})

describe('a recorded stream', () => {
  const chunk = (content: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
  const frames = [chunk('äh'), chunk(' well'), chunk(' then'), chunk(' done'), 'data: [DONE]\n\n']
  const sizes = frames.map((frame) => new TextEncoder().encode(frame).length)
  const times = [200, 300, 400, 2500, 2500]
  const streamed = exchange(chat('hi', { stream: true }), {
    type: 'text/event-stream',
    body: frames.join(''),
    chunks: sizes.map((bytes, index) => ({ at: times[index] as number, bytes })),
  })
  const texts = (text: string): string =>
    [...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join('')

  it('has the texts of the recording', async () => {
    const { ask } = await playing([streamed])
    const { text, headers } = await ask(chat('hi', { stream: true }).body)
    expect([headers.get('content-type'), texts(text)]).toEqual([
      'text/event-stream; charset=utf-8',
      'äh well then done',
    ])
  })

  it('has its pauses in virtual time', async () => {
    const { sim } = await playing([streamed], { clock: 'manual' })
    const { body } = chat('hi', { stream: true })
    const response = await sim.fetch('http://sim/v1/chat/completions', posting(body))
    let read = ''
    const decoder = new TextDecoder()
    const all = (async () => {
      for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>)
        read += decoder.decode(bytes, { stream: true })
    })()
    const after = async (time: number): Promise<string> => {
      await sim.clock.advance(time)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return texts(read)
    }
    expect([await after(600), await after(900)]).toEqual(['äh well then', 'äh well then'])
    await after(2000)
    await all
    expect(texts(read)).toBe('äh well then done')
  })

  it('breaks off where the gateway broke off', async () => {
    const { ask } = await playing([{ ...streamed, ended: 'disconnected' }])
    await expect(ask(chat('hi', { stream: true }).body)).rejects.toThrow()
  })
})

describe('a recorded job', () => {
  const prompt = { model: 'video-1', prompt: 'a cat' }
  const id = 'video_real'
  const state = (status: string, progress: number) => JSON.stringify({ id, status, progress })
  const polled = (at: number, body: string, status = 200) =>
    exchange({ url: `${gateway}/videos/${id}` }, { status, body }, { at: start + at })
  const recording = [
    exchange({ url: `${gateway}/videos`, body: prompt }, { body: state('pending', 0) }),
    polled(1000, state('pending', 0)),
    polled(5000, state('in_progress', 40)),
    polled(6000, '{"error":"slow down"}', 429),
    polled(7000, state('in_progress', 40)),
    polled(20_000, state('completed', 100)),
  ]

  it('shows the same states at the same times, however often it is polled', async () => {
    const { sim } = await playing(recording, { clock: 'manual' })
    const made = (await (await sim.fetch('http://sim/v1/videos', posting(prompt))).json()) as { id: string }
    const poll = async () => {
      const response = await sim.fetch(`http://sim/v1/videos/${made.id}`, { headers: asClient })
      const { status, progress } = (await response.json()) as Record<string, unknown>
      return [status, progress]
    }
    for (let count = 0; count < 3; count++) expect(await poll()).toEqual(['pending', 0])
    await sim.clock.advance(4999)
    expect(await poll()).toEqual(['pending', 0])
    await sim.clock.advance(1)
    expect(await poll()).toEqual(['in_progress', 40])
    await sim.clock.advance(15_000)
    expect(await poll()).toEqual(['completed', 100])
    const content = await sim.fetch(`http://sim/v1/videos/${made.id}/content`, { headers: asClient })
    expect([content.status, content.headers.get('content-type')]).toEqual([200, 'video/mp4'])
  })
})
