/** The user's own msw handlers over HTTP, and each known limit of the middleware that carries them. */
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { delay, http, HttpResponse, passthrough, ws, type HttpHandler } from 'msw'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createUserHandlers } from '../../src/http/user-handlers.ts'
import { listen, type CallLine } from '../../src/transports/node.ts'
import { dataOf, simulator } from '../_setup.ts'
import { exchange, openSocket } from './_socket.ts'

type Sim = ReturnType<typeof simulator>

async function serve(handlers: readonly unknown[], options: Parameters<typeof simulator>[0] = {}): Promise<{ sim: Sim; url: string; port: number; server: Server; lines: CallLine[] }> {
  const sim = simulator(options)
  const lines: CallLine[] = []
  const listening = await listen(sim, { handlers, onCall: (line) => lines.push(line) })
  onTestFinished(() => listening.close())
  return { sim, url: listening.url, port: listening.port, server: listening.server, lines }
}

const question = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Name a colour.' }] }
const ask = (url: string, body: unknown = question, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })

const encoder = new TextEncoder()

/** A promise and what settles it: tests wait for what happens, never for time. */
function signalOf<T = void>(): { readonly seen: Promise<T>; say(value: T): void } {
  let say!: (value: T) => void
  const seen = new Promise<T>((done) => (say = done))
  return { seen, say }
}

describe('a user handler', () => {
  it('answers before the simulator, with status, headers and body as returned', async () => {
    const { url, sim } = await serve([http.post('/v1/chat/completions', () => HttpResponse.json({ mine: true }, { status: 201, headers: [['x-mine', 'yes'], ['set-cookie', 'a=1'], ['set-cookie', 'b=2']] }))])
    const response = await ask(url)
    expect(response.status).toBe(201)
    expect(response.headers.get('x-mine')).toBe('yes')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(response.headers.get('x-powered-by')).toBeNull()
    expect(await response.json()).toEqual({ mine: true })
    expect(sim.warnings).toEqual([])
  })

  it('reads method, path, query, headers, parameters and body of the call', async () => {
    const { url } = await serve([
      http.put('/v1/things/:id', async ({ request, params }) => HttpResponse.json({ method: request.method, id: params['id'], query: new URL(request.url).searchParams.get('q'), header: request.headers.get('x-one'), body: await request.text() })),
    ])
    const response = await fetch(`${url}/v1/things/7?q=a%20b`, { method: 'PUT', headers: { 'x-one': '1' }, body: 'bytes' })
    expect(await response.json()).toEqual({ method: 'PUT', id: '7', query: 'a b', header: '1', body: 'bytes' })
  })

  it('answers at the virtual time, for browsers of any origin, and stands in the journal and the log', async () => {
    const { url, sim, lines } = await serve([http.get('/v1/models', () => HttpResponse.text('mine'))])
    const response = await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })
    expect(response.headers.get('date')).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.text()).toBe('mine')
    expect(sim.journal()).toMatchObject([{ operation: 'models.list', path: '/v1/models', status: 200, decidedBy: 'a handler of yours', reply: 'mine', ended: 'completed' }])
    expect(lines).toMatchObject([{ operation: 'models.list', status: 200, decidedBy: 'a handler of yours' }])
  })

  it('matches by path when it was written for another origin', async () => {
    const { url } = await serve([
      http.post('/v1/other', () => HttpResponse.text('other')),
      http.post('https://api.openai.com/v1/chat/completions', ({ request }) => HttpResponse.text(request.url)),
      http.get('http://localhost:4010/v1/models', () => HttpResponse.text('models')),
    ])
    expect(await (await ask(url)).text()).toBe('https://api.openai.com/v1/chat/completions')
    expect(await (await fetch(`${url}/v1/models`)).text()).toBe('models')
  })

  it('sees the path without a session prefix, and the session in a header', async () => {
    const { url, sim } = await serve([http.get('/v1/models', ({ request }) => HttpResponse.text(`${new URL(request.url).pathname} ${request.headers.get('x-sim-session')}`))])
    expect(await (await fetch(`${url}/s/red/v1/models`)).text()).toBe('/v1/models red')
    expect(await (await fetch(`${url}/v1/models`)).text()).toBe('/v1/models null')
    expect(sim.core.sessions.get('red').world.journal.entries()).toMatchObject([{ path: '/v1/models', session: 'red' }])
    expect(sim.journal()).toHaveLength(1)
  })

  it('made for one call answers one of three at once', async () => {
    const { url } = await serve([http.get('/v1/models', () => HttpResponse.text('once'), { once: true })])
    const texts = await Promise.all([1, 2, 3].map(async () => (await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })).text()))
    expect(texts.filter((text) => text === 'once')).toHaveLength(1)
    expect(texts.filter((text) => text.startsWith('{"object":"list"'))).toHaveLength(2)
  })

  it('never gets the control API', async () => {
    const { url } = await serve([http.all('*', () => HttpResponse.text('all mine'))])
    expect(await (await fetch(`${url}/anything`)).text()).toBe('all mine')
    expect(await (await fetch(`${url}/__sim/health`)).json()).toMatchObject({ status: 'ok' })
    expect(await (await fetch(`${url}/s/red/__sim/health`)).json()).toMatchObject({ session: 'red' })
  })

  it('answers HEAD without a body', async () => {
    const { url } = await serve([http.head('/v1/models', () => new HttpResponse(null, { headers: { 'x-mine': 'yes' } }))])
    const response = await fetch(`${url}/v1/models`, { method: 'HEAD' })
    expect(response.headers.get('x-mine')).toBe('yes')
    expect(await response.text()).toBe('')
  })

  it('streams live: each part arrives before the next is made', async () => {
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
    let settled = false
    void sim.settled().then(() => (settled = true))
    await Promise.resolve()
    expect(settled).toBe(true)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    for (const part of ['data: one\n\n', 'data: zwölf\n\n']) {
      push(part)
      expect(decoder.decode((await reader.read()).value)).toBe(part)
    }
    end()
    expect((await reader.read()).done).toBe(true)
    expect(sim.journal()).toMatchObject([{ ended: 'completed', reply: 'data: one\n\ndata: zwölf\n\n' }])
  })
})

