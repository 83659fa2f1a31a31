/** Faults of headers and bodies: on a bare socket byte by byte, and in-process. */
import { describe, expect, it } from 'vitest'
import { eventually } from '../../_eventually.ts'
import { get, simulator } from '../../_setup.ts'
import {
  ask,
  callRaw,
  faulty,
  key,
  question,
  readChunks,
  type Said,
  type Sim,
  served,
  toTheEnd,
  type WrittenFault,
  whole,
} from './_wire.ts'

/** What the same call gets without a fault. */
async function plain(body: unknown = question): Promise<Buffer> {
  return Buffer.from(await (await ask(simulator({ clock: 'auto' }), body)).arrayBuffer())
}

async function raw(
  fault: WrittenFault,
  options: Parameters<typeof faulty>[1] = {},
  body: unknown = question,
): Promise<{ sim: Sim; said: Said }> {
  const sim = faulty(fault, options)
  const { port } = await served(sim)
  return { sim, said: await callRaw(port, body) }
}

describe('wrong-content-type', () => {
  it('declares JSON as another type', async () => {
    const response = await ask(faulty('wrong-content-type'))
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(Buffer.from(await response.arrayBuffer())).toEqual(await plain())
  })

  it.each([
    ['a stream', { ...question, stream: true }, {}],
    ['a rejection', question, { error: { status: 503 } }],
  ])('does so for %s', async (_, body, then) => {
    const sim = faulty({ kind: 'wrong-content-type', contentType: 'application/octet-stream' }, { then })
    expect((await ask(sim, body)).headers.get('content-type')).toBe('application/octet-stream')
  })

  it('does so for an image', async () => {
    const sim = faulty('wrong-content-type', { operation: 'images.readImage' })
    const drawn = (await (
      await ask(sim, { prompt: 'a fox', size: '256x256' }, '/v1/images/generations')
    ).json()) as { data: { url: string }[] }
    const response = await get(sim, new URL(drawn.data[0]?.url ?? '').pathname)
    expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
    })
  })
})

describe('wrong-length', () => {
  it('declares a length above the actual one, and the connection ends', async () => {
    const { said, sim } = await raw({ kind: 'wrong-length', by: 16 })
    const expected = await plain()
    const response = await toTheEnd(said)
    expect(response.head).toContain(`content-length: ${expected.length + 16}`)
    expect({ body: response.body.equals(expected), ended: said.ended, whole: response.whole }).toEqual({
      body: true,
      ended: 'closed',
      whole: false,
    })
    expect(sim.journal()).toMatchObject([{ ended: 'disconnected' }])
  })

  it('declares a length below the actual one', async () => {
    const { said } = await raw({ kind: 'wrong-length', by: -16 })
    const expected = await plain()
    const response = await toTheEnd(said)
    expect(response.head).toContain(`content-length: ${expected.length - 16}`)
    expect(response.body.equals(expected)).toBe(true)
  })

  it('gives a stream a length', async () => {
    const { said } = await raw({ kind: 'wrong-length', by: -5 }, {}, { ...question, stream: true })
    const expected = await plain({ ...question, stream: true })
    const response = await toTheEnd(said)
    expect(response.head).toContain(`content-length: ${expected.length - 5}`)
    expect(response.head).not.toContain('transfer-encoding')
  })
})

