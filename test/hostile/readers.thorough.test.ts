/** Clients that ask for much and read nothing of it, over sockets. */

import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { eventually } from '../_eventually.ts'
import { limitTraffic } from '../_setup.ts'
import { send, target } from '../endpoints/files/_uploads.ts'
import { ask, chatBytes, key, serve } from '../integrations/_listen.ts'
import { openSocket } from '../integrations/_socket.ts'

const mebibyte = 1024 * 1024

/** 36 MB. */
const large = {
  model: 'm',
  n: 128,
  logprobs: true,
  top_logprobs: 20,
  messages: [{ role: 'user', content: `Say exactly: ${'lorem ipsum dolor sit amet '.repeat(300)}` }],
}

/** Sends bytes and reads no more than the status of what comes back. */
async function statusOf(port: number, bytes: string): Promise<{ socket: Socket; status: string }> {
  const socket = await openSocket(port)
  socket.write(bytes)
  const status = await new Promise<string>((resolve) =>
    socket.once('data', (data) => {
      socket.pause()
      resolve(String(data).slice(9, 12))
    }),
  )
  return { socket, status }
}

async function uploaded(url: string, bytes: Uint8Array): Promise<string> {
  const there = await target({ fetch, url }, 'a.bin')
  expect((await send({ fetch }, there, bytes as Uint8Array<ArrayBuffer>)).status).toBe(200)
  const { pathname, search } = new URL(there.visit_url)
  return pathname + search
}

const get = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: gateway.test\r\nauthorization: Bearer sk\r\n\r\n`

describe('30 clients that read nothing of 36 MB each', () => {
  it.each([false, true])(
    'leave no more unread than the bounds allow, and keep nobody from small calls (stream: %s)',
    async (stream) => {
      const unreadBytes = 64 * mebibyte
      const { port, url, sim } = await serve({
        clock: stream ? 'real' : 'auto',
        selfCheck: false,
      })
      limitTraffic(sim, { responseBytes: unreadBytes, unreadBytes })
      const clients = await Promise.all(
        Array.from({ length: 30 }, (_, at) => statusOf(port, chatBytes({ ...large, stream, seed: at }))),
      )
      const statuses = clients.map(({ status }) => status)
      expect(new Set(statuses)).toEqual(new Set(['200', '503']))
      expect(statuses.filter((status) => status === '200').length).toBeLessThanOrEqual(3)
      expect(sim.core.traffic.unread).toBeLessThan(unreadBytes + 50 * mebibyte)
      expect((await ask(url)).status).toBe(200)

      for (const { socket } of clients) socket.destroy()
      await eventually(() => expect(sim.core.traffic.unread).toBe(0))
      expect((await (await ask(url, large)).text()).length).toBeGreaterThan(30_000_000)
    },
  )
})

describe('a client that reads nothing for too long', () => {
  const content = Uint8Array.from({ length: 40 * mebibyte }, (_, at) => at % 251)

  it('is cut off; the journal says so, and one warning; others get every byte', async () => {
    const { port, url, sim } = await serve({ clock: 'auto' })
    limitTraffic(sim, { unreadFor: 8000 })
    const path = await uploaded(url, content)
    const stuck = await Promise.all(Array.from({ length: 5 }, () => statusOf(port, get(path))))
    expect(stuck.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => '200'))
    // They share the bytes of one file.
    expect(sim.core.traffic.unread).toBe(content.length)

    await eventually(() => expect(sim.core.traffic.unread).toBe(0))
    expect(
      sim
        .journal()
        .slice(-5)
        .map(({ ended }) => ended),
    ).toEqual(Array.from({ length: 5 }, () => 'aborted'))
    expect(sim.warnings).toEqual([expect.stringMatching(/read nothing for 8s while \d+ bytes were waiting/)])

    const whole = new Uint8Array(await (await fetch(`${url}${path}`, { headers: key })).arrayBuffer())
    expect(Buffer.compare(whole, content)).toBe(0)
  })
})
