/** Faults of streams: on a bare socket read by read, in-process chunk by chunk, and as SDKs meet them. */
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../_eventually.ts'
import { dataOf, simulator } from '../../_setup.ts'
import {
  ask,
  callRaw,
  faulty,
  frames,
  question,
  readChunks,
  type Said,
  type Sim,
  served,
  toTheEnd,
  type WrittenFault,
  whole,
} from './_wire.ts'

const streamed = { ...question, stream: true }
const message = {
  model: 'claude-3-5-haiku-20241022',
  max_tokens: 50,
  stream: true,
  messages: [{ role: 'user', content: 'Name a colour.' }],
}

/** The frames of the same stream without a fault. */
async function plain(body: object = streamed, path = '/v1/chat/completions'): Promise<string[]> {
  return frames(await (await ask(simulator({ clock: 'auto' }), body, path)).text())
}

async function raw(
  fault: WrittenFault,
  options: Parameters<typeof faulty>[1] = {},
): Promise<{ sim: Sim; said: Said }> {
  const sim = faulty(fault, options)
  const { port } = await served(sim)
  return { sim, said: await callRaw(port, streamed) }
}

/** The text of the stream in-process. */
const text = async (fault: WrittenFault, options?: Parameters<typeof faulty>[1]): Promise<string> =>
  (await ask(faulty(fault, options), streamed)).text()

/** A stream that says so; images of characters take several bytes each. */
const says = (words: readonly string[]): object => ({ stream: { script: [{ text: words }] } })

describe('disconnect', () => {
  it('resets the connection after delivering everything before it', async () => {
    const { said, sim } = await raw({ kind: 'disconnect', afterEvents: 3 })
    const response = await toTheEnd(said)
    expect(frames(response.body)).toEqual((await plain()).slice(0, 3))
    expect({ ended: said.ended, whole: response.whole }).toEqual({ ended: 'reset', whole: false })
    expect(sim.journal()).toMatchObject([{ ended: 'disconnected', response: { eventCount: 3 } }])
  })

  it.each([
    ['close', 'closed', false],
    ['end', 'open', true],
  ] as const)('%s: the connection is %s', async (how, ended, isWhole) => {
    const { said } = await raw({ kind: 'disconnect', how })
    const response = await (isWhole ? whole(said) : toTheEnd(said))
    expect({ frames: frames(response.body), ended: said.ended, whole: response.whole }).toEqual({
      frames: (await plain()).slice(0, 1),
      ended,
      whole: isWhole,
    })
  })

  it('can act at a byte, inside an event', async () => {
    const { said, sim } = await raw({ kind: 'disconnect', afterBytes: 30 })
    const response = await toTheEnd(said)
    expect(String(response.body)).toBe((await plain()).join('').slice(0, 30))
    expect(sim.journal()).toMatchObject([
      { response: { eventCount: 0, body: { text: String(response.body) } } },
    ])
  })

  it('has no effect on a plain response', async () => {
    expect((await ask(faulty('disconnect'), question)).status).toBe(200)
    expect(await (await ask(faulty('disconnect'), question)).text()).toBe(
      await (await ask(simulator({ clock: 'auto' }))).text(),
    )
  })

  it('has no effect on a shorter stream', async () => {
    const { said } = await raw({ kind: 'disconnect', afterEvents: 1000 })
    expect(frames((await whole(said)).body)).toEqual(await plain())
  })

  it('throws inside the loop of the SDK', async () => {
    const { url } = await served(faulty({ kind: 'disconnect', afterEvents: 3 }))
    const client = new OpenAI({ apiKey: 'sk-test', baseURL: `${url}/v1` })
    let seen = 0
    await expect(
      (async () => {
        for await (const _ of (await client.chat.completions.create(
          streamed as never,
        )) as unknown as AsyncIterable<unknown>)
          seen++
      })(),
    ).rejects.toThrow('terminated')
    expect(seen).toBe(3)
  })
})

describe('stall', () => {
  it('sends nothing more and stays open, also in `auto`', async () => {
    const { said, sim } = await raw({ kind: 'stall', afterBytes: 30 })
    await said.until(({ body }) => body.length === 30)
    sim.clock.advance('1d')
    await sim.settled()
    expect({ ended: said.ended, bytes: said.response().body.length }).toEqual({ ended: 'open', bytes: 30 })
    said.leave()
    await eventually(() => expect(sim.journal()).toMatchObject([{ ended: 'aborted' }]))
  })
})

describe('error-event', () => {
  it('is sent last, in the format of chat', async () => {
    const data = dataOf(
      await text({ kind: 'error-event', afterEvents: 2, type: 'overloaded_error', message: 'Too much.' }),
    )
    expect(data).toHaveLength(3)
    expect(JSON.parse(data[2] as string)).toMatchObject({
      error: { type: 'overloaded_error', message: 'Too much.' },
    })
  })

  it('is sent last, in the format of messages', async () => {
    const said = frames(
      await (
        await ask(faulty('error-event', { operation: 'messages.create' }), message, '/v1/messages')
      ).text(),
    )
    expect(said).toEqual([
      (await plain(message, '/v1/messages'))[0],
      'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"The server had an error while streaming."}}\n\n',
    ])
  })
})