describe('truncate', () => {
  it.each([
    ['half-way', {}, (size: number) => Math.floor(size / 2)],
    ['after a number of bytes', { afterBytes: 10 }, () => 10],
    ['after a percentage', { afterShare: 0.9 }, (size: number) => Math.floor(size * 0.9)],
    ['before the first byte', { afterBytes: 0 }, () => 0],
  ])('ends the connection %s, with the full length declared', async (_, options, at) => {
    const { said, sim } = await raw({ kind: 'truncate', ...options })
    const expected = await plain()
    const response = await toTheEnd(said)
    expect(response.head).toContain(`content-length: ${expected.length}`)
    expect(response.body).toEqual(expected.subarray(0, at(expected.length)))
    expect(said.ended).toBe('closed')
    expect(sim.journal()).toMatchObject([
      {
        ended: 'disconnected',
        response: { body: { text: String(expected.subarray(0, at(expected.length))) } },
      },
    ])
  })

  it('resets the connection on request, after delivering the bytes before it', async () => {
    const { said } = await raw({ kind: 'truncate', how: 'reset', afterBytes: 20 })
    const response = await toTheEnd(said)
    expect({ ended: said.ended, body: response.body.length }).toEqual({ ended: 'reset', body: 20 })
  })

  it('cuts a stream before its last chunk', async () => {
    const { said } = await raw('truncate', {}, { ...question, stream: true })
    const expected = await plain({ ...question, stream: true })
    const response = await toTheEnd(said)
    expect({
      body: response.body.equals(expected.subarray(0, Math.floor(expected.length / 2))),
      whole: response.whole,
    }).toEqual({ body: true, whole: false })
  })

  it('cuts a video without changing later responses: rendered media is shared', async () => {
    const rules = [
      {
        when: { operation: 'videos.content', nth: 1 },
        then: { fault: { kind: 'corrupt', bytes: 100, afterBytes: 0 } },
      },
      { when: { operation: 'videos.content', nth: 2 }, then: { fault: 'truncate' } },
    ]
    const sim = simulator({ clock: 'auto', scenarios: [{ title: 'films', rules }] } as never)
    const made = (await (
      await ask(sim, { model: 'sim-finished', prompt: 'a sunset' }, '/v1/videos')
    ).json()) as { id: string }
    const corrupt = Buffer.from(await (await get(sim, `/v1/videos/${made.id}/content`)).arrayBuffer())
    const cut = await readChunks(await get(sim, `/v1/videos/${made.id}/content`))
    const film = Buffer.from(await (await get(sim, `/v1/videos/${made.id}/content`)).arrayBuffer())
    expect(corrupt.equals(film)).toBe(false)
    expect(corrupt.subarray(100).equals(film.subarray(100))).toBe(true)
    expect(Buffer.concat(cut.chunks).equals(film.subarray(0, Math.floor(film.length / 2)))).toBe(true)
    expect(cut.error?.message).toBe('terminated')
  })
})

describe('corrupt', () => {
  const differing = (one: Buffer, other: Buffer): number[] =>
    [...one.entries()].filter(([index, byte]) => other[index] !== byte).map(([index]) => index)

  it('changes a byte, always the same one, and keeps the length', async () => {
    const expected = await plain()
    const [one, again] = await Promise.all(
      [1, 2].map(async () => Buffer.from(await (await ask(faulty('corrupt'))).arrayBuffer())),
    )
    expect(one?.length).toBe(expected.length)
    expect(differing(one as Buffer, expected)).toHaveLength(1)
    expect(one).toEqual(again)
  })

  it('changes the given bytes', async () => {
    const { said } = await raw({ kind: 'corrupt', bytes: 3, afterBytes: 7 })
    expect(differing((await whole(said)).body, await plain())).toEqual([7, 8, 9])
  })

  it('changes the last bytes of a shorter body', async () => {
    const expected = await plain()
    const changed = Buffer.from(
      await (await ask(faulty({ kind: 'corrupt', bytes: 2, afterBytes: 1_000_000 }))).arrayBuffer(),
    )
    expect(differing(changed, expected)).toEqual([expected.length - 2, expected.length - 1])
  })
})

describe('malformed-json', () => {
  it('sends a complete HTTP response with invalid JSON', async () => {
    const { said, sim } = await raw('malformed-json')
    const expected = await plain()
    const response = await whole(said)
    expect(response.body).toEqual(expected.subarray(0, Math.floor(expected.length / 2)))
    expect(response.head).toContain(`content-length: ${response.body.length}`)
    expect(said.ended).toBe('open')
    expect(() => JSON.parse(String(response.body)) as unknown).toThrow(SyntaxError)
    expect(sim.journal()).toMatchObject([{ ended: 'completed' }])
  })

  it.each([0, 0.5, 1])('is invalid wherever it is cut (%d)', async (afterShare) => {
    const response = await ask(faulty({ kind: 'malformed-json', afterShare }))
    await expect(response.json()).rejects.toThrow(SyntaxError)
  })

  it('leaves a stream unchanged', async () => {
    const body = { ...question, stream: true }
    expect(Buffer.from(await (await ask(faulty('malformed-json'), body)).arrayBuffer())).toEqual(
      await plain(body),
    )
  })
})

