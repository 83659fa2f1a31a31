/** Calls that are on their way when a test moves the clock, and what waits for them (`settled`). */
import OpenAI from 'openai'
import { describe, expect, it, vi } from 'vitest'
import { connect } from '../../src/client.ts'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { bodyOf, dataOf, describeIntegrations, jsonCall, post, simulator, withRules } from '../_setup.ts'

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Reply with exactly: pong' }] }
const slow = { title: 'slow', rules: [{ id: 'slow', then: { delay: '1s' } }] }
const key = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }

describe('a request in flight counts from the time it was sent', () => {
  const calls: Readonly<Record<string, (sim: Simulator) => Promise<Response>>> = {
    'a text': (sim) => post(sim, '/v1/chat/completions', chat),
    bytes: (sim) =>
      sim.fetch('http://gateway.test/v1/chat/completions', {
        ...jsonCall(chat),
        body: new TextEncoder().encode(JSON.stringify(chat)),
      }),
    'a Request': (sim) => sim.fetch(new Request('http://gateway.test/v1/chat/completions', jsonCall(chat))),
    'no body': (sim) => sim.fetch('http://gateway.test/v1/models', { headers: key }),
  }

  for (const [body, call] of Object.entries(calls))
    for (const isWarm of [true, false])
      it(`with ${body}, ${isWarm ? 'with everything loaded' : 'while its dependencies are loading'}`, async () => {
        const sim = simulator({ scenarios: [slow] })
        if (isWarm) await sim.preload()
        const pending = call(sim)
        sim.clock.advance('2s')
        const response = await pending
        expect(response.status).toBe(200)
        expect(response.headers.get('date')).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
        expect(sim.journal()[0]?.at).toBe(Date.UTC(2026, 0, 1))
      })

  it('a job too, which is then as old as its request', async () => {
    const sim = simulator()
    const form = new FormData()
    form.set('prompt', 'a sunset')
    form.set('model', 'sora-2')
    const pending = sim.fetch('http://gateway.test/v1/videos', {
      method: 'POST',
      headers: { authorization: key.authorization },
      body: form,
    })
    sim.clock.advance('10m')
    const { id, created_at } = await bodyOf(pending)
    expect(created_at).toBe(Date.UTC(2026, 0, 1) / 1000)
    const polled = await sim.fetch(`http://gateway.test/v1/videos/${id}`, { headers: key })
    expect(await polled.json()).toMatchObject({ status: 'completed' })
  })

  it('a stream too, whose due events are sent together', async () => {
    const sim = simulator(
      withRules(['when: { body: { stream: true } }, then: { stream: { eventInterval: 1s } }']),
    )
    const pending = post(sim, '/v1/chat/completions', { ...chat, stream: true })
    sim.clock.advance('1h')
    expect(dataOf(await (await pending).text()).at(-1)).toBe('[DONE]')
  })

  it('in the session that it names, by the clock of that session', async () => {
    const sim = simulator({ scenarios: [slow] })
    const session = sim.createSession({ name: 'mine', start: '2030-01-01T00:00:00Z' })
    const pending = session.fetch('/v1/chat/completions', jsonCall(chat, session.headers))
    session.clock.advance('2s')
    expect((await pending).headers.get('date')).toBe('Tue, 01 Jan 2030 00:00:00 GMT')
  })
})

describeIntegrations('settled', (integration) => {
  it('resolves when each request has its response, or waits for the clock', async () => {
    const sim = simulator({ scenarios: [slow] })
    const { fetch, url } = await integration.open(sim)
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-test', fetch, maxRetries: 0 })
    const answer = client.chat.completions.create(chat as never)
    await connect(url, { fetch }).settled()
    expect(sim.clock.state().pending).toBe(1)
    sim.clock.advance('1s')
    expect((await answer).choices[0]?.message.content).toBe('pong')
  })
})

describe('settled, in-process', () => {
  it('includes requests an SDK was just asked to send, under fake timers too', async () => {
    vi.useFakeTimers()
    try {
      const sim = createSimulator({ clock: 'manual', scenarios: [slow] })
      const client = new OpenAI({ baseURL: 'http://gateway.test/v1', apiKey: 'sk-test', fetch: sim.fetch })
      const answer = client.chat.completions.create(chat as never)
      await sim.settled()
      sim.clock.advance('1s')
      expect((await answer).choices[0]?.message.content).toBe('pong')
    } finally {
      vi.useRealTimers()
    }
  })

  it('of a session waits for its own requests, of the simulator for all', async () => {
    const sim = simulator()
    const [mine, other] = [sim.createSession({ name: 'mine' }), sim.createSession({ name: 'other' })]
    let finish = (): void => {}
    const body = new ReadableStream({
      start(controller) {
        finish = () => {
          controller.enqueue(new TextEncoder().encode(JSON.stringify(chat)))
          controller.close()
        }
      },
    })
    const init = { method: 'POST', headers: { ...other.headers, 'content-type': 'application/json' }, body }
    const pending = other.fetch('/v1/chat/completions', { ...init, duplex: 'half' } as RequestInit)
    await mine.settled()
    const order: string[] = []
    const settled = [
      other.settled().then(() => order.push('other')),
      sim.settled().then(() => order.push('all')),
      pending.then(() => order.push('response')),
    ]
    finish()
    await Promise.all(settled)
    expect(order[0]).toBe('response')
  })
})
