/**
 * What players and download tools request, through every integration: ranges, tags, HEAD, a name to save it
 * under.
 */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { bodyOf, describeIntegrations, jsonCall, simulator } from '../../_setup.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describeIntegrations('a film', (integration) => {
  async function film() {
    const sim = simulator()
    const { fetch, url } = await integration.open(sim)
    const body = { model: 'video-1', prompt: 'a fox', seconds: '4' }
    const submitted = await bodyOf(fetch(`${url}/v1/videos`, jsonCall(body)))
    sim.clock.advance('10m')
    const read = (sent: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
      fetch(`${url}/v1/videos/${submitted.id}/content`, {
        method,
        headers: { authorization: 'Bearer sk-test', ...sent },
      })
    const whole = await read()
    return { sim, id: submitted.id, read, whole, bytes: new Uint8Array(await whole.arrayBuffer()) }
  }

  it('says its length, its tag, that parts are welcome, and what to save it as', async () => {
    const { id, whole, bytes } = await film()
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
    expect(new TextDecoder('latin1').decode(bytes.subarray(4, 12))).toBe('ftypisom')
  })

  it('is rejected in the journal too where it is rejected to the client', async () => {
    const { sim, read } = await film()
    await read({ range: 'bytes=99999999-' })
    await read({ 'if-match': '"other"' })
    expect(sim.journal().slice(-2)).toMatchObject([
      {
        response: { status: 416 },
        cause: { rejection: { type: 'range_not_satisfiable', code: 416, param: 'range' } },
      },
      {
        response: { status: 412 },
        cause: { rejection: { type: 'precondition_failed', code: 412, param: 'if-match' } },
      },
    ])
    expect(sim.journal({ status: '4xx' })).toHaveLength(2)
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
    const none = await read({ range: `bytes=${total}-` })
    expect([none.status, none.headers.get('content-range')]).toEqual([416, `bytes */${total}`])
  })

  it('answers HEAD with the same headers and no bytes', async () => {
    const { read, whole } = await film()
    const head = await read({}, 'HEAD')
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0])
    for (const name of ['content-type', 'content-length', 'accept-ranges', 'etag', 'content-disposition'])
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)])
  })
})
