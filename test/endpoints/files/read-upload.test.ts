/** uploads.read: an uploaded file at its `visit_url`. */
import { describe, expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { describeDoors, inside, rejected, send, target, type Way } from './_uploads.ts'

/** The tag of what `uploaded` sends. */
const etag = '"e2b0edb718335d0fd5b566a1bfc457e0"'
/** The status, some headers and the text of a response. */
const shown = async (response: Response, ...names: string[]): Promise<unknown[]> => [
  response.status,
  ...names.map((name) => response.headers.get(name)),
  await response.text(),
]

async function uploaded(
  way: Way,
  body: RequestInit['body'] = 'meow, said the cat',
  headers?: Record<string, string>,
  path?: string,
): Promise<string> {
  const there = await target(way, path)
  expect((await send(way, there, body, headers)).status).toBe(200)
  return there.visit_url
}

describeDoors('uploads.read rejects', (integration) => {
  it('a file before it is uploaded (404 NoSuchKey)', async () => {
    const way = { ...(await integration.open(simulator())) }
    const there = await target(way)
    expect(await rejected(way.fetch(there.visit_url), 404)).toMatchObject({
      Code: 'NoSuchKey',
      Message:
        'The specified key does not exist: the session "default" has no file "cos://images/cat.png": ' +
        'get a URL from POST /v1/files/upload_url and upload the file to this URL.',
    })
    const head = await way.fetch(there.visit_url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([404, ''])
  })
})

describeDoors('uploads.read answers', (integration) => {
  const open = async (settings = {}): Promise<Way> => integration.open(simulator({ settings }))

  it('with the bytes and their type, without a key', async () => {
    const way = await open()
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) % 256)
    const read = await way.fetch(await uploaded(way, bytes, { 'content-type': 'image/webp' }))
    expect([
      read.status,
      read.headers.get('content-type'),
      read.headers.get('content-length'),
      read.headers.get('accept-ranges'),
      read.headers.get('last-modified'),
    ]).toEqual([200, 'image/webp', '100000', 'bytes', 'Thu, 01 Jan 2026 00:00:00 GMT'])
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true)
  })

  it('with application/octet-stream when no type was sent', async () => {
    const way = await open()
    const read = await way.fetch(await uploaded(way, new Uint8Array([1]), {}))
    expect(read.headers.get('content-type')).toBe('application/octet-stream')
  })

  it('with the type whole, its parameters included', async () => {
    const way = await open()
    const type = 'Text/Plain; charset="UTF-8"'
    const read = await way.fetch(await uploaded(way, 'x', { 'content-type': type }))
    expect(read.headers.get('content-type')).toBe(type)
  })

  it('HEAD with the headers alone, and a range with that part', async () => {
    const way = await open()
    const read = await way.fetch(await uploaded(way), { method: 'HEAD' })
    expect(await shown(read, 'content-length', 'etag')).toEqual([200, '18', etag, ''])
    const part = await way.fetch(await uploaded(way), { headers: { range: 'bytes=0-3' } })
    expect(await shown(part, 'content-range')).toEqual([206, 'bytes 0-3/18', 'meow'])
  })

  it('304 to a client that has the bytes already, however it says so', async () => {
    const way = await open()
    const address = await uploaded(way)
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const read = await way.fetch(address, { headers: { 'if-none-match': tags } })
      expect([read.status, await read.text()], tags).toEqual([304, ''])
    }
    for (const tags of ['"other"', etag.slice(1, -1), ''])
      expect((await way.fetch(address, { headers: { 'if-none-match': tags } })).status, tags).toBe(200)
  })
})

describe('the conditions of a reader', () => {
  it.each<[Readonly<Record<string, string>>, number]>([
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-match': etag }, 200],
    [{ range: 'bytes=0-3', 'if-range': etag }, 206],
    [{ range: 'bytes=0-3', 'if-range': '"other"' }, 200],
    [{ 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 200],
  ])('%j: %i', async (headers, status) => {
    const way = inside(simulator())
    const response = await way.fetch(await uploaded(way), { headers })
    expect(response.status).toBe(status)
    if (status === 412) expect((await rejected(response, 412)).Code).toBe('PreconditionFailed')
  })
})

describe('uploads.read unfolds', () => {
  it('with the session: the oldest files make room for new bytes, and their 404 says so', async () => {
    const sim = simulator({ settings: { memory: { bytes: 1_000_000 } } })
    const way = inside(sim)
    const addresses: string[] = []
    for (const name of ['a', 'b', 'c', 'd'])
      addresses.push(await uploaded(way, new Uint8Array(400_000), {}, `${name}.bin`))
    const statuses = await Promise.all(addresses.map(async (address) => (await sim.fetch(address)).status))
    expect(statuses).toEqual([404, 404, 200, 200])
    expect(await rejected(sim.fetch(addresses[0] as string), 404)).toMatchObject({
      Code: 'NoSuchKey',
      Message: expect.stringMatching(
        /has no file "cos:\/\/a.bin": .* may have been evicted: this session evicted \d+ items/,
      ) as string,
    })
    await uploaded(way, 'again', {}, 'a.bin')
    expect(await (await sim.fetch(addresses[0] as string)).text()).toBe('again')
  })

  it('for as long as the session does, whatever became of the upload URL', async () => {
    const sim = simulator()
    const address = await uploaded(inside(sim))
    sim.clock.advance('300d')
    expect((await sim.fetch(address)).status).toBe(200)
  })
})
