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

  it('what no address can mean (404)', async () => {
    const way = await integration.open(simulator())
    const there = await uploaded(way)
    for (const [address, code] of [
      [there.replace('cat.png', ''), 'NoSuchKey'],
      [`${there}/more`, 'NoSuchKey'],
      [there.replace('images/', 'Images/'), 'NoSuchKey'],
      [there.replace(/cos-/, 'gcs-'), 'NoSuchBucket'],
      [there.replace('/storage/', '/s/other/storage/'), 'NoSuchBucket'],
    ] as const)
      expect((await rejected(way.fetch(address), 404)).Code).toBe(code)
  })

  const withTag = `expected a list that contains the tag ${etag}, got`
  it.each([
    ['if-match', '"other"', `${withTag} "other"`],
    ['if-match', `W/${etag}`, `${withTag} W/${etag}`],
  ])('a file that is another one than %s says: %s (412 PreconditionFailed)', async (name, value, message) => {
    const way = await integration.open(simulator())
    const address = await uploaded(way)
    expect(await rejected(way.fetch(address, { headers: { [name]: value } }), 412)).toMatchObject({
      Code: 'PreconditionFailed',
      Message: `${name}: ${message}.`,
    })
    const head = await way.fetch(address, { method: 'HEAD', headers: { [name]: value, range: 'bytes=0-3' } })
    expect(await shown(head, 'etag')).toEqual([412, etag, ''])
  })

  it('a range behind the end (416 InvalidRange)', async () => {
    const way = await integration.open(simulator())
    const read = await way.fetch(
      await uploaded(way, 'meow', { 'content-type': 'text/plain', 'content-encoding': 'x-own' }),
      { headers: { range: 'bytes=4-' } },
    )
    expect([read.headers.get('content-range'), read.headers.get('content-encoding')]).toEqual([
      'bytes */4',
      null,
    ])
    expect((await rejected(read, 416)).Code).toBe('InvalidRange')
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

  it('HEAD with the headers alone', async () => {
    const way = await open()
    const read = await way.fetch(await uploaded(way), { method: 'HEAD' })
    expect(await shown(read, 'content-length', 'etag')).toEqual([200, '18', etag, ''])
  })

  it.each([
    ['bytes=0-3', 'meow', 'bytes 0-3/18'],
    ['bytes=-3', 'cat', 'bytes 15-17/18'],
    ['bytes=6-', 'said the cat', 'bytes 6-17/18'],
  ])('%s with that part', async (range, text, said) => {
    const way = await open()
    const read = await way.fetch(await uploaded(way), { headers: { range } })
    expect([read.status, read.headers.get('content-range'), await read.text()]).toEqual([206, said, text])
  })

  it('several ranges, another unit and nonsense with the whole file', async () => {
    const way = await open()
    const address = await uploaded(way)
    for (const range of ['bytes=0-3,5-6', 'letters=0-3', 'bytes=9-3', 'bytes=x']) {
      const read = await way.fetch(address, { headers: { range } })
      expect(await shown(read, 'content-range'), range).toEqual([200, null, 'meow, said the cat'])
    }
  })

  it('HEAD of a part with its length and nothing else', async () => {
    const way = await open()
    const read = await way.fetch(await uploaded(way), { method: 'HEAD', headers: { range: 'bytes=-3' } })
    expect(await shown(read, 'content-range', 'content-length')).toEqual([206, 'bytes 15-17/18', '3', ''])
  })

  it('a part while the file is the one that If-Range names, and the whole of another', async () => {
    const way = await open()
    const address = await uploaded(way)
    const part = async (tag: string): Promise<[number, string]> => {
      const read = await way.fetch(address, { headers: { range: 'bytes=0-3', 'if-range': tag } })
      return [read.status, await read.text()]
    }
    expect(await part(etag)).toEqual([206, 'meow'])
    const dates = ['Wed, 31 Dec 2025 23:59:59 GMT', 'Thu, 01 Jan 2026 00:00:01 GMT']
    for (const tag of [`W/${etag}`, '"other"', ...dates])
      expect(await part(tag), tag).toEqual([200, 'meow, said the cat'])
    await uploaded(way, 'woof, said the dog')
    expect(await part(etag)).toEqual([200, 'woof, said the dog'])
  })

  it('the whole file, whatever date a condition names', async () => {
    const way = await open()
    const address = await uploaded(way)
    const date = (await way.fetch(address)).headers.get('last-modified') as string
    for (const headers of [{ 'if-modified-since': date }, { range: 'bytes=0-3', 'if-range': date }])
      expect((await way.fetch(address, { headers: headers as Record<string, string> })).status).toBe(200)
  })

  it('what was there when it was asked, though it is overwritten before anybody reads on', async () => {
    const way = await open()
    const before = new Uint8Array(300_000).fill(1)
    const read = await way.fetch(await uploaded(way, before))
    await uploaded(way, new Uint8Array(300_000).fill(2))
    expect(Buffer.from(await read.arrayBuffer()).equals(before)).toBe(true)
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

  it.each(['bücher/漢字/🐈.png', 'a b/50%?#&+=;.png', 'a%2Fb.png', "it's (a) *file*!~.png", '.../..a'])(
    'the file at %j',
    async (path) => {
      const way = await open()
      expect(await (await way.fetch(await uploaded(way, path, undefined, path))).text()).toBe(path)
    },
  )

  it('the same file to an address that is encoded in another way', async () => {
    const way = await open()
    const address = await uploaded(way)
    expect((await way.fetch(address.replace('cat', '%63%61%74'))).status).toBe(200)
    expect((await way.fetch(address.replace('/cat', '%2Fcat'))).status).toBe(200)
  })

  it('files of one path apart for each provider', async () => {
    const way = await open()
    const [cos, oss] = [await target(way, 'a.png'), await target(way, 'a.png', { storage_provider: 'OSS' })]
    await send(way, cos, 'at cos')
    await send(way, oss, 'at oss')
    const texts = [cos, oss].map(async ({ visit_url }) => (await way.fetch(visit_url)).text())
    expect(await Promise.all(texts)).toEqual(['at cos', 'at oss'])
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

  it('with the session: one file is not seen from another', async () => {
    const way = inside(simulator())
    const [one, two] = [
      await target({ ...way, url: `${way.url}/s/one` }),
      await target({ ...way, url: `${way.url}/s/two` }),
    ]
    await send(way, one)
    expect((await way.fetch(one.visit_url)).status).toBe(200)
    expect((await rejected(way.fetch(two.visit_url), 404)).Message).toContain('the session "two" has no file')
  })

  it('until its session is removed, and until it makes room for others', async () => {
    const sim = simulator({ settings: { memory: { sessions: 2 } } })
    const way = inside(sim)
    const there = async (name: string): Promise<string> => uploaded({ ...way, url: `${way.url}/s/${name}` })
    const removed = await there('removed')
    expect((await sim.fetch('http://gateway.test/__sim/sessions/removed', { method: 'DELETE' })).status).toBe(
      200,
    )
    expect((await sim.fetch(removed)).status).toBe(404)
    const evicted = await there('first')
    for (const name of ['second', 'third']) await there(name)
    expect(sim.core.sessions.find('first')).toBeUndefined()
    expect((await sim.fetch(evicted)).status).toBe(404)
  })

  it('for as long as the session does, whatever became of the upload URL', async () => {
    const sim = simulator()
    const address = await uploaded(inside(sim))
    sim.clock.advance('300d')
    expect((await sim.fetch(address)).status).toBe(200)
  })
})