describe('dribble', () => {
  it('sends a few bytes at a time', async () => {
    const { said } = await raw({ kind: 'dribble', bytes: 100 })
    const expected = await plain()
    const response = await whole(said)
    expect(response.body).toEqual(expected)
    // On a busy machine one read may take two chunks, never a part of one.
    expect(response.parts.slice(0, -1).every(({ length }) => length % 100 === 0)).toBe(true)
    expect(response.parts.length).toBeGreaterThan(expected.length / 300)
  })

  it('takes time', async () => {
    const sim = faulty({ kind: 'dribble', bytes: 100, interval: '1s' }, { clock: 'manual' })
    const { port, url } = await served(sim)
    const said = await callRaw(port)
    expect((await said.until(({ body }) => body.length > 0)).body).toHaveLength(100)
    sim.clock.advance('999ms')
    await (await fetch(`${url}/__sim/health`)).text()
    expect(said.response().body).toHaveLength(100)
    sim.clock.advance('1ms')
    expect((await said.until(({ body }) => body.length > 100)).body).toHaveLength(200)
    sim.clock.advance('1h')
    expect((await whole(said)).body).toEqual(await plain())
    expect(sim.journal()).toMatchObject([{ ended: 'completed' }])
  })

  it('limits the number of chunks', async () => {
    const sim = faulty({ kind: 'dribble', bytes: 1 }, { operation: 'videos.content' })
    const made = (await (
      await ask(sim, { model: 'sim-finished', prompt: 'a sunset' }, '/v1/videos')
    ).json()) as { id: string }
    const { chunks } = await readChunks(await get(sim, `/v1/videos/${made.id}/content`))
    expect(chunks.length).toBeGreaterThan(1000)
    expect(chunks.length).toBeLessThanOrEqual(10_000)
  })
})

describe('stall-body', () => {
  it('sends nothing more after a given byte and stays open until the client leaves', async () => {
    const { said, sim } = await raw({ kind: 'stall-body', afterBytes: 25 })
    const expected = await plain()
    const response = await said.until(({ body }) => body.length === 25)
    sim.clock.advance('1d')
    await sim.settled()
    expect(response.head).toContain(`content-length: ${expected.length}`)
    expect({
      body: said.response().body.equals(expected.subarray(0, 25)),
      ended: said.ended,
      journal: sim.journal()[0]?.ended,
    }).toEqual({ body: true, ended: 'open', journal: 'open' })
    said.leave()
    await eventually(() => expect(sim.journal()).toMatchObject([{ ended: 'aborted' }]))
  })

  it('never ends in-process', async () => {
    const sim = faulty('stall-body')
    const response = await ask(sim)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await expect(
      Promise.race([
        reader.read().then(() => 'more'),
        sim
          .settled()
          .then(() => get(sim, '/v1/models'))
          .then(() => 'nothing'),
      ]),
    ).resolves.toBe('nothing')
    await reader.cancel()
    expect(sim.journal()).toMatchObject([{ ended: 'aborted' }, {}])
  })
})

describe('several faults of one response', () => {
  it('combine in a fixed order', async () => {
    const sim = faulty([
      { kind: 'truncate', afterBytes: 250 },
      { kind: 'dribble', bytes: 100 },
      { kind: 'corrupt', afterBytes: 0 },
      'wrong-content-type',
    ])
    const response = await ask(sim)
    const { chunks, error } = await readChunks(response)
    expect({
      sizes: chunks.map(({ length }) => length),
      error: error?.message,
      type: response.headers.get('content-type'),
      first: chunks[0]?.[0] === 0x7b,
    }).toEqual({ sizes: [100, 100, 50], error: 'terminated', type: 'text/html; charset=utf-8', first: false })
  })

  it('end at the earliest ending', async () => {
    const sim = faulty([
      { kind: 'truncate', afterBytes: 250 },
      { kind: 'stall-body', afterBytes: 100 },
      { kind: 'truncate', afterBytes: 50, how: 'reset' },
    ])
    const { port } = await served(sim)
    const said = await callRaw(port)
    const response = await toTheEnd(said)
    expect({ ended: said.ended, body: response.body.length }).toEqual({ ended: 'reset', body: 50 })
  })
})

describe('HEAD', () => {
  it.each(['truncate', 'wrong-length', 'dribble', 'stall-body', 'corrupt'])(
    'has headers and no body, also with %s',
    async (fault) => {
      const sim = faulty(fault, { operation: 'models.list' })
      const said = await callRaw((await served(sim)).port, undefined, '/v1/models', 'HEAD')
      const { head, body } = await said.until(({ status }) => status > 0)
      expect([head.slice(0, 15), body.length]).toEqual(['HTTP/1.1 200 OK', 0])
      expect(
        await (await sim.fetch('http://gateway.test/v1/models', { method: 'HEAD', headers: key })).text(),
      ).toBe('')
    },
  )
})
