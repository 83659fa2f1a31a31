/**
 * What only a socket can do to a server: half requests, wrong lengths, resets, many at once. Every reply is
 * planned, and nothing is left behind.
 */
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { runs } from '../_counts.ts'
import { problemOf, stillAnswers, target } from './_judge.ts'
import { repliesIn, wire } from './_socket.ts'

async function served(sim: Simulator): Promise<{ port: number; url: string }> {
  const { port, url, close } = await listen(sim)
  onTestFinished(close)
  return { port, url }
}

const crlf = (...lines: readonly string[]): string => lines.join('\r\n')
const get = (path: string, ...headers: readonly string[]): string =>
  crlf(`GET ${path} HTTP/1.1`, 'Host: x', 'Authorization: Bearer sk-test', ...headers, '', '')
const post = (path: string, body: string, ...headers: readonly string[]): string =>
  crlf(
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Authorization: Bearer sk-test',
    'Content-Type: application/json',
    ...headers,
    '',
    body,
  )
const chat = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] })
const stream = JSON.stringify({
  model: 'gpt-4o-mini',
  stream: true,
  messages: [{ role: 'user', content: 'Hello' }],
})
const length = (body: string, more = 0): string => `Content-Length: ${Buffer.byteLength(body) + more}`

/** Sends something and closes; what came back must be planned. */
async function exchange(port: number, sent: string | Uint8Array): Promise<ReturnType<typeof repliesIn>> {
  const client = await wire(port)
  await client.send(sent)
  client.socket.end()
  await client.closed()
  const replies = repliesIn(client.received())
  for (const reply of replies)
    expect(problemOf(reply, JSON.stringify(String(sent)).slice(0, 200))).toBeUndefined()
  return replies
}

/** Waits until the simulator has heard that its clients left. */
async function nothingOpen(sim: Simulator): Promise<void> {
  await expect
    .poll(() => sim.core.sessions.all().reduce((open, session) => open + session.open.size, 0), {
      timeout: 120_000,
    })
    .toBe(0)
  for (const session of sim.core.sessions.all()) expect(session.world.clock.pending).toBe(0)
}

describe('bytes that are no request', () => {
  const garbage = [
    '\r\n\r\n',
    'GET\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'get /v1/models HTTP/1.1\r\nHost: x\r\n\r\n',
    'PROPFIND0 / HTTP/1.1\r\n\r\n',
    'GET /v1/models HTTP/1.1\r\nHost\r\n\r\n',
    'GET /v1/models HTTP/1.1\r\nA: \u0000\r\n\r\n',
    'GET /v1/models HTTP/1.1\r\nContent-Length: -1\r\n\r\n',
    'GET /v1/models HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na',
    'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
  ]

  it.each(garbage)('%j gets a planned answer', async (text) => {
    const sim = target()
    const { port, url } = await served(sim)
    const client = await wire(port)
    await client.send(text)
    client.socket.end()
    await client.closed()
    for (const reply of repliesIn(client.received())) expect(problemOf(reply, text)).toBeUndefined()
    await stillAnswers(fetch, url)
  })

  it('of any kind never stop the server', async () => {
    const sim = target()
    const { port, url } = await served(sim)
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      // Almost a request: a good one with a piece put in or cut out.
      fc
        .tuple(fc.nat(200), fc.string({ unit: 'binary-ascii', maxLength: 8 }), fc.nat(20))
        .map(([at, piece, gone]) => {
          const good = post('/v1/chat/completions', chat, length(chat))
          return new TextEncoder().encode(good.slice(0, at) + piece + good.slice(at + gone))
        }),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (sent) => void (await exchange(port, sent))),
      runs(100),
    )
    await stillAnswers(fetch, url)
    await nothingOpen(sim)
  })

  it('get 431 when the headers are too large', async () => {
    const { port, url } = await served(target())
    for (const headers of [
      [`X-Big: ${'a'.repeat(70_000)}`],
      Array.from({ length: 5000 }, (_, index) => `X-${index}: ${'b'.repeat(20)}`),
    ]) {
      const client = await wire(port)
      await client.send(get('/v1/models', ...headers))
      await client.until('trace_id')
      expect(repliesIn(client.received()).map(({ status }) => status)).toEqual([431])
    }
    const client = await wire(port)
    await client.send(get(`/v1/${'a'.repeat(200_000)}`))
    await client.until('trace_id')
    expect(repliesIn(client.received()).map(({ status }) => status)).toEqual([431])
    await stillAnswers(fetch, url)
  })

  it('do not end up inside a reply that has begun', async () => {
    const sim = target({ clock: 'manual' })
    const { port } = await served(sim)
    const client = await wire(port)
    await client.send(post('/v1/chat/completions', stream, length(stream)))
    await client.until('text/event-stream')
    await client.send('this is no HTTP\r\n\r\n')
    await client.closed()
    expect(client.received()).not.toContain('400 Bad Request')
    await nothingOpen(sim)
    expect(sim.journal().at(-1)).toMatchObject({ operation: 'chat.create', ended: 'aborted' })
  })

  it('get 405 when they ask for a tunnel', async () => {
    const { port, url } = await served(target())
    const [reply] = await exchange(port, 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n')
    expect(reply?.status).toBe(405)
    await stillAnswers(fetch, url)
  })
})

