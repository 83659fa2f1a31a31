/**
 * What happens between the words of a script: waits, raw frames and faults at their places, in every family
 * that streams.
 */
import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../../src/engine/random.ts'
import type { PlainResponse } from '../../../src/protocol/response.ts'
import { applyFaults } from '../../../src/scenario/faults/all.ts'
import { describeIntegrations, type simulator } from '../../_setup.ts'
import { asking } from '../../endpoints/chat/_chat.ts'
import { headers as ofMessages, request } from '../../endpoints/messages/_messages.ts'
import { scripted } from './_scripted.ts'

type Simulator = ReturnType<typeof simulator>
const families = [
  { name: 'chat', path: '/v1/chat/completions', body: asking('Hi') },
  { name: 'messages', path: '/v1/messages', body: request('Hi') },
] as const
const pace = { firstEventAfter: 100, eventInterval: 10 }
const manual = { clock: 'manual' } as const

const init = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { ...ofMessages, authorization: 'Bearer sk-test', 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const call = (sim: Simulator, path: string, body: unknown) =>
  sim.fetch(`http://gateway.test${path}`, init(body))

/** The virtual milliseconds at which each event of a stream comes: the clock is moved step by step. */
async function timestamps(
  sim: Simulator,
  path: string,
  body: object,
): Promise<{ at: number; frame: string }[]> {
  const response = await call(sim, path, { ...body, stream: true })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  const start = sim.clock.now()
  const got: { at: number; frame: string }[] = []
  for (;;) {
    const next = reader.read()
    let come = false
    void next.then(
      () => (come = true),
      () => (come = true),
    )
    for (let turn = 0; turn < 5 && !come; turn++) await new Promise((resolve) => setImmediate(resolve))
    if (!come) sim.clock.advance({ to: 'next' })
    const { done, value } = await next
    if (done) return got
    for (const frame of decoder.decode(value).split('\n\n'))
      if (frame !== '') got.push({ at: sim.clock.now() - start, frame })
  }
}

for (const { name, path, body } of families) {
  describe(`${name}: a script`, () => {
    it('waits at its position, in addition to the pace', async () => {
      const events = await timestamps(
        scripted([{ text: ['One'] }, { wait: 3000 }, { text: [' two', ' three'] }], pace, manual),
        path,
        body,
      )
      const at = (word: string) => events.find(({ frame }) => frame.includes(`"${word}"`))?.at
      const first = at('One') as number
      expect([first, at(' two'), at(' three')]).toEqual([110, first + 3010, first + 3020])
    })

    it('waits before it starts', async () => {
      const [begin] = await timestamps(scripted([{ wait: 5000 }, { text: ['Hi'] }], pace, manual), path, body)
      expect(begin?.at).toBe(5100)
    })

    it('becomes the text of a plain body after all its waits, without raw frames or stream faults', async () => {
      const sim = scripted(
        [
          { wait: 1000 },
          { text: ['One'] },
          { wait: '500ms' },
          { raw: ': nothing\n\n' },
          { fault: 'disconnect' },
        ],
        pace,
        manual,
      )
      await sim.preload()
      const {
        body: said,
        delay,
        wire,
      } = sim.handle({
        method: 'POST',
        path,
        query: '',
        headers: { ...ofMessages, authorization: 'Bearer sk-test' },
        payload: { kind: 'json', value: body, text: JSON.stringify(body) },
      } as never)
      expect(said.kind === 'json' && JSON.stringify(said.value)).toContain('"One"')
      expect([delay, wire]).toEqual([1500, undefined])
    })

    it('sends raw frames unchanged, at their position', async () => {
      const frames = ['event: odd\r\ndata: {broken\r\n\r\n', ': keep-alive\n\n']
      const text = await (
        await call(
          scripted([
            { raw: frames[0] as string },
            { text: ['One'] },
            { raw: frames[1] as string },
            { text: [' two'] },
          ]),
          path,
          { ...body, stream: true },
        )
      ).text()
      expect(text.startsWith(frames[0] as string)).toBe(true)
      expect(text.indexOf('"One"')).toBeLessThan(text.indexOf(': keep-alive\n\n'))
      expect(text.indexOf(': keep-alive\n\n')).toBeLessThan(text.indexOf('" two"'))
      expect(text).not.toContain('"raw"')
    })

    it('waits before a fault too', async () => {
      const sim = scripted([{ text: ['One'] }, { wait: 3000 }, { fault: 'disconnect' }], pace, manual)
      const response = await call(sim, path, { ...body, stream: true })
      const broken = response.text().then(
        () => undefined,
        (error: unknown) => error,
      )
      sim.clock.advance(3000)
      expect(sim.journal()[0]?.ended).toBe('open')
      sim.clock.advance(200)
      expect(await broken).toBeInstanceOf(Error)
      // The role or the beginnings, and the one chunk; the wait is no event.
      expect(sim.journal()[0]).toMatchObject({
        ended: 'disconnected',
        response: { eventCount: name === 'chat' ? 2 : 4 },
      })
    })

    it('ends and then breaks if its fault follows its finish', async () => {
      const sim = scripted([
        { text: ['One'] },
        { finish: 'length' },
        { fault: { kind: 'disconnect', how: 'end' } },
      ])
      const text = await (await call(sim, path, { ...body, stream: true })).text()
      expect(text).toMatch(/"(?:length|max_tokens)"/)
      expect(text).not.toMatch(/\[DONE\]|message_stop/)
    })
  })
}

describeIntegrations('a fault in a script', (integration) => {
  it.each(families)(
    'breaks the stream of $name after its content, inside a tool call',
    async ({ path, body }) => {
      const { fetch, url } = await integration.open(
        scripted([
          { text: ['Let me look.'] },
          { toolCall: { name: 'get_weather', arguments: ['{"city":', '"Pa'] } },
          { fault: 'disconnect' },
        ]),
      )
      const response = await fetch(`${url}${path}`, init({ ...body, stream: true }))
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      const decoder = new TextDecoder()
      let text = ''
      const broken = (async () => {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return 'ended'
          text += decoder.decode(value, { stream: true })
        }
      })().catch((error: unknown) => error)
      expect(await broken).toBeInstanceOf(Error)
      // What was on its way when the socket broke may be lost, and nothing else is said.
      expect(text).not.toMatch(/finish_reason":"|stop_reason":"|\[DONE\]|message_stop/)
    },
  )
})

