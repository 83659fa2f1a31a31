/** uploads.send: the bytes of a file, sent to `upload_url`. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { ask, describeDoors, inside, rejected, send, target } from './_uploads.ts'

const md5 = (bytes: string | Uint8Array): Buffer => createHash('md5').update(bytes).digest()
const uploads = (sim: ReturnType<typeof simulator>) => sim.core.sessions.get('default').sandbox.uploads

describeDoors('uploads.send rejects', (integration) => {
  const open = async (sim = simulator()) => ({ sim, way: await integration.open(sim) })

  it('an address whose time is over (403 AccessDenied)', async () => {
    const { sim, way } = await open()
    const there = await target(way)
    sim.clock.advance(900_001)
    expect(await rejected(send(way, there), 403)).toMatchObject({
      Code: 'AccessDenied',
      Message:
        'Request has expired: the URL was valid until 2026-01-01T00:15:00.000Z, and the current ' +
        'time is 2026-01-01T00:15:00.001Z. Get a new URL from POST /v1/files/upload_url.',
    })
  })

  it.each([
    ['signature', (url: string) => url.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ['path', (url: string) => url.replace('cat.png', 'dog.png')],
    ['region', (url: string) => url.replace('-local/', '-north/')],
    ['time', (url: string) => url.replace(/(q-sign-time=\d+;)\d+/, '$19999999999')],
    ['key id', (url: string) => url.replace(/(q-ak=)\w+/, '$1other')],
  ])('an address whose %s was changed (403 SignatureDoesNotMatch)', async (_, change) => {
    const { sim, way } = await open()
    const there = await target(way)
    const changed = change(there.upload_url)
    expect(changed).not.toBe(there.upload_url)
    expect((await rejected(send(way, { ...there, upload_url: changed }), 403)).Code).toBe(
      'SignatureDoesNotMatch',
    )
    expect(uploads(sim).count).toBe(0)
  })

  it('an address of the second provider with another time (403 SignatureDoesNotMatch)', async () => {
    const { way } = await open()
    const there = await target(way, 'a.png', { storage_provider: 'OSS' })
    const later = { ...there, upload_url: there.upload_url.replace(/(Expires=)\d+/, '$19999999999') }
    expect((await rejected(send(way, later), 403)).Code).toBe('SignatureDoesNotMatch')
    expect((await send(way, there)).status).toBe(200)
  })

  it('an address without its query (403 AccessDenied)', async () => {
    const { way } = await open()
    const there = await target(way)
    expect(await rejected(send(way, { ...there, upload_url: there.visit_url }), 403)).toMatchObject({
      Code: 'AccessDenied',
      Message:
        'Access Denied: the URL has no signature. Use `upload_url` exactly as returned, with its query.',
    })
  })

  it('another method than the signed one (405 MethodNotAllowed)', async () => {
    const { sim, way } = await open()
    const there = await target(way)
    const response = await send(way, { ...there, method: 'POST' })
    expect(response.headers.get('allow')).toBe('PUT')
    expect(await rejected(response, 405)).toMatchObject({
      Code: 'MethodNotAllowed',
      Message:
        'The method POST is not allowed against this resource: the URL is signed for PUT (the `method` ' +
        'in the response from POST /v1/files/upload_url).',
    })
    expect((await rejected(way.fetch(there.upload_url, { method: 'DELETE' }), 405)).Code).toBe(
      'MethodNotAllowed',
    )
    expect(uploads(sim).count).toBe(0)
  })

  it.each([
    ['authorization', 'Bearer sk-test'],
    ['x-api-key', 'sk-test'],
    ['x-goog-api-key', 'sk-test'],
    ['api-key', 'sk-test'],
  ])('an API key in `%s` (400 InvalidArgument)', async (header, value) => {
    const { sim, way } = await open()
    expect(await rejected(send(way, await target(way), 'meow', { [header]: value }), 400)).toMatchObject({
      Code: 'InvalidArgument',
      Message:
        `Only one auth mechanism allowed: the URL is signed, but the request also has the header ` +
        `\`${header}\`` +
        '. Upload with a plain HTTP request without an API key, not with the gateway ' +
        'client.',
    })
    expect(uploads(sim).count).toBe(0)
  })

  it('more bytes than the settings allow (413 EntityTooLarge), and takes as many as they do', async () => {
    const { sim, way } = await open(simulator({ settings: { limits: { fileBytes: 1000 } } }))
    const there = await target(way)
    expect((await rejected(send(way, there, new Uint8Array(1001)), 413)).Code).toBe('EntityTooLarge')
    expect(uploads(sim).count).toBe(0)
    expect((await send(way, there, new Uint8Array(1000))).status).toBe(200)
    expect(uploads(sim).size).toBe(1000)
  })

  it('a bucket that is not there (404 NoSuchBucket)', async () => {
    const { way } = await open()
    const there = await target(way)
    for (const name of ['images', 'cos-00000000-local', 'gcs-54dba2a8-local']) {
      expect(
        (
          await rejected(
            send(way, { ...there, upload_url: there.upload_url.replace(/cos-[^/]+/, name) }),
            404,
          )
        ).Code,
        name,
      ).toBe('NoSuchBucket')
    }
  })

  it('an address of another session than the one named (404 NoSuchBucket)', async () => {
    const { way } = await open()
    const there = await target(way)
    const { Code, Message } = await rejected(
      send(way, { ...there, upload_url: there.upload_url.replace('/storage/', '/s/other/storage/') }),
      404,
    )
    expect(Code).toBe('NoSuchBucket')
    expect(Message).toContain(
      'This request belongs to the session "other", but the id was created in another session.',
    )
  })
})

describeDoors('uploads.send answers', (integration) => {
  const open = async (sim = simulator()) => ({ sim, way: await integration.open(sim) })

  it('with 200, the MD5 as ETag and nothing else', async () => {
    const { way } = await open()
    const response = await send(way, await target(way))
    expect([
      response.status,
      response.headers.get('etag'),
      response.headers.get('content-length'),
      await response.text(),
    ]).toEqual([200, `"${md5('meow').toString('hex')}"`, '0', ''])
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
  })

  it('to an address in the last millisecond of its time', async () => {
    const { sim, way } = await open()
    const there = await target(way)
    sim.clock.advance('15m')
    expect((await send(way, there)).status).toBe(200)
  })

  it('to POST, where the settings say so', async () => {
    const { way } = await open(simulator({ settings: { files: { method: 'POST' } } }))
    const there = await target(way)
    expect(there.method).toBe('POST')
    expect((await rejected(send(way, { ...there, method: 'PUT' }), 405)).Code).toBe('MethodNotAllowed')
    const response = await send(way, there)
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(await (await way.fetch(there.visit_url)).text()).toBe('meow')
  })

  it('to no bytes at all', async () => {
    const { way } = await open()
    const there = await target(way)
    for (const body of [null, '', new Uint8Array(0)])
      expect((await send(way, there, body)).headers.get('etag')).toBe('"d41d8cd98f00b204e9800998ecf8427e"')
    const read = await way.fetch(there.visit_url)
    expect([read.status, read.headers.get('content-length'), await read.text()]).toEqual([200, '0', ''])
  })

  it.each([
    ['JSON', 'application/json', '{ "a" : 1.0 }'],
    ['broken JSON', 'application/json', '{"a":'],
    ['a form', 'multipart/form-data; boundary=x', 'no form at all'],
    ['fields', 'application/x-www-form-urlencoded', 'a=1&b=2'],
    ['bytes that are no UTF-8', 'text/plain', '\xff\xfe'],
  ])('to %s as to any other bytes', async (_, type, text) => {
    const { way } = await open()
    const bytes = Buffer.from(text, 'latin1')
    const there = await target(way)
    expect((await send(way, there, bytes, { 'content-type': type })).status).toBe(200)
    const read = await way.fetch(there.visit_url)
    expect([read.headers.get('content-type'), Buffer.from(await read.arrayBuffer())]).toEqual([type, bytes])
  })

  it('to a stream whose length nobody knows', async () => {
    const { way } = await open()
    const there = await target(way)
    const pieces = Array.from({ length: 50 }, (_, index) => new Uint8Array(5000).fill(index))
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces[pulled++]
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
    })
    let pulled = 0
    const response = await way.fetch(there.upload_url, {
      method: 'PUT',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/x-blob' },
    } as RequestInit)
    expect(response.headers.get('etag')).toBe(`"${md5(Buffer.concat(pieces)).toString('hex')}"`)
    expect(
      Buffer.from(await (await way.fetch(there.visit_url)).arrayBuffer()).equals(Buffer.concat(pieces)),
    ).toBe(true)
  })

  it('to many at once for one place: one of them is there, whole', async () => {
    const { sim, way } = await open()
    const there = await target(way)
    const bodies = Array.from({ length: 10 }, (_, index) => new Uint8Array(30_000).fill(index))
    const statuses = await Promise.all(bodies.map(async (body) => (await send(way, there, body)).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
    const kept = new Uint8Array(await (await way.fetch(there.visit_url)).arrayBuffer())
    expect(bodies.some((body) => Buffer.from(body).equals(kept))).toBe(true)
    expect([uploads(sim).count, uploads(sim).size]).toEqual([1, 30_000])
  })

  it('without a key to the session that the address was made in', async () => {
    const { sim, way } = await open()
    const answer = await ask(way, { path: 'a.png' }, { authorization: 'Bearer sk-sim-alice-1' })
    const there = (await answer.json()) as Awaited<ReturnType<typeof target>>
    expect((await send(way, there)).status).toBe(200)
    expect(sim.core.sessions.get('alice').sandbox.uploads.count).toBe(1)
    expect(uploads(sim).count).toBe(0)
    expect(await (await way.fetch(there.visit_url)).text()).toBe('meow')
  })

  it('with the addresses of the session in the base URL', async () => {
    const { sim, way } = await open()
    const there = await target({ ...way, url: `${way.url}/s/mine` })
    expect((await send(way, there)).status).toBe(200)
    expect(sim.core.sessions.get('mine').sandbox.uploads.count).toBe(1)
  })

  it('as a call of the journal, whose bytes are not kept there', async () => {
    const { sim, way } = await open()
    await send(way, await target(way))
    expect(sim.journal().at(-1)).toMatchObject({
      operation: 'uploads.send',
      request: {
        method: 'PUT',
        body: { text: `bytes 4 ${createHash('sha256').update('meow').digest('hex')}` },
      },
      response: { status: 200 },
      ended: 'completed',
      key: undefined,
    })
  })
})

describe('uploads.send answers', () => {
  it('with the facts of an image, for other operations to look at', async () => {
    const sim = simulator()
    const there = await target(inside(sim))
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    await send(inside(sim), there, png)
    expect(uploads(sim).get('cos images/cat.png')).toMatchObject({
      bytes: { size: png.length, image: { format: 'png', width: 1, height: 1 } },
    })
  })

  it('400 to a type of other letters than ASCII', async () => {
    const sim = simulator()
    const there = await target(inside(sim))
    const { Message } = await rejected(
      send(inside(sim), there, 'meow', { 'content-type': 'image/pn\u00fc' }),
      400,
    )
    expect(Message).toBe(
      '`content-type`: expected up to 1000 printable ASCII characters, got "image/pn\u00fc".',
    )
  })
})

describe('uploads.send unfolds', () => {
  it.each(['auto', 'manual', 'real'] as const)(
    'under a clock in %s: an address is rejected once its time is over',
    async (clock) => {
      let wall = 0
      const sim = simulator({ clock, wallClock: () => wall, start: '2026-01-01T00:00:00Z' })
      const there = await target(inside(sim))
      expect((await send(inside(sim), there)).status).toBe(200)
      if (clock === 'real') wall += 900_001
      else sim.clock.advance(900_001)
      expect((await rejected(send(inside(sim), there), 403)).Message).toContain('Request has expired')
      await sim.close()
    },
  )

  it('into the last of two files of one path', async () => {
    const sim = simulator()
    const there = await target(inside(sim))
    await send(inside(sim), there, 'first', { 'content-type': 'text/plain' })
    await send(inside(sim), there, 'second', { 'content-type': 'text/html' })
    const read = await sim.fetch(there.visit_url)
    expect([read.headers.get('content-type'), await read.text()]).toEqual(['text/html', 'second'])
    expect([uploads(sim).count, uploads(sim).size]).toEqual([1, 6])
  })

  it('to conditions, which these stores do not know of uploads', async () => {
    const sim = simulator()
    const there = await target(inside(sim))
    for (const [text, headers] of [
      ['first', { 'if-match': '"other"' }],
      ['second', { 'if-none-match': '*' }],
      ['third', { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }],
    ] as const) {
      expect((await send(inside(sim), there, text, headers)).status).toBe(200)
      expect(await (await sim.fetch(there.visit_url)).text()).toBe(text)
    }
  })

  it('into nothing after a reset, and an address of before still works', async () => {
    const sim = simulator()
    const there = await target(inside(sim))
    await send(inside(sim), there)
    sim.resetAll()
    expect((await rejected(sim.fetch(there.visit_url), 404)).Code).toBe('NoSuchKey')
    expect((await send(inside(sim), there)).status).toBe(200)
  })
})
