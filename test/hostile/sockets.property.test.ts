/**
 * What only a socket can do to a server: half requests, wrong lengths, resets, many at once. Every response
 * is planned, and nothing is left behind.
 */
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { count, runs } from '../_counts.ts'
import { changedText } from '../fuzz/_mutations.ts'
import { prepare } from './_examples.ts'
import { fragments, hosts, noHttp, targets } from './_inputs.ts'
import { planned, problemOf, stillAnswers, target } from './_judge.ts'
import { responsesIn, wire } from './_socket.ts'

async function served(sim: Simulator = target()): Promise<{ port: number; url: string }> {
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
const slow = stream.replace('gpt-4o-mini', 'sim-slow')
const length = (body: string, more = 0): string => `Content-Length: ${Buffer.byteLength(body) + more}`
/** A chat call with the length of its body, or with what is said instead of it. */
const ask = (body = chat, ...headers: readonly string[]): string =>
  post('/v1/chat/completions', body, ...(headers.length === 0 ? [length(body)] : headers))
const chunked = 'Transfer-Encoding: chunked'

/** Sends something and closes; what came back must be planned. */
async function exchange(port: number, sent: string | Uint8Array): Promise<ReturnType<typeof responsesIn>> {
  const client = await wire(port)
  await client.send(sent)
  client.socket.end()
  await client.closed()
  const responses = responsesIn(client.received())
  for (const response of responses)
    expect(problemOf(response, JSON.stringify(String(sent)).slice(0, 200))).toBeUndefined()
  return responses
}

/** Waits until the simulator has heard that its clients left. */
async function nothingOpen(sim: Simulator): Promise<void> {
  await expect
    .poll(() => sim.core.sessions.all().reduce((open, session) => open + session.open.size, 0), {
      timeout: 120_000,
    })
    .toBe(0)
  for (const session of sim.core.sessions.all()) expect(session.sandbox.clock.pending).toBe(0)
}

describe('bytes that are no request', () => {
  it.each(noHttp)('%j gets a planned answer', async (text) => {
    const { port, url } = await served()
    await exchange(port, text)
    await stillAnswers(fetch, url)
  })

  it('of any kind never stop the server', async () => {
    const sim = target()
    const { port, url } = await served(sim)
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      changedText(fc.constantFrom(ask(), ask(stream), get('/v1/models'), `${ask()}${ask()}`), fragments).map(
        (text) => Buffer.from(text, 'latin1'),
      ),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (sent) => void (await exchange(port, sent))),
      runs(100),
    )
    await stillAnswers(fetch, url)
    await nothingOpen(sim)
  })

  it('do not end up inside a response that has begun', async () => {
    const sim = target({ clock: 'manual' })
    const { port } = await served(sim)
    const client = await wire(port)
    await client.send(ask(stream))
    await client.until('text/event-stream')
    await client.send('this is no HTTP\r\n\r\n')
    await client.closed()
    expect(client.received()).not.toContain('400 Bad Request')
    await nothingOpen(sim)
    expect(sim.journal().at(-1)).toMatchObject({ operation: 'chat.create', ended: 'aborted' })
  })
})

