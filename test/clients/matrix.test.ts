/** What every client must survive: answers, streams, tools, shapes, rejections, retries, aborts, broken streams. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { simulator } from '../_setup.ts'
import { type Call, type Client, clients } from './_clients.ts'
import {
  clientIntegrations,
  inProcess,
  mswIntegration,
  rejectedAlike,
  rejectionOf,
  until,
} from './_integrations.ts'

/** What differs between the two APIs. */
const apis = {
  chat: {
    model: 'gpt-4o',
    rejected: rejectedAlike(503, 'The model `no-such-model` does not exist or you do not have access to it.'),
    cut: 'sim-disconnect-after-3',
    failing: 'sim-error-after-2',
  },
  messages: {
    model: 'claude-3-5-haiku-20241022',
    rejected: rejectedAlike(529, 'model: no-such-model'),
    cut: 'sim-disconnect-after-5',
    failing: 'sim-error-after-4',
  },
} as const
const pace = { firstEventAfter: '200ms', eventInterval: '50ms' } as const

/** What the client report finds; hints are about parameters that an SDK chooses. */
const complaints = (sim: Simulator) =>
  sim.clientReport().findings.filter(({ severity }) => severity !== 'hint')

/** The texts of a stream to its end, and how it ended. */
async function readToEnd(stream: AsyncIterable<string>, look?: () => void) {
  const texts: string[] = []
  try {
    for await (const text of stream) {
      texts.push(text)
      look?.()
    }
  } catch (error) {
    return { texts, text: texts.join(''), error }
  }
  return { texts, text: texts.join(''), error: undefined }
}

const cells = [...clientIntegrations, mswIntegration].flatMap((integration) =>
  clients.map((client) => ({ name: `${client.name}, through ${integration.name}`, integration, client })),
)

describe.each(cells)('$name', ({ integration, client }) => {
  const { model, rejected, cut, failing } = apis[client.api]
  const calling = async (sim: Simulator = simulator({ clock: 'auto' })): Promise<Call> => ({
    ...(await integration.open(sim)),
    model,
  })

  it('gets a text, and the same one as a stream', async () => {
    const sim = simulator({ clock: 'auto' })
    const call = await calling(sim)
    expect(await client.text(call, 'Say "hello there"')).toBe('hello there')
    const { texts, text, error } = await readToEnd(client.stream(call, 'Tell me about foxes'))
    expect([text, error]).toEqual([await client.text(call, 'Tell me about foxes'), undefined])
    expect(texts.length).toBeGreaterThan(20)
    expect(sim.journal().map(({ ended, response }) => [response?.status, ended])).toEqual(
      Array(3).fill([200, 'completed']),
    )
    expect(complaints(sim)).toEqual([])
  })

  it('keeps the text that came before a stream was cut or failed, and misses no end', async () => {
    const sim = simulator({ clock: 'auto' })
    const call = await calling(sim)
    const read = (id: string) => readToEnd(client.stream({ ...call, model: id }, 'Say "one two three"'))
    expect(await read(cut)).toMatchObject({ text: 'one two', error: expect.any(Error) })
    expect(sim.journal()[0]).toMatchObject({ response: { status: 200 }, ended: 'disconnected' })
    const failed = await read(failing)
    expect(failed.text).toBe('one')
    expect(JSON.stringify([failed.error, String(failed.error)])).toContain(
      'The server had an error while streaming (reserved value error-after).',
    )
    expect((await read('sim-missing-end')).text).toBe('one two three')
  })

  it.each(rejected)('$status: $by throws $thrown, plain and streamed', async (by) => {
    const { key, model: id = model, thrown, status, type, message, param = null } = by
    const sim = simulator({ clock: 'auto' })
    const call = {
      ...(await calling(sim)),
      model: id,
      ...(key === undefined ? {} : { apiKey: key }),
    }
    const plain = await rejectionOf(client.text(call, 'Hi'))
    const { text, error: streamed } = await readToEnd(client.stream(call, 'Hi'))
    expect(text).toBe('')
    for (const [at, error] of [plain, streamed].entries()) {
      expect(client.isA(error, thrown)).toBe(true)
      expect(client.held(error)).toMatchObject({
        status,
        type,
        code: status,
        message: expect.stringContaining(message),
        param,
        details: expect.any(Array),
        trace_id: expect.stringMatching(/^trc_[0-9a-f]{32}$/),
        requestId: sim.journal()[at]?.cause.requestId,
      })
    }
    expect(sim.journal()).toHaveLength(2)
  })

  it('leaves a stream between two events, and it ends on both sides', async () => {
    const sim = simulator({ clock: 'manual', settings: { chat: pace, messages: pace } })
    const leave = new AbortController()
    const stream = client.stream({ ...(await calling(sim)), signal: leave.signal }, 'Say "one two three"')
    const reading = readToEnd(stream, () => leave.abort())
    await until(() => sim.journal().length === 1)
    await sim.settled()
    sim.clock.advance(299)
    expect((await reading).text).toBe('one')
    await until(() => sim.journal()[0]?.ended !== 'open')
    expect(sim.journal()[0]).toMatchObject({ ended: 'aborted' })
    expect(sim.clock.advance('1h')).toMatchObject({ events: 0, next: null })
  })

  it('fails in the middle of a stream when the simulator is reset', async () => {
    const sim = simulator({ clock: 'manual', settings: { chat: pace, messages: pace } })
    let arrived = 0
    const reading = readToEnd(client.stream(await calling(sim), 'Say "one two three"'), () => arrived++)
    await until(() => sim.journal().length === 1)
    await sim.settled()
    sim.clock.advance(299)
    await until(() => arrived > 0)
    sim.resetAll()
    expect(await reading).toMatchObject({ text: 'one', error: expect.anything() })
  })
})

