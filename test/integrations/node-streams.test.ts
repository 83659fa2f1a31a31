/**
 * Streams of `listen` on the wire: what comes when, how faults break them, and what becomes of clients that
 * leave.
 */
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { eventually } from '../_eventually.ts'
import { dataOf } from '../_setup.ts'
import { ask, chatBytes, question, roundTrip, serve, unchunked } from './_listen.ts'
import { listenTo, openSocket } from './_socket.ts'

describe('streams over a socket, with a manual clock', () => {
  it('send their headers immediately, and no event before its time', async () => {
    const { port, url, sim } = await serve({
      settings: { chat: { firstEventAfter: '100ms', eventInterval: '10ms' } },
    })
    const socket = await openSocket(port)
    const server = listenTo(socket)
    socket.write(chatBytes({ ...question, stream: true }))
    await server.until('\r\n\r\n')
    const { head } = unchunked(server.text())
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(head).toContain('content-type: text/event-stream')
    expect(head).toContain('cache-control: no-cache')
    expect(head).toContain('x-accel-buffering: no')

    const events = async (): Promise<number> => {
      await roundTrip(url)
      return dataOf(unchunked(server.text()).body).length
    }
    expect(await events()).toBe(0)
    sim.clock.advance('99ms')
    expect(await events()).toBe(0)
    sim.clock.advance('1ms')
    expect(await events()).toBe(1)
    sim.clock.advance('10ms')
    expect(await events()).toBe(2)
    sim.clock.advance('25ms')
    expect(await events()).toBe(4)
    sim.clock.advance('1m')
    await server.until('0\r\n\r\n')
    expect(dataOf(unchunked(server.text()).body).at(-1)).toBe('[DONE]')
    expect(sim.warnings).toEqual([])
  })

  for (const clock of ['manual', 'auto'] as const) {
    it(`break after the third event for sim-disconnect-after-3, delivering everything before it (${clock})`, async () => {
      const { port, sim, url } = await serve({ clock })
      const socket = await openSocket(port)
      const server = listenTo(socket)
      socket.write(chatBytes({ ...question, model: 'sim-disconnect-after-3', stream: true }))
      await server.until('\r\n\r\n')
      if (clock === 'manual') sim.clock.advance('1m')
      await server.closed
      const { body, ended } = unchunked(server.text())
      expect(dataOf(body)).toHaveLength(3)
      expect(ended).toBe(false)
      expect(sim.journal()).toMatchObject([
        {
          ended: 'disconnected',
          response: { eventCount: 3 },
          cause: { decidedBy: { kind: 'reserved-model', name: 'sim-disconnect-after-3' } },
        },
      ])
      const response = await ask(url, { ...question, model: 'sim-disconnect-after-3', stream: true })
      if (clock === 'manual') sim.clock.advance('1m')
      await expect(response.text()).rejects.toThrow('terminated')
    })

    it(`stop after the second event for sim-stall-after-2, and stay open (${clock})`, async () => {
      const { port, url, sim } = await serve({ clock })
      const socket = await openSocket(port)
      const server = listenTo(socket)
      socket.write(chatBytes({ ...question, model: 'sim-stall-after-2', stream: true }))
      await server.until('\r\n\r\n')
      sim.clock.advance('1h')
      await roundTrip(url)
      const { body, ended } = unchunked(server.text())
      expect(dataOf(body)).toHaveLength(2)
      expect(ended).toBe(false)
      expect(socket.readyState).toBe('open')
      expect(sim.journal()).toMatchObject([{ ended: 'open', response: { eventCount: 2 } }])
      socket.destroy()
      await eventually(() =>
        expect(sim.journal()).toMatchObject([{ ended: 'aborted', response: { eventCount: 2 } }]),
      )
    })
  }
})

describe('a client that aborts', () => {
  it('while sending its body is journaled as aborted, without a response', async () => {
    const { port, sim, server } = await serve()
    const socket = await openSocket(port)
    const arrived = once(server, 'request')
    socket.write(
      'POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer sk-test\r\ncontent-length: 100\r\n\r\n{"model"',
    )
    await arrived
    socket.destroy()
    await eventually(() =>
      expect(sim.journal()).toMatchObject([
        {
          operation: 'chat.create',
          ended: 'aborted',
          response: { body: { size: 0, isComplete: false } },
        },
      ]),
    )
    await sim.settled()
    expect(sim.warnings).toEqual([])
  })

  it('during a stream is journaled with the events it received', async () => {
    const { url, sim } = await serve({
      settings: { chat: { firstEventAfter: '100ms', eventInterval: '10ms' } },
    })
    const leaving = new AbortController()
    const response = await ask(url, { ...question, stream: true }, { signal: leaving.signal })
    sim.clock.advance('120ms')
    await (response.body as ReadableStream<Uint8Array>).getReader().read()
    expect(sim.journal()).toMatchObject([{ ended: 'open', response: { eventCount: 3 } }])
    leaving.abort()
    await eventually(() =>
      expect(sim.journal()).toMatchObject([{ ended: 'aborted', response: { eventCount: 3 } }]),
    )
    // Time goes on without it.
    sim.clock.advance('1m')
    expect(sim.journal()).toMatchObject([{ ended: 'aborted', response: { eventCount: 3 } }])
    expect(dataOf(sim.journal()[0]?.response?.body?.text ?? '')).toHaveLength(3)
    expect(sim.warnings).toEqual([])
  })
})

describe('the clock over HTTP', () => {
  it('waits for requests that have arrived before it advances', async () => {
    const { url, sim } = await serve()
    const [response, advanced] = await Promise.all([
      ask(url, { ...question, stream: true }),
      fetch(`${url}/__sim/clock/advance`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"by":"1m"}',
      }),
    ])
    expect(await advanced.json()).toMatchObject({ now: '2026-01-01T00:01:00.000Z' })
    expect(sim.journal()[0]?.at).toBeLessThanOrEqual(sim.clock.now())
    sim.clock.advance('1m')
    expect(dataOf(await response.text()).at(-1)).toBe('[DONE]')
  })
})