describe('requests that are not whole', () => {
  it('leave nothing behind when the client goes', async () => {
    const sim = target()
    const { port, url } = await served(sim)
    const whole = post('/v1/chat/completions', chat, length(chat))
    for (let share = 0; share <= 10; share++) {
      const client = await wire(port)
      await client.send(whole.slice(0, Math.floor((whole.length * share) / 11)))
      if (share % 2 === 0) client.socket.destroy()
      else client.socket.resetAndDestroy()
    }
    await stillAnswers(fetch, url)
    await sim.settled()
    await nothingOpen(sim)
  })

  it('do not keep others from being answered', async () => {
    const { port, url } = await served(target())
    const slow = await Promise.all(Array.from({ length: 50 }, () => wire(port)))
    await Promise.all(
      slow.map((client, index) =>
        client.send(
          index % 2 === 0 ? 'GET /v1/mod' : post('/v1/chat/completions', chat.slice(0, 10), length(chat)),
        ),
      ),
    )
    await stillAnswers(fetch, url)
  })

  it('do not keep the server from closing', async () => {
    const sim = target({ clock: 'manual' })
    const server = await listen(sim)
    const clients = await Promise.all(Array.from({ length: 6 }, () => wire(server.port)))
    const sent = [
      '',
      'GET /v1/mod',
      post('/v1/chat/completions', chat.slice(0, 10), length(chat)),
      post('/v1/chat/completions', stream, length(stream)),
      'no HTTP\r\n\r\n',
      get('/v1/models'),
    ]
    await Promise.all(clients.map((client, index) => client.send(sent[index] as string)))
    await clients[3]?.until('text/event-stream')
    await clients[5]?.until('200 OK')
    await server.close()
    await Promise.all(clients.map((client) => client.closed()))
    await nothingOpen(sim)
  })
})