describe('a call that no user handler answers', () => {
  const silent: Record<string, HttpHandler> = {
    'whose path no handler names': http.get('/elsewhere', () => HttpResponse.text('no')),
    'whose handler returns nothing': http.post('/v1/chat/completions', () => undefined),
    'whose handler read the body and returns nothing': http.post('/v1/chat/completions', async ({ request }) => void (await request.json())),
    'that a handler passes through': http.post('/v1/chat/completions', () => passthrough()),
    'that a handler read and passes through': http.post('/v1/chat/completions', async ({ request }) => {
      await request.clone().text()
      await request.text()
      return passthrough()
    }),
  }
  for (const [name, handler] of Object.entries(silent)) {
    it(`${name} gets the simulator's answer to the same bytes`, async () => {
      const { url, sim } = await serve([handler])
      const bare = simulator()
      const expected = await bare.fetch('http://bare.test/v1/chat/completions', { method: 'POST', headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' }, body: JSON.stringify(question) })
      const response = await ask(url)
      expect(await response.text()).toBe(await expected.text())
      expect(sim.journal()).toMatchObject([{ operation: 'chat.create', request: JSON.stringify(question), ended: 'completed' }])
      expect(sim.warnings).toEqual([])
    })
  }

  it('keeps every byte of a form', async () => {
    const { url, sim } = await serve([http.post('/v1/videos', async ({ request }) => void (await request.formData()))])
    const form = new FormData()
    form.set('model', 'video-1')
    form.set('prompt', 'a sunset')
    const response = await fetch(`${url}/v1/videos`, { method: 'POST', headers: { authorization: 'Bearer sk-test' }, body: form })
    expect(response.status).toBe(200)
    expect(sim.journal()).toMatchObject([{ operation: 'videos.create', status: 200 }])
  })

  it('streams with the pace of the virtual clock', async () => {
    const { url, sim } = await serve([http.get('/elsewhere', () => HttpResponse.text('no'))])
    const response = await ask(url, { ...question, stream: true })
    sim.clock.advance('1m')
    expect(dataOf(await response.text()).at(-1)).toBe('[DONE]')
  })

  it('is refused over the limit by the simulator, whether the length was declared or not', async () => {
    let asked = 0
    const { url } = await serve([http.post('/v1/chat/completions', () => void asked++)], { settings: { limits: { jsonBytes: 2048 } } })
    const large = JSON.stringify({ ...question, user: 'x'.repeat(4000) })
    const declared = await ask(url, JSON.parse(large))
    const chunked = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' }, body: new Blob([large]).stream(), duplex: 'half' } as RequestInit)
    for (const response of [declared, chunked]) {
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('limits.jsonBytes') } })
    }
    expect(asked).toBe(0)
  })

  it('may be one that no web Request can express', async () => {
    const { port, sim } = await serve([http.all('*', () => HttpResponse.text('no'))])
    const reply = await exchange(port, 'TRACE /v1/models HTTP/1.1\r\nhost: a\r\nauthorization: Bearer sk-test\r\nconnection: close\r\n\r\n')
    expect(reply).toMatch(/^HTTP\/1\.1 405 /)
    expect(await exchange(port, 'GET /v1/models HTTP/1.1\r\nhost: not a host\r\nauthorization: Bearer sk-test\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
    expect(sim.warnings).toEqual([])
  })
})

describe('a user handler that goes wrong', () => {
  it('by throwing gives 500 in the JSON envelope and a warning with the stack, and the next call is served', async () => {
    const { url, sim } = await serve([
      http.post('/v1/chat/completions', () => {
        throw new RangeError('my mistake')
      }),
    ])
    const response = await ask(url)
    expect(response.status).toBe(500)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ error: { type: 'user_handler_error', code: 500, message: 'A handler of yours for POST /v1/chat/completions threw: my mistake', param: null, details: [], trace_id: '' } })
    expect(sim.warnings).toEqual([expect.stringMatching(/^a handler of yours for POST \/v1\/chat\/completions threw: RangeError: my mistake\n.*user-handlers\.test\.ts/s)])
    expect((await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })).status).toBe(200)
  })

  it('by throwing a Response means that response', async () => {
    const { url, sim } = await serve([
      http.post('/v1/chat/completions', () => {
        throw HttpResponse.json({ thrown: true }, { status: 418 })
      }),
    ])
    expect((await ask(url)).status).toBe(418)
    expect(sim.warnings).toEqual([])
  })

  const wrong: Record<string, { readonly handler: HttpHandler; readonly message: string }> = {
    'no Response': { handler: http.post('/v1/chat/completions', () => ({ mine: true }) as never), message: 'returned an object that is no Response: return HttpResponse.json(…)' },
    'a Response that was read': {
      handler: http.post('/v1/chat/completions', async () => {
        const response = HttpResponse.text('x')
        await response.text()
        return response as never
      }),
      message: 'whose body was already read: return a copy (response.clone())',
    },
    'a header that cannot be sent': { handler: http.post('/v1/chat/completions', () => HttpResponse.text('x', { headers: { 'x-mine': 'a\u0001b' } })), message: 'a header that cannot be sent: x-mine' },
  }
  for (const [name, { handler, message }] of Object.entries(wrong)) {
    it(`by returning ${name} gives 500 that says so`, async () => {
      const { url, sim } = await serve([handler])
      const response = await ask(url)
      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({ error: { type: 'user_handler_error', message: expect.stringContaining(message) } })
      expect(sim.warnings).toEqual([expect.stringContaining(message)])
    })
  }

  it('by a body that errors breaks the connection after what was said, and the process lives', async () => {
    const { url, port, sim } = await serve([
      http.post('/v1/chat/completions', () => {
        let turn = 0
        return new HttpResponse(
          new ReadableStream<Uint8Array>({
            pull(controller) {
              if (turn++ === 0) controller.enqueue(encoder.encode('data: one\n\n'))
              else controller.error(new Error('no more'))
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        )
      }),
    ])
    const response = await ask(url)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow('terminated')
    const raw = await exchange(port, 'POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n')
    expect(raw).toContain('data: one\n\n')
    expect(raw.endsWith('0\r\n\r\n')).toBe(false)
    expect(sim.journal()).toMatchObject([
      { ended: 'cut', reply: 'data: one\n\n' },
      { ended: 'cut', reply: 'data: one\n\n' },
    ])
    expect(sim.warnings).toEqual([expect.stringContaining('no more'), expect.stringContaining('no more')])
    expect((await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })).status).toBe(200)
  })

  it('by a body that errors after megabytes still delivers these', async () => {
    const { port } = await serve([
      http.get('/v1/large', () => {
        const parts = [new Uint8Array(8_000_000).fill(120)]
        return new HttpResponse(new ReadableStream<Uint8Array>({ pull: (controller) => (parts.length > 0 ? controller.enqueue(parts.pop() as Uint8Array) : controller.error(new Error('no more'))) }))
      }),
    ])
    const raw = await exchange(port, 'GET /v1/large HTTP/1.1\r\nhost: a\r\n\r\n')
    expect(raw.replaceAll(/[^x]/g, '').length).toBeGreaterThanOrEqual(8_000_000)
    expect(raw.endsWith('0\r\n\r\n')).toBe(false)
  })

  it('by a body of strings breaks the connection and says what a body takes', async () => {
    const { url, sim } = await serve([http.post('/v1/chat/completions', () => new HttpResponse(new ReadableStream({ pull: (controller) => controller.enqueue('text') })))])
    const response = await ask(url)
    await expect(response.text()).rejects.toThrow('terminated')
    expect(sim.warnings).toEqual([expect.stringContaining('a chunk is a string: a body takes Uint8Array')])
  })

  it('on purpose, with HttpResponse.error(), resets the connection instead of hanging', async () => {
    const { url, port, sim } = await serve([http.post('/v1/chat/completions', () => HttpResponse.error())])
    await expect(ask(url)).rejects.toThrow('fetch failed')
    await expect(exchange(port, 'POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n')).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(sim.journal()).toMatchObject([{ ended: 'cut' }, { ended: 'cut' }])
    expect(sim.warnings).toEqual([])
  })
})

