/** `GET /__sim/journal?format=har`: the journal as a file that `check`, `diff` and `from-recording` read. */

import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { bytesOf, headerIn } from '../../src/exchange/exchange.ts'
import { readHar } from '../../src/exchange/read-har.ts'
import type { Simulator } from '../../src/index.ts'
import { describeIntegrations, get, post, simulator, withRules } from '../_setup.ts'
import { directoryWith, run } from '../cli/_io.ts'

const chat = (content: string, more: object = {}) => ({
  model: 'gpt-4o',
  messages: [{ role: 'user', content }],
  ...more,
})

const slow =
  'id: slow, when: { operation: chat.create, body: { stream: true } }, ' +
  'then: { text: one two, stream: { eventInterval: 1s } }'

const text = (body: Uint8Array | undefined): string => new TextDecoder().decode(body)

async function exported(sim: Simulator, query = ''): Promise<readonly Exchange[]> {
  const response = await get(sim, `/__sim/journal?format=har${query}`)
  expect(response.status).toBe(200)
  return readHar(await response.text(), 'journal.har')
}

describe('an export as HAR', () => {
  it('has requests and responses, with keys redacted and named', async () => {
    const sim = simulator()
    await post(sim, '/v1/chat/completions', chat('Hello'))
    await post(sim, '/v1/chat/completions', { model: 'sim-rate-limit', messages: chat('').messages })
    const [first, second] = (await exported(sim)) as [Exchange, Exchange]
    expect(first).toMatchObject({
      at: Date.UTC(2026, 0, 1),
      request: { method: 'POST' },
      response: { status: 200 },
      ended: 'completed',
      key: 'key-1',
      session: 'default',
      redacted: ['header:authorization'],
    })
    expect(new URL(first.request.url).pathname).toBe('/v1/chat/completions')
    expect(JSON.parse(text(bytesOf(first.request.body)))).toEqual(chat('Hello'))
    expect(text(bytesOf(first.response?.body))).toBe(sim.journal()[0]?.response?.body?.text)
    expect(first.response?.headers).toContainEqual(['content-type', 'application/json'])
    expect(first.response?.headers).toContainEqual(['x-request-id', sim.journal()[0]?.cause.requestId])
    expect(second.response?.status).toBe(429)
    expect(second.response?.headers.map(([name]) => name)).toContain('retry-after')
  })

  it('has the events of streams as chunks, at their virtual times', async () => {
    const sim = simulator(withRules([slow]))
    const reading = post(sim, '/v1/chat/completions', chat('Hi', { stream: true })).then((response) =>
      response.text(),
    )
    await sim.settled()
    expect(await exported(sim)).toEqual([])
    sim.clock.advance('1m')
    const sent = await reading
    const [{ response, endedAfter } = {} as Exchange] = await exported(sim)
    const { events = [] } = sim.journal()[0]?.response ?? {}
    expect(text(bytesOf(response?.body))).toBe(sent)
    expect(headerIn(response?.headers ?? [], 'content-type')).toMatch(/^text\/event-stream/)
    expect(response?.chunks?.map(({ at }) => at)).toEqual(events.map(({ at }) => at))
    expect(endedAfter).toBe(events.at(-1)?.at)
    expect(endedAfter).toBeGreaterThan(1000)
  })

  it('says which bodies the journal does not keep, and takes its filters', async () => {
    const sim = simulator()
    await post(sim, '/v1/chat/completions', {
      ...chat('x'.repeat(70_000)),
      n: 20,
      logprobs: true,
      top_logprobs: 20,
    })
    await get(sim, '/v1/models')
    const [{ response, request } = {} as Exchange] = await exported(sim, '&operation=chat.create')
    expect(request.body).toBeUndefined()
    expect(response).toMatchObject({ body: { isComplete: false } })
    expect(await exported(sim, '&limit=1')).toHaveLength(1)
  })

  it('is valid for any path, method and host', async () => {
    const sim = simulator()
    await sim.fetch('/v1/%zz?key=AIza-secret-key-0123456789&x=<', { method: 'PROPFIND' })
    const [{ request, redacted } = {} as Exchange] = await exported(sim)
    expect(request.method).toBe('PROPFIND')
    expect(request.url).not.toContain('secret')
    expect(redacted).toContain('query:key')
  })
})

describeIntegrations('the file of a session', (integration) => {
  it('passes `check`, equals itself for `diff`, and becomes a scenario', async () => {
    const sim = simulator(withRules([slow]))
    const { fetch, url } = await integration.open(sim)
    const send = async (path: string, body?: object): Promise<string> => {
      const init = {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      }
      const response = await fetch(
        `${url}${path}`,
        body === undefined ? init : { ...init, body: JSON.stringify(body) },
      )
      return response.text()
    }
    await send('/v1/models')
    await send('/v1/chat/completions', chat('Hello'))
    await send('/v1/chat/completions', chat(''))
    const { id } = JSON.parse(await send('/v1/videos', { model: 'sora-2', prompt: 'a fox' })) as {
      id: string
    }
    sim.clock.advance('10m')
    await send(`/v1/videos/${id}`)
    await send(`/v1/videos/${id}/content`)
    const har = await send('/__sim/journal?format=har')
    const cwd = directoryWith({ 'journal.har': har })

    expect(await run(['check', '--recordings', 'journal.har'], { cwd })).toMatchObject({ code: 0 })
    expect(await run(['diff', 'journal.har', 'journal.har'], { cwd })).toMatchObject({ code: 0 })
    const made = await run(['scenario', 'journal.har', '-o', 'made.yaml'], { cwd })
    expect(made).toMatchObject({ code: 0 })
    expect(await run(['replay', 'made.yaml'], { cwd })).toMatchObject({ code: 0 })
  })
})
