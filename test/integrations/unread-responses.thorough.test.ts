/** Clients that do not read, and bodies that do not end: what a server holds for them is bounded. */
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { eventually } from '../_eventually.ts'
import { jsonCall, limitTraffic, simulator } from '../_setup.ts'
import { chatBytes, question, serve } from './_listen.ts'
import { listenTo, openSocket } from './_socket.ts'

/** Some 150 kB with a few milliseconds of work. */
const large = { ...question, n: 20, logprobs: true, top_logprobs: 20, max_completion_tokens: 12 }
const stream = { ...large, stream: true }

async function rejectionOf(response: Response): Promise<Record<string, unknown>> {
  return ((await response.json()) as { error: Record<string, unknown> }).error
}

describe('a closed connection', () => {
  it('ends every response requested on it, also those after the first', async () => {
    const { port, sim } = await serve()
    const socket = await openSocket(port)
    const server = listenTo(socket)
    socket.write(chatBytes(stream) + chatBytes({ ...stream, n: 2 }) + chatBytes({ ...stream, n: 3 }))
    await server.until('\r\n\r\n')
    const { open } = sim.core.sessions.get('default')
    await eventually(() => expect(open.size).toBe(3))
    socket.destroy()
    await eventually(() => expect(open.size).toBe(0))
    expect(sim.journal().map(({ ended }) => ended)).toEqual(['aborted', 'aborted', 'aborted'])
    expect(sim.core.traffic.unread).toBe(0)
  })
})

describe('a response above the bound of one response', () => {
  const rejected = async (body: object): Promise<Record<string, unknown>> => {
    const sim = simulator()
    limitTraffic(sim, { responseBytes: 20_000 })
    const response = await sim.fetch('http://a.test/v1/chat/completions', jsonCall({ ...question, ...body }))
    expect(response.status).toBe(400)
    return rejectionOf(response)
  }

  it.each([
    ['n', { n: 20, logprobs: true, top_logprobs: 20 }],
    ['n', { n: 128, stream: true }],
    ['logprobs', { logprobs: true, top_logprobs: 20 }],
    ['audio', { modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } }],
  ])('is rejected before it is produced, for %s', async (param, body) => {
    const error = await rejected(body)
    expect(error).toMatchObject({ type: 'invalid_request_error', param })
    expect(error['message']).toContain(`\`${param}\`: expected a response of at most 20000 bytes, got about `)
  })

  it('is estimated well: allowed ones fit, rejected ones would not have', async () => {
    const sim = simulator({ clock: 'auto' })
    for (const body of [large, stream, { ...question, n: 50 }]) {
      const call = (within: typeof sim) => within.fetch('http://a.test/v1/chat/completions', jsonCall(body))
      const size = (await (await call(sim)).text()).length
      const bounded = (responseBytes: number) => {
        const small = simulator({ clock: 'auto' })
        limitTraffic(small, { responseBytes })
        return small
      }
      expect((await call(bounded(2 * size))).status).toBe(200)
      expect((await call(bounded(Math.max(1024, Math.floor(size / 3))))).status).toBe(400)
    }
  })
})

describe('bodies arriving at the same time', () => {
  const head = (length: number): string =>
    'POST /v1/chat/completions HTTP/1.1\r\n' +
    `host: a\r\nauthorization: Bearer sk\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

  it('are rejected beyond their bound, with `retry-after`; those that fit get a response', async () => {
    const { port, sim } = await serve()
    limitTraffic(sim, { arrivingBytes: 2 * 1024 * 1024 })
    const body = JSON.stringify({ ...question, user: 'a'.repeat(1_900_000) })
    const first = await openSocket(port)
    const firstSays = listenTo(first)
    first.write(head(body.length) + body.slice(0, -1))
    await eventually(() => expect(sim.core.traffic.arriving).toBeGreaterThan(1_800_000))

    const second = await openSocket(port)
    const secondSays = listenTo(second)
    second.write(head(body.length) + body)
    const rejection = await secondSays.until('overloaded_error')
    expect(rejection).toMatch(/^HTTP\/1\.1 503 /)
    expect(rejection).toContain('retry-after: 1')

    first.write(body.slice(-1))
    await firstSays.until('chat.completion')
    await eventually(() => expect(sim.core.traffic.arriving).toBe(0))
  })

  it('stop counting when their client leaves', async () => {
    const { port, sim } = await serve()
    const socket = await openSocket(port)
    socket.write(head(3_000_000) + 'a'.repeat(2_000_000))
    await eventually(() => expect(sim.core.traffic.arriving).toBeGreaterThan(1_900_000))
    socket.destroy()
    await once(socket, 'close')
    await eventually(() => expect(sim.core.traffic.arriving).toBe(0))
  })
})
