import { type HttpHandler, HttpResponse, http, passthrough } from 'msw'
import { describe, expect, it } from 'vitest'
import { bodyOf, jsonCall, simulator } from '../_setup.ts'
import { ask, question, serve } from './_user-handlers.ts'

const encoder = new TextEncoder()

describe('a user handler', () => {
  it('responds before the simulator, with its status, headers and body', async () => {
    const headers: [string, string][] = [
      ['x-mine', 'yes'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]
    const { url, sim } = await serve([
      http.post('/v1/chat/completions', () => HttpResponse.json({ mine: true }, { status: 201, headers })),
    ])
    const response = await ask(url)
    expect(response.status).toBe(201)
    expect(response.headers.get('x-mine')).toBe('yes')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(response.headers.get('x-powered-by')).toBeNull()
    expect(await response.json()).toEqual({ mine: true })
    expect(sim.warnings).toEqual([])
  })

  it('reads method, path, query, headers, parameters and body of the request', async () => {
    const { url } = await serve([
      http.put('/v1/things/:id', async ({ request, params }) =>
        HttpResponse.json({
          method: request.method,
          id: params['id'],
          query: new URL(request.url).searchParams.get('q'),
          header: request.headers.get('x-one'),
          body: await request.text(),
        }),
      ),
    ])
    const call = { method: 'PUT', headers: { 'x-one': '1' }, body: 'bytes' }
    const response = await fetch(`${url}/v1/things/7?q=a%20b`, call)
    const read = { method: 'PUT', id: '7', query: 'a b', header: '1', body: 'bytes' }
    expect(await response.json()).toEqual(read)
  })

  it('responds at the virtual time, for browsers of any origin, and appears in the journal and the log', async () => {
    const { url, sim, lines } = await serve([http.get('/v1/models', () => HttpResponse.text('mine'))])
    const response = await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })
    expect(response.headers.get('date')).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.text()).toBe('mine')
    expect(sim.journal()).toMatchObject([
      {
        operation: 'models.list',
        request: { url: '/v1/models' },
        response: { status: 200, body: { text: 'mine' } },
        cause: { decidedBy: { kind: 'user-handler' } },
        ended: 'completed',
      },
    ])
    expect(lines).toMatchObject([
      { operation: 'models.list', status: 200, decidedBy: { kind: 'user-handler' } },
    ])
  })

  it('matches by path if it was written for another origin', async () => {
    const { url } = await serve([
      http.post('/v1/other', () => HttpResponse.text('other')),
      http.post('https://api.openai.com/v1/chat/completions', ({ request }) =>
        HttpResponse.text(request.url),
      ),
      http.get('http://localhost:4010/v1/models', () => HttpResponse.text('models')),
    ])
    expect(await (await ask(url)).text()).toBe('https://api.openai.com/v1/chat/completions')
    expect(await (await fetch(`${url}/v1/models`)).text()).toBe('models')
  })

  it('receives the path without a session prefix, and the session in a header', async () => {
    const { url, sim } = await serve([
      http.get('/v1/models', ({ request }) =>
        HttpResponse.text(`${new URL(request.url).pathname} ${request.headers.get('x-sim-session')}`),
      ),
    ])
    expect(await (await fetch(`${url}/s/red/v1/models`)).text()).toBe('/v1/models red')
    expect(await (await fetch(`${url}/v1/models`)).text()).toBe('/v1/models null')
    expect(sim.core.sessions.get('red').sandbox.journal.kept()).toMatchObject([
      { request: { url: '/v1/models' }, session: 'red' },
    ])
    expect(sim.journal()).toHaveLength(1)
  })

  it('never receives control requests', async () => {
    const { url } = await serve([http.all('*', () => HttpResponse.text('all mine'))])
    expect(await (await fetch(`${url}/anything`)).text()).toBe('all mine')
    expect(await bodyOf(fetch(`${url}/__sim/health`))).toMatchObject({ status: 'ok' })
    expect(await bodyOf(fetch(`${url}/s/red/__sim/clock`))).toMatchObject({ mode: 'manual' })
  })

  it('streams live: each chunk arrives before the next is produced', async () => {
    let push!: (text: string) => void
    let end!: () => void
    const { url, sim } = await serve([
      http.post('/v1/chat/completions', () => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            push = (text) => controller.enqueue(encoder.encode(text))
            end = () => controller.close()
          },
        })
        return new HttpResponse(body, { headers: { 'content-type': 'text/event-stream' } })
      }),
    ])
    // Resolves although no byte of the body exists yet.
    const response = await ask(url)
    await sim.settled()
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    for (const part of ['data: one\n\n', 'data: zwölf\n\n']) {
      push(part)
      expect(decoder.decode((await reader.read()).value)).toBe(part)
    }
    end()
    expect((await reader.read()).done).toBe(true)
    expect(sim.journal()).toMatchObject([
      { ended: 'completed', response: { body: { text: 'data: one\n\ndata: zwölf\n\n' } } },
    ])
  })
})

describe('a request without a matching user handler', () => {
  const silent: Record<string, HttpHandler> = {
    'whose path no handler names': http.get('/elsewhere', () => HttpResponse.text('no')),
    'whose handler returns nothing': http.post('/v1/chat/completions', () => undefined),
    'whose handler read the body and returns nothing': http.post(
      '/v1/chat/completions',
      async ({ request }) => void (await request.json()),
    ),
    'that a handler passes through': http.post('/v1/chat/completions', () => passthrough()),
    'that a handler read and passes through': http.post('/v1/chat/completions', async ({ request }) => {
      await request.clone().text()
      await request.text()
      return passthrough()
    }),
  }
  for (const [name, handler] of Object.entries(silent)) {
    it(`${name} gets the simulator's response to the same bytes`, async () => {
      const { url, sim } = await serve([handler])
      const bare = simulator()
      const expected = await bare.fetch('http://bare.test/v1/chat/completions', jsonCall(question))
      const response = await ask(url)
      expect(await response.text()).toBe(await expected.text())
      expect(sim.journal()).toMatchObject([
        {
          operation: 'chat.create',
          request: { body: { text: JSON.stringify(question) } },
          ended: 'completed',
        },
      ])
      expect(sim.warnings).toEqual([])
    })
  }

  it('is rejected over the limit by the simulator, with or without a declared length', async () => {
    let asked = 0
    const { url } = await serve([http.post('/v1/chat/completions', () => void asked++)], {
      settings: { limits: { jsonBytes: 2048 } },
    })
    const large = JSON.stringify({ ...question, user: 'x'.repeat(4000) })
    const declared = await ask(url, JSON.parse(large))
    const chunked = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit)
    for (const response of [declared, chunked]) {
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({
        error: { message: expect.stringContaining('limits.jsonBytes') },
      })
    }
    expect(asked).toBe(0)
  })
})
