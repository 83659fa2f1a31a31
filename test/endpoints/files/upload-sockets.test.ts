/** uploads.send over bare sockets: chunks, expectations, bodies that never become whole. */
import { createHash } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../src/node.ts'
import { simulator } from '../../_setup.ts'
import { wire } from '../../hostile/_socket.ts'
import { local, target } from './_uploads.ts'

async function open(options: Parameters<typeof simulator>[0] = {}) {
  const sim = simulator(options)
  const { port, url, close } = await listen(sim)
  onTestFinished(close)
  const there = await target({ fetch, url })
  const head = (...headers: readonly string[]): string =>
    [
      `PUT ${local(there.upload_url)} HTTP/1.1`,
      'Host: x',
      'Content-Type: image/png',
      ...headers,
      '',
      '',
    ].join('\r\n')
  return {
    sim,
    there,
    head,
    uploads: sim.core.sessions.get('default').sandbox.uploads,
    client: await wire(port),
    url,
  }
}

const etag = (text: string | Uint8Array): string => `"${createHash('md5').update(text).digest('hex')}"`
const answered = async (
  { until, received }: Awaited<ReturnType<typeof wire>>,
  status: number,
): Promise<string> => {
  await until(`HTTP/1.1 ${status}`)
  await until('\r\n\r\n')
  return received()
}

describe('an upload over a socket', () => {
  it('may come in chunks, with extensions and trailers', async () => {
    const { client, head, there } = await open()
    await client.send(`${head('Transfer-Encoding: chunked')}3;name=value\r\nmeo\r\n`)
    await client.send('1\r\nw\r\n0\r\nX-Sum: 1\r\n\r\n')
    expect(await answered(client, 200)).toContain(`etag: ${etag('meow')}\r\n`)
    expect(await (await fetch(there.visit_url)).text()).toBe('meow')
  })

  it.each([
    ['of a length', 'Content-Length: 10', 'meow'],
    ['in chunks', 'Transfer-Encoding: chunked', '4\r\nmeow\r\n'],
    ['of a length, before the first byte', 'Content-Length: 10', ''],
  ])('that breaks off, %s, stores nothing', async (_, header, sent) => {
    const { client, head, sim, uploads, url } = await open()
    await client.send(head(header) + sent)
    // Another call is answered meanwhile, so the first one has been taken.
    await fetch(`${url}/__sim/health`)
    client.socket.resetAndDestroy()
    await expect
      .poll(() => sim.journal().at(-1))
      .toMatchObject({ operation: 'uploads.send', response: { status: 400 }, ended: 'aborted' })
    await sim.settled()
    expect([uploads.count, uploads.size]).toEqual([0, 0])
  })

  it('of too great a length is rejected before it is sent', async () => {
    const { client, head, uploads } = await open({ settings: { limits: { fileBytes: 1000 } } })
    await client.send(head('Content-Length: 1001'))
    expect(await answered(client, 413)).toContain('connection: close\r\n')
    await client.until('</Error>')
    expect(client.received()).toContain('<Code>EntityTooLarge</Code>')
    expect(uploads.count).toBe(0)
  })
})