describe('missing-end', () => {
  it('omits the end marker, and the connection ends cleanly', async () => {
    const { said } = await raw('missing-end')
    expect(frames((await whole(said)).body)).toEqual((await plain()).slice(0, -1))
  })
})

describe('malformed-event', () => {
  it('breaks the JSON of one event only', async () => {
    const said = frames(await text({ kind: 'malformed-event', afterEvents: 2 }))
    const expected = await plain()
    expect([...said.slice(0, 2), ...said.slice(3)]).toEqual([...expected.slice(0, 2), ...expected.slice(3)])
    const [data = ''] = dataOf(said[2] as string)
    expect(expected[2]).toContain(data)
    expect(() => JSON.parse(data) as unknown).toThrow(SyntaxError)
  })

  it('keeps the name of the event', async () => {
    const said = frames(
      await (
        await ask(
          faulty({ kind: 'malformed-event', afterEvents: 0 }, { operation: 'messages.create' }),
          message,
          '/v1/messages',
        )
      ).text(),
    )
    expect(said[0]).toMatch(/^event: message_start\ndata: \{"type":"message_start"[^\n]*\n\n$/)
    expect(() => JSON.parse(dataOf(said[0] as string)[0] as string) as unknown).toThrow(SyntaxError)
  })
})

describe('split', () => {
  const fox = says(['A ', 'fox ', '🦊 is ', 'red.'])

  it('splits one event into two reads, inside a character', async () => {
    const { said } = await raw('split', { then: fox })
    const response = await whole(said)
    expect(String(response.body)).toBe(await (await ask(faulty([], { then: fox }), streamed)).text())
    expect(response.parts).toHaveLength(2)
    // Neither half is text on its own.
    expect(String(response.parts[0])).toMatch(/\uFFFD$/)
    expect(String(response.parts[1])).toMatch(/^\uFFFD/)
  })

  it('splits an event after a byte', async () => {
    const { chunks } = await readChunks(
      await ask(faulty({ kind: 'split', afterEvents: 1, atByte: 9 }), streamed),
    )
    const [first = ''] = await plain()
    expect(String(chunks[0])).toBe(first + ((await plain())[1] ?? '').slice(0, 9))
  })

  it('splits an event in the middle if no character has several bytes', async () => {
    const { chunks } = await readChunks(await ask(faulty('split'), streamed))
    expect(chunks).toHaveLength(2)
    expect(Buffer.concat(chunks).toString()).toBe((await plain()).join(''))
  })

  it('waits by the clock', async () => {
    const { said, sim } = await raw(
      { kind: 'split', afterEvents: 0, pause: '2s' },
      { clock: 'manual', settings: { chat: { firstEventAfter: 0, eventInterval: 0 } } },
    )
    const half = (await said.until(({ body }) => body.length > 0)).body.length
    sim.clock.advance('1999ms')
    await sim.settled()
    expect(said.response().body).toHaveLength(half)
    sim.clock.advance('1ms')
    expect(frames((await whole(said)).body)).toEqual(await plain())
  })
})

describe('join', () => {
  it('combines several events in one read', async () => {
    const expected = await plain()
    const { said } = await raw({ kind: 'join', afterEvents: 1, events: 3 })
    const response = await whole(said)
    expect(response.parts.map((part) => frames(part).length)).toEqual([1, ...groups(expected.length - 1, 3)])
    expect(frames(response.body)).toEqual(expected)
    const { chunks } = await readChunks(
      await ask(faulty({ kind: 'join', afterEvents: 1, events: 3 }), streamed),
    )
    expect(chunks.map((part) => frames(part).length)).toEqual([1, ...groups(expected.length - 1, 3)])
  })

  const groups = (count: number, size: number): number[] => [
    ...Array.from({ length: Math.floor(count / size) }, () => size),
    ...(count % size === 0 ? [] : [count % size]),
  ]

  it('holds events back until the last of them is due', async () => {
    const { said, sim } = await raw(
      { kind: 'join', events: 3 },
      { clock: 'manual', settings: { chat: { firstEventAfter: '10ms', eventInterval: '10ms' } } },
    )
    await said.until(({ head }) => head !== '')
    sim.clock.advance('29ms')
    expect(sim.journal()).toMatchObject([{ response: { eventCount: 0 } }])
    sim.clock.advance('1ms')
    expect(sim.journal()).toMatchObject([{ response: { eventCount: 3 } }])
    expect(frames((await said.until(({ body }) => body.length > 0)).body)).toHaveLength(3)
  })
})

describe('duplicate and out-of-order', () => {
  it('sends one event twice, or more often', async () => {
    const [first, second, ...rest] = await plain()
    expect(frames(await text('duplicate'))).toEqual([first, second, second, ...rest])
    expect(frames(await text({ kind: 'duplicate', afterEvents: 0, copies: 3 }))).toEqual([
      first,
      first,
      first,
      second,
      ...rest,
    ])
  })

  it('sends one event after the next one, at the times of both', async () => {
    const [first, second, third, ...rest] = await plain()
    expect(frames(await text('out-of-order'))).toEqual([first, third, second, ...rest])
  })

  it('has no effect after the last event', async () => {
    const expected = await plain()
    for (const kind of ['duplicate', 'out-of-order'])
      expect(frames(await text({ kind, afterEvents: expected.length }))).toEqual(expected)
    expect(frames(await text({ kind: 'out-of-order', afterEvents: expected.length - 1 }))).toEqual(expected)
  })
})

describe('keep-alive', () => {
  it('is sent between all events, but not after the last', async () => {
    const expected = await plain()
    const said = await text('keep-alive')
    expect(said).toBe(expected.join(': ping\n\n'))
  })

  it('is sent after a given time without events', async () => {
    const { said, sim } = await raw(
      { kind: 'keep-alive', interval: '1s' },
      { clock: 'manual', settings: { chat: { firstEventAfter: '3500ms', eventInterval: 0 } } },
    )
    await said.until(({ head }) => head !== '')
    sim.clock.advance('2s')
    expect(String((await said.until(({ body }) => body.length >= 16)).body)).toBe(': ping\n\n: ping\n\n')
    sim.clock.advance('1500ms')
    expect(String((await whole(said)).body)).toBe(`: ping\n\n: ping\n\n: ping\n\n${(await plain()).join('')}`)
    expect(sim.journal()).toMatchObject([{ response: { eventCount: (await plain()).length } }])
  })

  it('is not counted as an event by other faults', async () => {
    const said = frames(
      await (
        await readChunks(await ask(faulty(['keep-alive', { kind: 'disconnect', afterEvents: 2 }]), streamed))
      ).chunks.join(''),
    )
    expect(said.filter((frame) => !frame.startsWith(':'))).toEqual((await plain()).slice(0, 2))
  })

  it('does not fill the memory', async () => {
    const sim = faulty(
      { kind: 'keep-alive', interval: 1 },
      { settings: { chat: { firstEventAfter: '1d', eventInterval: '1d' } } },
    )
    expect((await (await ask(sim, streamed)).text()).length).toBeLessThan(200_000)
  })
})

describe('line-ends, bom and multi-line-data', () => {
  it('ends lines with CRLF, or with CR alone', async () => {
    const expected = (await plain()).join('')
    expect(await text('line-ends')).toBe(expected.replaceAll('\n', '\r\n'))
    expect(await text({ kind: 'line-ends', ends: 'cr' })).toBe(expected.replaceAll('\n', '\r'))
  })

  it('starts with a byte order mark', async () => {
    const { said } = await raw('bom')
    expect((await whole(said)).body).toEqual(Buffer.from(`\uFEFF${(await plain()).join('')}`))
  })

  it('splits the JSON into several equivalent lines', async () => {
    const said = frames(await text('multi-line-data'))
    const joined = said.map((frame) =>
      [...frame.matchAll(/^data: (.*)$/gm)].map(([, line]) => line).join('\n'),
    )
    expect(joined.slice(0, -1).map((data) => JSON.parse(data) as unknown)).toEqual(
      dataOf((await plain()).slice(0, -1).join('')).map((data) => JSON.parse(data) as unknown),
    )
    expect(said[0]?.match(/^data: /gm)).toHaveLength(3)
    expect(joined.at(-1)).toBe('[DONE]')
  })
})

describe('faults inside a script', () => {
  it('act at their position', async () => {
    const sim = faulty([], {
      then: {
        stream: {
          script: [
            { text: ['One ', 'two '] },
            { fault: 'malformed-event' },
            { text: ['three ', 'four'] },
            { fault: { kind: 'disconnect', how: 'close' } },
          ],
        },
      },
    })
    const { chunks, error } = await readChunks(await ask(sim, streamed))
    const said = frames(Buffer.concat(chunks))
    expect(said.filter((frame) => frame.includes('four'))).toHaveLength(1)
    expect(
      said.findIndex((frame) => {
        try {
          JSON.parse(dataOf(frame)[0] as string)
          return false
        } catch {
          return true
        }
      }),
    ).toBe(3)
    expect(error?.message).toBe('terminated')
  })

  it('keep raw items unchanged', async () => {
    const sim = faulty('line-ends', {
      then: { stream: { script: [{ text: ['One'] }, { raw: 'event: odd\ndata: x\n\n' }] } },
    })
    expect(await (await ask(sim, streamed)).text()).toContain('event: odd\r\ndata: x\r\n\r\n')
  })
})