describe('bodies and what is said of them', () => {
  it.each([
    ['longer than the length', post('/v1/chat/completions', chat, `Content-Length: ${chat.length - 5}`)],
    [
      'followed by more than the length',
      post('/v1/chat/completions', `${chat}${'x'.repeat(50)}`, length(chat)),
    ],
    ['shorter than the length', post('/v1/chat/completions', chat, length(chat, 5))],
    ['of a length that is no number', post('/v1/chat/completions', chat, 'Content-Length: many')],
    [
      'of a length beyond all numbers',
      post('/v1/chat/completions', chat, 'Content-Length: 99999999999999999999999'),
    ],
    ['of a length beyond the limit', post('/v1/chat/completions', chat, 'Content-Length: 9999999999')],
    ['without a length', post('/v1/chat/completions', chat)],
    ['in bad chunks', post('/v1/chat/completions', 'zz\r\nabc\r\n0\r\n\r\n', 'Transfer-Encoding: chunked')],
    [
      'in a chunk of a negative size',
      post('/v1/chat/completions', '-1\r\nabc\r\n0\r\n\r\n', 'Transfer-Encoding: chunked'),
    ],
    [
      'in a chunk of a huge size',
      post('/v1/chat/completions', 'ffffffffffffffffff\r\nabc', 'Transfer-Encoding: chunked'),
    ],
    ['in chunks that do not end', post('/v1/chat/completions', '3\r\nabc\r\n', 'Transfer-Encoding: chunked')],
    ['of an unknown transfer coding', post('/v1/chat/completions', chat, 'Transfer-Encoding: gzip')],
    [
      'with chunks and a length',
      post('/v1/chat/completions', '0\r\n\r\n', 'Transfer-Encoding: chunked', 'Content-Length: 5'),
    ],
    ['of a GET', `${get('/v1/models', 'Content-Length: 5')}hello`],
    [
      'with an expectation that nobody meets',
      post('/v1/chat/completions', chat, length(chat), 'Expect: a-miracle'),
    ],
    ['announced as an upgrade', get('/v1/models', 'Connection: Upgrade', 'Upgrade: websocket')],
  ])('a body %s gets planned answers', async (_, sent) => {
    const sim = target()
    const { port, url } = await served(sim)
    await exchange(port, sent)
    await stillAnswers(fetch, url)
    await sim.settled()
  })

  it('a good body in chunks and behind 100-continue is answered', async () => {
    const { port } = await served(target())
    const [first] = await exchange(
      port,
      post(
        '/v1/chat/completions',
        `5\r\n${chat.slice(0, 5)}\r\n${(chat.length - 5).toString(16)};x=y\r\n${chat.slice(5)}\r\n0\r\nTrailer: a\r\n\r\n`,
        'Transfer-Encoding: chunked',
      ),
    )
    expect(first?.status).toBe(200)
    const client = await wire(port)
    await client.send(post('/v1/chat/completions', '', length(chat), 'Expect: 100-continue'))
    await client.until('100 Continue')
    await client.send(chat)
    await client.until('chat.completion')
  })

  it('a body that nobody wants does not cost the client the answer', async () => {
    const { port } = await served(target({ settings: { limits: { jsonBytes: 1024 } } }))
    const body = 'x'.repeat(5_000_000)
    for (const [sent, status] of [
      [post('/v1/no-such-path', body, length(body)), 404],
      [post('/v1/videos', body, length(body)), 413],
      [crlf('PUT /v1/models HTTP/1.1', 'Host: x', length(body), '', body), 405],
    ] as const) {
      const client = await wire(port)
      await client.send(sent)
      await client.until('trace_id')
      expect(repliesIn(client.received()).map((reply) => reply.status)).toEqual([status])
    }
  })

  it('requests sent without waiting are answered in their order', async () => {
    const { port } = await served(target())
    const sent = Array.from({ length: 20 }, (_, index) =>
      index % 3 === 0
        ? post('/v1/chat/completions', chat, length(chat))
        : index % 3 === 1
          ? get('/v1/models')
          : get(`/v1/unknown-${index}`),
    )
    const replies = await exchange(port, sent.join(''))
    expect(replies.map(({ status }) => status)).toEqual(sent.map((_, index) => (index % 3 === 2 ? 404 : 200)))
    expect(
      replies.filter(({ status }) => status === 404).map(({ text }) => /unknown-(\d+)/.exec(text)?.[1]),
    ).toEqual(sent.flatMap((_, index) => (index % 3 === 2 ? [String(index)] : [])))
  })
})

describe('clients that leave a stream', () => {
  it.each(['manual', 'real'] as const)('leave nothing open, 200 of them, under a %s clock', async (clock) => {
    const sim = target({ clock })
    const { port, url } = await served(sim)
    const clients = await Promise.all(Array.from({ length: 200 }, () => wire(port)))
    await Promise.all(
      clients.map((client) =>
        client.send(
          post(
            '/v1/chat/completions',
            JSON.stringify({ ...JSON.parse(stream), model: 'sim-slow' }),
            length(JSON.stringify({ ...JSON.parse(stream), model: 'sim-slow' })),
          ),
        ),
      ),
    )
    await Promise.all(clients.map((client) => client.until('text/event-stream')))
    if (clock === 'manual') sim.clock.advance('12s')
    for (const [index, { socket }] of clients.entries()) {
      if (index % 2 === 0) socket.destroy()
      else socket.resetAndDestroy()
    }
    await nothingOpen(sim)
    expect(
      sim.journal().filter(({ operation, ended }) => operation === 'chat.create' && ended === 'aborted'),
    ).toHaveLength(200)
    await stillAnswers(fetch, url)
  })

  it('may do so while the reply is written', async () => {
    const sim = target()
    const { port, url } = await served(sim)
    const big = JSON.stringify({ ...JSON.parse(stream), n: 128, logprobs: true, top_logprobs: 20 })
    for (let round = 0; round < 3; round++) {
      const client = await wire(port)
      await client.send(post('/v1/chat/completions', big, length(big)))
      await client.until('200 OK')
      client.socket.resetAndDestroy()
    }
    await stillAnswers(fetch, url)
    await nothingOpen(sim)
  })
})
