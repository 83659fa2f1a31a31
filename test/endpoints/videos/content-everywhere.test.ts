/**
 * What players and download tools request, through every integration: ranges, tags, HEAD, a name to save it
 * under.
 */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { describeIntegrations, simulator } from '../../_setup.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describeIntegrations('a film', (integration) => {
  async function film() {
    const sim = simulator()
    const { fetch, url } = await integration.open(sim)
    const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
    const submitted = (await (
      await fetch(`${url}/v1/videos`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: 'video-1', prompt: 'a fox', seconds: '4' }),
      })
    ).json()) as { id: string }
    sim.clock.advance('10m')
    const read = (sent: Record<string, string> = {}, method = 'GET', query = ''): Promise<Response> =>
      fetch(`${url}/v1/videos/${submitted.id}/content${query}`, {
        method,
        headers: { authorization: 'Bearer sk-test', ...sent },
      })
    const whole = await read()
    return { id: submitted.id, read, whole, bytes: new Uint8Array(await whole.arrayBuffer()) }
  }

  it('says its length, its tag, that parts are welcome, and what to save it as', async () => {
    const { id, read, whole, bytes } = await film()
    expect(whole.status).toBe(200)
    expect(
      Object.fromEntries(
        ['content-type', 'content-length', 'accept-ranges', 'content-disposition'].map((name) => [
          name,
          whole.headers.get(name),
        ]),
      ),
    ).toEqual({
      'content-type': 'video/mp4',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'content-disposition': `inline; filename="${id}.mp4"`,
    })
    expect(whole.headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/)
    expect((await read({}, 'GET', '?variant=thumbnail')).headers.get('content-disposition')).toBe(
      `inline; filename="${id}-thumbnail.webp"`,
    )
    expect((await read({}, 'GET', '?variant=spritesheet')).headers.get('content-disposition')).toBe(
      `inline; filename="${id}-spritesheet.jpg"`,
    )
  })

  it('comes in parts: from, from and to, the last ones, to beyond its end', async () => {
    const { read, bytes } = await film()
    const total = bytes.length
    for (const [range, from, to] of [
      ['bytes=0-99', 0, 99],
      ['bytes=100-', 100, total - 1],
      ['bytes=-100', total - 100, total - 1],
      [`bytes=5-${total * 2}`, 5, total - 1],
      [`bytes=-${total * 2}`, 0, total - 1],
    ] as const) {
      const part = await read({ range })
      expect([
        range,
        part.status,
        part.headers.get('content-range'),
        part.headers.get('content-length'),
      ]).toEqual([range, 206, `bytes ${from}-${to}/${total}`, String(to - from + 1)])
      expect(sha256(new Uint8Array(await part.arrayBuffer()))).toBe(sha256(bytes.subarray(from, to + 1)))
    }
  })

  it('refuses a part behind its end, and a last part of nothing', async () => {
    const { read, bytes } = await film()
    for (const range of [`bytes=${bytes.length}-`, 'bytes=-0']) {
      const refused = await read({ range })
      expect([
        refused.status,
        refused.headers.get('content-range'),
        refused.headers.get('content-type'),
      ]).toEqual([416, `bytes */${bytes.length}`, 'application/json'])
      expect(await refused.json()).toMatchObject({ error: { param: 'range' } })
    }
  })

  it('gives a part to whom holds the same film, and the whole one to whom holds another', async () => {
    const { read, whole, bytes } = await film()
    const etag = whole.headers.get('etag') as string
    expect((await read({ range: 'bytes=0-9', 'if-range': etag })).status).toBe(206)
    const other = await read({ range: 'bytes=0-9', 'if-range': '"another"' })
    expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, bytes.length])
    expect((await read({ range: 'bytes=0-9', 'if-range': `W/${etag}` })).status).toBe(200)
  })

  it('is refused to whom wants another one, by its tag alone: a film has no date', async () => {
    const { read, whole } = await film()
    expect((await read({ 'if-match': whole.headers.get('etag') as string })).status).toBe(200)
    const other = await read({ 'if-match': '"another"' })
    expect([other.status, await other.json()]).toEqual([
      412,
      { error: expect.objectContaining({ type: 'precondition_failed', code: 412, param: 'if-match' }) },
    ])
    for (const name of ['if-modified-since', 'if-unmodified-since', 'if-range'])
      expect((await read({ [name]: 'Thu, 01 Jan 1970 00:00:00 GMT', range: 'bytes=0-9' })).status, name).toBe(
        name === 'if-range' ? 200 : 206,
      )
  })

  it('is not sent again to whom has it', async () => {
    const { read, whole } = await film()
    const again = await read({ 'if-none-match': whole.headers.get('etag') as string })
    expect([again.status, again.headers.get('etag'), (await again.arrayBuffer()).byteLength]).toEqual([
      304,
      whole.headers.get('etag'),
      0,
    ])
  })

  it('answers HEAD with the same headers and no bytes', async () => {
    const { read, whole } = await film()
    const head = await read({}, 'HEAD')
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0])
    for (const name of ['content-type', 'content-length', 'accept-ranges', 'etag', 'content-disposition'])
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)])
  })
})
