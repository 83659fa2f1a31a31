import { delay, type HttpHandler, HttpResponse, http } from 'msw'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../src/node.ts'
import { eventually } from '../_eventually.ts'
import { simulator } from '../_setup.ts'
import { exchange } from './_socket.ts'
import { ask, serve, signalOf } from './_user-handlers.ts'

const encoder = new TextEncoder()
const key = { authorization: 'Bearer sk-test' }
/** A call whose client may leave. */
const call = (url: string, { signal }: AbortController): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{}', signal })

describe('a failing user handler', () => {
  it('that throws gives 500 in the JSON envelope and a warning with the stack, and the next request works', async () => {
    const { url, sim } = await serve([
      http.post('/v1/chat/completions', () => {
        throw new RangeError('my error')
      }),
    ])
    const response = await ask(url)
    expect(response.status).toBe(500)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({
      error: {
        type: 'user_handler_error',
        code: 500,
        message: 'A user handler for POST /v1/chat/completions threw: my error',
        param: null,
        details: [],
        trace_id: '',
      },
    })
    expect(sim.warnings).toEqual([
      expect.stringMatching(
        /^a user handler for POST \/v1\/chat\/completions threw: RangeError: my error\n.*user-handlers-faults\.test\.ts/s,
      ),
    ])
    expect((await fetch(`${url}/v1/models`, { headers: key })).status).toBe(200)
  })

  const answers = (resolver: Parameters<typeof http.post>[1]) => http.post('/v1/chat/completions', resolver)
  it.each<[string, HttpHandler, string]>([
    [
      'a value that is not a Response',
      answers(() => ({ mine: true }) as never),
      'returned an object, which is not a Response: return HttpResponse.json(…)',
    ],
    [
      'a consumed Response',
      answers(async () => {
        const response = HttpResponse.text('x')
        await response.text()
        return response as never
      }),
      'whose body has been read: return a copy (response.clone())',
    ],
    [
      'an invalid header',
      answers(() => HttpResponse.text('x', { headers: { 'x-mine': 'a\u0001b' } })),
      'a header that cannot be sent: x-mine',
    ],
  ])('that returns %s gives 500 with an explanation', async (_, handler, message) => {
    const { url, sim } = await serve([handler])
    const response = await ask(url)
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({
      error: { type: 'user_handler_error', message: expect.stringContaining(message) },
    })
    expect(sim.warnings).toEqual([expect.stringContaining(message)])
  })

  it('whose body errors breaks the connection after the sent part, and the process survives', async () => {
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
    const raw = await exchange(
      port,
      'POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n',
    )
    expect(raw).toContain('data: one\n\n')
    expect(raw.endsWith('0\r\n\r\n')).toBe(false)
    expect(sim.journal()).toMatchObject([
      { ended: 'disconnected', response: { body: { text: 'data: one\n\n' } } },
      { ended: 'disconnected', response: { body: { text: 'data: one\n\n' } } },
    ])
    expect(sim.warnings).toEqual([expect.stringContaining('no more'), expect.stringContaining('no more')])
    expect((await fetch(`${url}/v1/models`, { headers: key })).status).toBe(200)
  })

  it('that returns HttpResponse.error() resets the connection instead of hanging', async () => {
    const { url, port, sim } = await serve([http.post('/v1/chat/completions', () => HttpResponse.error())])
    await expect(ask(url)).rejects.toThrow('fetch failed')
    await expect(
      exchange(port, 'POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n'),
    ).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(sim.journal()).toMatchObject([{ ended: 'disconnected' }, { ended: 'disconnected' }])
    expect(sim.warnings).toEqual([])
  })
})

describe('a client that aborts', () => {
  it('while the handler runs is reported through request.signal, and no other handler responds', async () => {
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
    const answer = call(url, leaving)
    await started.seen
    leaving.abort()
    await expect(answer).rejects.toThrow('aborted')
    expect(await heard.seen).toMatchObject({ name: 'AbortError' })
    await eventually(() =>
      expect(sim.journal()).toMatchObject([
        { ended: 'aborted', response: { status: 499 }, cause: { decidedBy: { kind: 'user-handler' } } },
      ]),
    )
    await sim.settled()
    expect(sim.warnings).toEqual([])
  })

  it('during a stream stops its source', async () => {
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
    const response = await call(url, leaving)
    await (response.body as ReadableStream<Uint8Array>).getReader().read()
    leaving.abort()
    expect(await cancelled.seen).toMatchObject({ message: 'the client left' })
    await signalled.seen
    expect(sim.journal()).toMatchObject([{ ended: 'aborted', response: { status: 200 } }])
  })

  it('is not needed to advance the clock: a handler that never responds does not delay settled()', async () => {
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
    const answer = call(url, leaving)
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
    const listening = await listen(sim, {
      handlers: [
        http.get(
          '/v1/models',
          () =>
            new HttpResponse(
              new ReadableStream({
                start: (controller) => controller.enqueue(encoder.encode('x')),
                cancel: (reason) => cancelled.say(reason),
              }),
            ),
        ),
      ],
    })
    const response = await fetch(`${listening.url}/v1/models`)
    await listening.close()
    await expect(response.text()).rejects.toThrow('terminated')
    expect(await cancelled.seen).toMatchObject({ message: 'the simulator was closed' })
  })
})