describe('a client that leaves', () => {
  it('while the handler thinks is heard through request.signal, and nobody else answers', async () => {
    const started = signalOf()
    const heard = signalOf<unknown>()
    const { url, sim } = await serve([
      http.post('/v1/chat/completions', async ({ request }) => {
        request.signal.addEventListener('abort', () => heard.say(request.signal.reason))
        started.say()
        await heard.seen
        return HttpResponse.text('too late')
      }),
    ])
    const leaving = new AbortController()
    const answer = fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{}', signal: leaving.signal })
    await started.seen
    leaving.abort()
    await expect(answer).rejects.toThrow('aborted')
    expect(await heard.seen).toMatchObject({ name: 'AbortError' })
    await vi.waitFor(() => expect(sim.journal()).toMatchObject([{ ended: 'aborted', status: 499, decidedBy: 'a handler of yours' }]))
    await sim.settled()
    expect(sim.warnings).toEqual([])
  })

  it('in the middle of a stream stops its source', async () => {
    const cancelled = signalOf<unknown>()
    const signalled = signalOf()
    let pulls = 0
    const { url, sim } = await serve([
      http.post('/v1/chat/completions', ({ request }) => {
        request.signal.addEventListener('abort', () => signalled.say())
        return new HttpResponse(
          new ReadableStream<Uint8Array>({
            async pull(controller) {
              pulls++
              await delay(5)
              controller.enqueue(encoder.encode(`data: ${pulls}\n\n`))
            },
            cancel: (reason) => cancelled.say(reason),
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        )
      }),
    ])
    const leaving = new AbortController()
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{}', signal: leaving.signal })
    await (response.body as ReadableStream<Uint8Array>).getReader().read()
    leaving.abort()
    expect(await cancelled.seen).toMatchObject({ message: 'the client left' })
    await signalled.seen
    expect(sim.journal()).toMatchObject([{ ended: 'aborted', status: 200 }])
  })

  it('in the middle of its body is noted by the simulator', async () => {
    const { port, sim, server } = await serve([http.post('/v1/chat/completions', () => HttpResponse.text('no'))])
    const socket = await openSocket(port)
    const arrived = once(server, 'request')
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer sk-test\r\ncontent-length: 100\r\n\r\n{"model"')
    await arrived
    socket.destroy()
    await vi.waitFor(() => expect(sim.journal()).toMatchObject([{ operation: 'chat.create', ended: 'aborted' }]))
  })

  it('is not needed to move the clock: a handler that never answers does not hold up settled()', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const started = signalOf()
    const { url, sim } = await serve([
      http.post('/v1/chat/completions', () => {
        started.say()
        return new Promise<never>(() => {})
      }),
    ])
    const leaving = new AbortController()
    const answer = fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{}', signal: leaving.signal })
    answer.catch(() => {})
    await started.seen
    let settled = false
    const waiting = sim.settled().then(() => (settled = true))
    await Promise.resolve()
    expect(settled).toBe(false)
    vi.advanceTimersByTime(2000)
    await waiting
    leaving.abort()
  })
})

describe('open streams of user handlers', () => {
  it('end when the simulator closes', async () => {
    const sim = simulator()
    const cancelled = signalOf<unknown>()
    const listening = await listen(sim, { handlers: [http.get('/v1/models', () => new HttpResponse(new ReadableStream({ start: (controller) => controller.enqueue(encoder.encode('x')), cancel: (reason) => cancelled.say(reason) })))] })
    const response = await fetch(`${listening.url}/v1/models`)
    await listening.close()
    await expect(response.text()).rejects.toThrow('terminated')
    expect(await cancelled.seen).toMatchObject({ message: 'the simulator was closed' })
  })
})

describe('what cannot be served is refused at the start', () => {
  const { core } = simulator()
  const one = http.get('/v1/models', () => HttpResponse.text('x'))
  const cases: Record<string, { readonly given: unknown; readonly message: string }> = {
    'a resolver alone': { given: [one, () => HttpResponse.text('x')], message: 'handlers[1]: expected a request handler of msw such as http.post(\'/v1/chat/completions\', …), got a function: a resolver alone has no path; write http.post(path, resolver)' },
    'a list in the list': { given: [[one]], message: 'handlers[0]: expected a request handler of msw such as http.post(\'/v1/chat/completions\', …), got an array of 1: spread it (...list)' },
    'a promise': { given: [Promise.resolve(one)], message: 'got a promise: await it first' },
    nothing: { given: [one, undefined], message: 'handlers[1]: expected a request handler of msw such as http.post(\'/v1/chat/completions\', …), got undefined' },
    'a plain object': { given: [{ path: '/v1', method: 'GET' }], message: 'got an object with path, method' },
    'a text': { given: ['./handlers.js'], message: 'got "./handlers.js" (a string)' },
    'a WebSocket handler': { given: [ws.link('ws://a.test').addEventListener('connection', () => {})], message: 'got a WebSocket handler: the gateway has no WebSockets' },
    'no list': { given: one, message: 'handlers: expected an array of msw handlers, got an object with' },
  }
  for (const [name, { given, message }] of Object.entries(cases)) {
    it(`${name}: a TypeError that names the place and what was got`, async () => {
      const error = await createUserHandlers(given as never, core).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(TypeError)
      expect((error as Error).message).toContain(message)
    })
  }

  it('listen() rejects with it', async () => {
    await expect(listen(simulator(), { handlers: [1] })).rejects.toThrow('handlers[0]: expected a request handler of msw')
    await expect(listen(simulator(), { handlers: one as never })).rejects.toThrow('handlers: expected an array of msw handlers')
  })

  it('msw 3: an error that names the version and the fix', async () => {
    const from = project({ msw: 'msw3' })
    await expect(createUserHandlers([one], core, { from })).rejects.toThrow(/which needs msw 2; found msw 3\.\d+\.\d+: npm install --save-dev msw@2/)
  })

  it('no middleware: an error that names what to install', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'gateway-sim-'))
    onTestFinished(() => rmSync(empty, { recursive: true }))
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(empty)
    onTestFinished(() => cwd.mockRestore())
    await expect(createUserHandlers([one], core, { from: pathToFileURL(join(empty, 'x.js')).href })).rejects.toThrow('@mswjs/http-middleware, which is not installed: npm install --save-dev @mswjs/http-middleware msw@2')
  })

  it('no msw: an error that names what to install', async () => {
    const root = mkdtempSync(join(tmpdir(), 'gateway-sim-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    cpSync(resolve('node_modules/@mswjs/http-middleware'), join(root, 'node_modules/@mswjs/http-middleware'), { recursive: true })
    await expect(createUserHandlers([one], core, { from: pathToFileURL(join(root, 'x.js')).href })).rejects.toThrow('the package msw, which is not installed: npm install --save-dev @mswjs/http-middleware msw@2')
  })

  it('packages beside the working directory are found when the simulator has none around it (npx)', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'gateway-sim-'))
    onTestFinished(() => rmSync(empty, { recursive: true }))
    await expect(createUserHandlers([one], core, { from: pathToFileURL(join(empty, 'x.js')).href })).resolves.toBeTypeOf('function')
  })
})