describe('requests that are not whole', () => {
  it('leave nothing behind when the client goes', async () => {
    const sim = target()
    const { port, url } = await served(sim)
    const whole = ask()
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
})

describe('bodies and what is said of them', () => {
  it.each([
    ['longer than the length', ask(chat, `Content-Length: ${chat.length - 5}`)],
    ['followed by more than the length', ask(`${chat}${'x'.repeat(50)}`, length(chat))],
    ['shorter than the length', ask(chat, length(chat, 5))],
    ['of a length that is no number', ask(chat, 'Content-Length: many')],
    ['of a length beyond all numbers', ask(chat, 'Content-Length: 99999999999999999999999')],
    ['of a length beyond the limit', ask(chat, 'Content-Length: 9999999999')],
    ['without a length', ask(chat, 'X-No: length')],
    ['in bad chunks', ask('zz\r\nabc\r\n0\r\n\r\n', chunked)],
    ['in a chunk of a negative size', ask('-1\r\nabc\r\n0\r\n\r\n', chunked)],
    ['in a chunk of a huge size', ask('ffffffffffffffffff\r\nabc', chunked)],
    ['in chunks that do not end', ask('3\r\nabc\r\n', chunked)],
    ['of an unknown transfer coding', ask(chat, 'Transfer-Encoding: gzip')],
    ['with chunks and a length', ask('0\r\n\r\n', chunked, 'Content-Length: 5')],
    ['of a GET', `${get('/v1/models', 'Content-Length: 5')}hello`],
    ['with an expectation that nobody meets', ask(chat, length(chat), 'Expect: a-miracle')],
    ['announced as an upgrade', get('/v1/models', 'Connection: Upgrade', 'Upgrade: websocket')],
  ])('a body %s gets planned answers', async (_, sent) => {
    const sim = target()
    const { port, url } = await served(sim)
    await exchange(port, sent)
    await stillAnswers(fetch, url)
    await sim.settled()
  })

  it('a good body in chunks and behind 100-continue is answered', async () => {
    const { port } = await served()
    const [first] = await exchange(
      port,
      ask(
        `5\r\n${chat.slice(0, 5)}\r\n${(chat.length - 5).toString(16)};x=y\r\n${chat.slice(5)}\r\n0\r\nTrailer: a\r\n\r\n`,
        chunked,
      ),
    )
    expect(first?.status).toBe(200)
    const client = await wire(port)
    await client.send(ask('', length(chat), 'Expect: 100-continue'))
    await client.until('100 Continue')
    await client.send(chat)
    await client.until('chat.completion')
  })

  it('requests sent without waiting are answered in their order', async () => {
    const { port } = await served()
    const sent = Array.from({ length: 20 }, (_, index) =>
      index % 3 === 0 ? ask() : index % 3 === 1 ? get('/v1/models') : get(`/v1/unknown-${index}`),
    )
    const responses = await exchange(port, sent.join(''))
    expect(responses.map(({ status }) => status)).toEqual(
      sent.map((_, index) => (index % 3 === 2 ? 404 : 200)),
    )
    expect(
      responses.filter(({ status }) => status === 404).map(({ text }) => /unknown-(\d+)/.exec(text)?.[1]),
    ).toEqual(sent.flatMap((_, index) => (index % 3 === 2 ? [String(index)] : [])))
  })
})

describe('clients that leave a stream', () => {
  it.each(['manual', 'real'] as const)(
    'leave nothing open, many of them, under a %s clock',
    async (clock) => {
      const many = count(200)
      const sim = target({ clock })
      const { port, url } = await served(sim)
      const clients = await Promise.all(Array.from({ length: many }, () => wire(port)))
      await Promise.all(clients.map((client) => client.send(ask(slow))))
      await Promise.all(clients.map((client) => client.until('text/event-stream')))
      if (clock === 'manual') sim.clock.advance('12s')
      for (const [index, { socket }] of clients.entries()) {
        if (index % 2 === 0) socket.destroy()
        else socket.resetAndDestroy()
      }
      await nothingOpen(sim)
      expect(
        sim.journal().filter(({ operation, ended }) => operation === 'chat.create' && ended === 'aborted'),
      ).toHaveLength(many)
      await stillAnswers(fetch, url)
    },
  )
})

describe('lines above the body', () => {
  it('a host can hold anything, and links stay links', async () => {
    const sim = target()
    const { port, url } = await served(sim)
    const { jobId: job } = await prepare(sim)
    for (const host of hosts) {
      const sent = get(`/v1/tob/job/${job}`).replace('Host: x', `Host: ${host}`)
      const [response] = await exchange(port, Buffer.from(sent, 'latin1'))
      expect(planned.has(response?.status ?? 0), `${host}: ${response?.status}`).toBe(true)
      if (response?.status !== 200) continue
      const { status, urls } = JSON.parse(response.text) as { status: number; urls: string[] }
      expect([status, urls.length]).toEqual([2, 4])
      for (const [index, link] of urls.entries())
        expect(link.endsWith(`/media/image-jobs/${job}/${index}.png`), link).toBe(true)
    }
    await stillAnswers(fetch, url)
  })

  it('targets of other forms are planned', async () => {
    const { port, url } = await served()
    for (const path of targets)
      for (const method of ['GET', 'OPTIONS', 'TRACE', 'PROPFIND'])
        await exchange(port, get(path).replace('GET', method))
    // RFC 9112 3.2.2: a server must take the absolute form.
    expect((await exchange(port, get('http://x/v1/models')))[0]?.status).toBe(200)
    await stillAnswers(fetch, url)
  })
})