describe('positions of faults', () => {
  const events = ['a', 'b', 'c', 'd'].map((data) => ({ after: 0, data }))
  const response: PlainResponse = { status: 200, headers: {}, body: { kind: 'events', events } }
  const apply = (...faults: Parameters<typeof applyFaults>[1]) =>
    applyFaults(response, faults, randomFrom('places'), () => ({ data: 'error' }))

  const cutIn = ({ body, wire = [] }: PlainResponse): number | undefined => {
    const list = body.kind === 'events' ? body.events : []
    const chunks = list.map(({ data }) => ({
      after: 0,
      content: new TextEncoder().encode(data),
      events: 1,
      apart: false,
    }))
    return wire.map((fault) => fault.cut?.(chunks)?.at)[0]
  }

  it('are those in the script, whatever the option is', () => {
    const options = { afterEvents: 1, how: 'reset' }
    expect(cutIn(apply({ kind: 'disconnect', options }))).toBe(1)
    expect(cutIn(apply({ kind: 'disconnect', options, eventsBefore: 3 }))).toBe(3)
  })

  it('are kept when an earlier fault has removed events', () => {
    const response = apply(
      { kind: 'error-event', eventsBefore: 2, options: { type: 'api_error', message: 'x' } },
      { kind: 'stall', eventsBefore: 4, options: {} },
    )
    expect(response.body).toMatchObject({ events: [{ data: 'a' }, { data: 'b' }, { data: 'error' }] })
    // Beyond the end: it never happens.
    expect(response.wire).toHaveLength(1)
    expect(cutIn(response)).toBeUndefined()
  })
})
