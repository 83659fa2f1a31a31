/**
 * The user's own msw handlers over HTTP: what they see, what they answer, and what becomes of calls they
 * leave.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type HttpHandler, HttpResponse, http, passthrough } from 'msw'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bodyOf, dataOf, jsonCall, simulator } from '../_setup.ts'
import { exchange } from './_socket.ts'
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

  it('limited to one request handles one of three simultaneous ones', async () => {
    const { url } = await serve([http.get('/v1/models', () => HttpResponse.text('once'), { once: true })])
    const texts = await Promise.all(
      [1, 2, 3].map(async () =>
        (await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })).text(),
      ),
    )
    expect(texts.filter((text) => text === 'once')).toHaveLength(1)
    expect(texts.filter((text) => text.startsWith('{"object":"list"'))).toHaveLength(2)
  })

  it('never receives control requests', async () => {
    const { url } = await serve([http.all('*', () => HttpResponse.text('all mine'))])
    expect(await (await fetch(`${url}/anything`)).text()).toBe('all mine')
    expect(await bodyOf(fetch(`${url}/__sim/health`))).toMatchObject({ status: 'ok' })
    expect(await bodyOf(fetch(`${url}/s/red/__sim/clock`))).toMatchObject({ mode: 'manual' })
  })

  it('responds to HEAD without a body', async () => {
    const { url } = await serve([
      http.head('/v1/models', () => new HttpResponse(null, { headers: { 'x-mine': 'yes' } })),
    ])
    const response = await fetch(`${url}/v1/models`, { method: 'HEAD' })
    expect(response.headers.get('x-mine')).toBe('yes')
    expect(await response.text()).toBe('')
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

  it('keeps every byte of a form', async () => {
    const { url, sim } = await serve([
      http.post('/v1/videos', async ({ request }) => void (await request.formData())),
    ])
    const form = new FormData()
    form.set('model', 'video-1')
    form.set('prompt', 'a sunset')
    const response = await fetch(`${url}/v1/videos`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test' },
      body: form,
    })
    expect(response.status).toBe(200)
    expect(sim.journal()).toMatchObject([{ operation: 'videos.create', response: { status: 200 } }])
  })

  it('streams with the pace of the virtual clock', async () => {
    const { url, sim } = await serve([http.get('/elsewhere', () => HttpResponse.text('no'))])
    const response = await ask(url, { ...question, stream: true })
    sim.clock.advance('1m')
    expect(dataOf(await response.text()).at(-1)).toBe('[DONE]')
  })

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

  it('can be one that a web Request cannot express', async () => {
    const { port, sim } = await serve([http.all('*', () => HttpResponse.text('no'))])
    const call = (method: string, host: string) =>
      exchange(
        port,
        `${method} /v1/models HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer sk-test\r\nconnection: close\r\n\r\n`,
      )
    expect(await call('TRACE', 'a')).toMatch(/^HTTP\/1\.1 405 /)
    expect(await call('GET', 'not a host')).toMatch(
      /^HTTP\/1\.1 400 .*host: expected a host name or an IP address/s,
    )
    expect(sim.warnings).toEqual([])
  })
})

it('two servers share one async storage, because each further one slows every promise of the process', async () => {
  const run = vi.spyOn(AsyncLocalStorage.prototype, 'run')
  onTestFinished(() => run.mockRestore())
  const mine = http.post('/v1/chat/completions', () => HttpResponse.text('mine'))
  for (const { url } of [await serve([mine]), await serve([mine])])
    expect(await (await ask(url)).text()).toBe('mine')
  expect(run).toHaveBeenCalledTimes(2)
  expect(new Set(run.mock.contexts).size).toBe(1)
})