describe('the Express that carries the middleware', () => {
  for (const [version, folder] of [['5', 'express'], ['4', '@mswjs/http-middleware/node_modules/express']] as const) {
    it(`may be Express ${version}`, async () => {
      const from = project({ msw: 'msw', express: folder })
      expect(JSON.parse(readFileSync(resolve('node_modules', folder, 'package.json'), 'utf8'))).toMatchObject({ version: expect.stringMatching(new RegExp(`^${version}\\.`)) })
      const sim = simulator()
      const handlers = await createUserHandlers([http.get('/v1/models', () => HttpResponse.text('mine'))], sim.core, { from })
      const server = createServer((request, response) => handlers(request, response, () => response.writeHead(204).end()))
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
      onTestFinished(() => void server.close())
      const { port } = server.address() as AddressInfo
      expect(await exchange(port, 'GET /v1/models HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).toContain('mine')
      expect(await exchange(port, 'GET /v1/other HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 204 /)
      expect(await exchange(port, 'TRACE /v1/models HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 204 /)
    })
  }
})

/** A project with a middleware and an msw of its own, inside node_modules so that their dependencies are found. */
function project(packages: { readonly msw: string; readonly express?: string }): string {
  const root = mkdtempSync(join(resolve('node_modules'), '.gateway-sim-test-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(resolve('node_modules', packages.msw), join(root, 'node_modules/msw'))
  if (packages.express !== undefined) symlinkSync(resolve('node_modules', packages.express), join(root, 'node_modules/express'))
  cpSync(resolve('node_modules/@mswjs/http-middleware'), join(root, 'node_modules/@mswjs/http-middleware'), { recursive: true })
  return pathToFileURL(join(root, 'x.js')).href
}