/** A call over HTTP. */
const callOf = async (client: Client, sim: Simulator = simulator({ clock: 'auto' })): Promise<Call> => ({
  ...(await (clientIntegrations[0] ?? inProcess).open(sim)),
  model: apis[client.api].model,
})

describe.each(clients.filter(({ tools }) => tools !== undefined))('$name', (client) => {
  it('calls tools', async () => {
    const sim = simulator({ clock: 'auto' })
    expect(
      await client.tools?.(await callOf(client, sim), 'What is the weather in Paris and London?'),
    ).toEqual([
      ['get_weather', { city: 'Paris' }],
      ['get_weather', { city: 'London' }],
    ])
    expect(complaints(sim)).toEqual([])
  })

  it('gets an answer in the shape that it asks for', async () => {
    const sim = simulator({ clock: 'auto' })
    const call = await callOf(client, sim)
    const answer = await client.object?.(call, 'My name is Ada Lovelace, I am 36 years old.')
    expect(answer).toEqual({ name: 'Ada Lovelace', age: 36 })
    expect(complaints(sim)).toEqual([])
  })
})

describe.each(clients)('$name', (client) => {
  it.each(['keep-alive', 'split', 'join', 'dribble', 'line-ends', 'multi-line-data', 'bom'])(
    'reads a stream with the fault %s as any other, and loses no character',
    async (fault) => {
      const sim = simulator({ clock: 'auto' })
      sim.overrides.add({ fault } as never)
      const { text, error } = await readToEnd(client.stream(await callOf(client, sim), 'Say "fine 🦊 runs"'))
      expect([text, error]).toEqual(['fine 🦊 runs', undefined])
      expect(sim.journal()[0]?.cause.faults).toEqual([fault])
    },
  )
})

/** What clients do by themselves when they are rejected, on a clock of the test. */
describe.each(clients.filter(({ naps }) => naps !== undefined))('$name retries', (client) => {
  /** A call whose naps are let go by the test, and the retry counts that the client sends. */
  async function begin(model: string, maxRetries: number) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sim = simulator({ clock: 'auto' })
    await sim.preload()
    const sent: (string | null)[] = []
    const fetch = ((url: string, init?: RequestInit) => {
      sent.push(new Headers(init?.headers).get('x-stainless-retry-count'))
      return sim.fetch(url, init)
    }) as typeof globalThis.fetch
    const answer = client.text({ url: 'http://gateway.test', fetch, model, maxRetries }, 'Say "done"')
    answer.catch(() => undefined)
    return { answer, sent, statuses: () => sim.journal().map(({ response }) => response?.status) }
  }

  it('as long after a 429 as retry-after-ms says', async () => {
    const { answer, sent, statuses } = await begin('sim-rate-limit-once', 2)
    await vi.advanceTimersByTimeAsync(999)
    expect(statuses()).toEqual([429])
    // The naps of LangChain are one to two seconds, by its own chance.
    await vi.advanceTimersByTimeAsync(client.naps === 'exact' ? 1 : 1001)
    expect(await answer).toBe('done')
    expect(statuses()).toEqual([429, 200])
    if (client.counts) expect(sent).toEqual(['0', '1'])
  })

  it('after a 500, and gets the answer', async () => {
    const { answer, statuses } = await begin('sim-server-error-once', 1)
    await vi.advanceTimersByTimeAsync(5000)
    expect(await answer).toBe('done')
    expect(statuses()).toEqual([500, 200])
  })

  it('maxRetries times, and gives up with the last rejection', async () => {
    const { answer, sent, statuses } = await begin('sim-server-error', 1)
    await vi.advanceTimersByTimeAsync(5000)
    const error = await rejectionOf(answer)
    const last = (error as { readonly lastError?: unknown }).lastError ?? error
    expect(client.held(last)).toMatchObject({ status: 500 })
    expect(statuses()).toEqual([500, 500])
    if (client.counts) expect(sent).toEqual(['0', '1'])
  })
})
