/** uploads.send: the bytes of a file, sent to `upload_url`. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { describeDoors, inside, rejected, send, target } from './_uploads.ts'

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
})

describe('uploads.send unfolds', () => {
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
})
