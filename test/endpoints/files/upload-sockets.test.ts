/** uploads.send over bare sockets: chunks, expectations, bodies that never become whole. */
import { createHash } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../src/node.ts'
import { simulator } from '../../_setup.ts'
import { responsesIn, wire } from '../../hostile/_socket.ts'
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

  it('may wait for 100 Continue before it sends a byte', async () => {
    const { client, head, uploads } = await open()
    await client.send(head('Content-Length: 4', 'Expect: 100-continue'))
    await client.until('HTTP/1.1 100 Continue')
    expect(uploads.count).toBe(0)
    await client.send('meow')
    expect(await answered(client, 200)).toContain(`etag: ${etag('meow')}\r\n`)
  })

  it('may come byte by byte, and the next one on the same connection', async () => {
    const { client, head, uploads } = await open()
    for (const letter of `${head('Content-Length: 4')}meow`) await client.send(letter)
    await answered(client, 200)
    await client.send(`${head('Content-Length: 5')}meow!`)
    await client.until(etag('meow!'))
    expect([uploads.count, uploads.size]).toEqual([1, 5])
  })

  it('has an answer of no bytes, said so by its length', async () => {
    const { client, head } = await open()
    await client.send(`${head('Content-Length: 4', 'Connection: close')}meow`)
    await client.closed()
    expect(client.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:[^\r\n]+\r\n)+\r\n$/)
    expect(client.received()).toContain('content-length: 0\r\n')
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

  it('of too many chunks is rejected while it is sent', async () => {
    const { client, head, uploads } = await open({ settings: { limits: { fileBytes: 1000 } } })
    await client.send(`${head('Transfer-Encoding: chunked')}3e8\r\n${'m'.repeat(1000)}\r\n`)
    await client.send('1\r\nm\r\n')
    await client.until('<Code>EntityTooLarge</Code>')
    expect(uploads.count).toBe(0)
  })

  it.each(['/../dog.png', '/./cat.png', '/%2e%2e/dog.png', '//cat.png', '/cat.png/'])(
    'to a path that was bent to %s is rejected',
    async (bent) => {
      const { client, uploads, there } = await open()
      await client.send(
        `PUT ${local(there.upload_url).replace('/cat.png', bent)} HTTP/1.1\r\nHost: x\r\nContent-Length: ` +
          '4\r\nConnection: close\r\n\r\nmeow',
      )
      await client.closed()
      const [response] = responsesIn(client.received())
      expect([response?.status, /<Code>(\w+)</.exec(response?.text ?? '')?.[1]]).toEqual([
        403,
        'SignatureDoesNotMatch',
      ])
      expect(uploads.count).toBe(0)
    },
  )

  it('to a path that is no text (404)', async () => {
    const { client, there } = await open()
    await client.send(
      `PUT ${local(there.upload_url).replace('cat.png', '%ff.png')} HTTP/1.1\r\nHost: ` +
        'x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nmeow',
    )
    await client.closed()
    expect(responsesIn(client.received())[0]?.status).toBe(404)
  })
})
