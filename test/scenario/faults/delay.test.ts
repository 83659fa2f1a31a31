/** Delays: responses that wait on the session's clock before their first byte. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '../../_eventually.ts'
import { dataOf, describeIntegrations, simulator } from '../../_setup.ts'
import { ask, callRaw, key, question, type Sim, served, whole } from './_wire.ts'

const slow = (options: Parameters<typeof simulator>[0] = {}, then: object = {}): Sim =>
  simulator({
    ...options,
    scenarios: [
      { title: 'slow', rules: [{ when: { operation: 'chat.create' }, then: { delay: '5s', ...then } }] },
    ],
  } as Parameters<typeof simulator>[0])

const taken = (sim: Sim): Promise<void> => eventually(() => expect(sim.journal()).toHaveLength(1))

describeIntegrations('a delayed response', (integration) => {
  const asking = async (
    sim: Sim,
    body: object = question,
  ): Promise<{ asked: Promise<Response>; arrived: () => boolean }> => {
    const { fetch: call, url } = await integration.open(sim)
    let arrived = false
    const asked = call(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: key,
      body: JSON.stringify(body),
    }).then((response) => {
      arrived = true
      return response
    })
    await taken(sim)
    return { asked, arrived: () => arrived }
  }

  it('arrives at its time, not before, and is otherwise unchanged', async () => {
    const sim = slow()
    const { asked, arrived } = await asking(sim)
    await sim.settled()
    sim.clock.advance('4999ms')
    await sim.settled()
    expect({ arrived: arrived(), journal: sim.journal() }).toMatchObject({
      arrived: false,
      journal: [{ ended: 'open', response: { status: 200 } }],
    })
    sim.clock.advance('1ms')
    await sim.settled()
    expect(sim.journal()).toMatchObject([{ ended: 'completed' }])
    expect(await (await asked).json()).toEqual(await (await ask(simulator())).json())
  })

  it('delays a whole stream, before the waits of the stream', async () => {
    const sim = slow({ settings: { chat: { firstEventAfter: '100ms', eventInterval: '10ms' } } })
    const { asked, arrived } = await asking(sim, { ...question, stream: true })
    sim.clock.advance('4999ms')
    expect(arrived()).toBe(false)
    sim.clock.advance('1ms')
    await asked
    expect(sim.journal()).toMatchObject([{ response: { eventCount: 0 } }])
    sim.clock.advance('100ms')
    expect(sim.journal()).toMatchObject([{ response: { eventCount: 1 } }])
    sim.clock.advance('1m')
    expect(dataOf(await (await asked).text()).at(-1)).toBe('[DONE]')
  })

  it('does not wait in `auto`', async () => {
    const sim = slow({ clock: 'auto' })
    const { asked } = await asking(sim)
    expect((await asked).status).toBe(200)
  })

  it('is not sent to a client that has left, and leaves nothing behind', async () => {
    const sim = slow()
    const { fetch: call, url } = await integration.open(sim)
    const leaving = new AbortController()
    const outcome = expect(
      call(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: key,
        body: JSON.stringify(question),
        signal: leaving.signal,
      }),
    ).rejects.toMatchObject({ name: 'AbortError' })
    await taken(sim)
    leaving.abort()
    await outcome
    await eventually(() => expect(sim.journal()).toMatchObject([{ ended: 'aborted' }]))
    const { open, sandbox } = sim.core.sessions.get('default')
    expect({ open: open.size, waiting: sandbox.clock.pending }).toEqual({ open: 0, waiting: 0 })
    sim.clock.advance('1m')
    expect(sim.journal()).toMatchObject([{ ended: 'aborted' }])
  })

  it.each(['resetAll', 'close'] as const)('breaks when the simulator is %s', async (how) => {
    const sim = slow()
    const { fetch: call, url } = await integration.open(sim)
    const outcome = expect(
      call(`${url}/v1/chat/completions`, { method: 'POST', headers: key, body: JSON.stringify(question) }),
    ).rejects.toBeInstanceOf(TypeError)
    await taken(sim)
    const { sandbox } = sim.core.sessions.get('default')
    await sim[how]()
    await outcome
    expect(sandbox.journal.kept()).toMatchObject([{ ended: 'disconnected' }])
    expect(sandbox.clock.pending).toBe(0)
  })
})

describe('a delayed response', () => {
  it('reports in-process that the simulator was closed', async () => {
    const sim = slow()
    const outcome = expect(ask(sim)).rejects.toMatchObject({ cause: { message: 'the simulator was closed' } })
    await taken(sim)
    await sim.close()
    await outcome
  })

  it('does not block the advance over HTTP, and is sent with it', async () => {
    const sim = slow()
    const { port, url } = await served(sim)
    const said = await callRaw(port)
    await taken(sim)
    const advanced = await fetch(`${url}/__sim/clock/advance`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"by":"5s"}',
    })
    expect(await advanced.json()).toMatchObject({ now: '2026-01-01T00:00:05.000Z', events: 1 })
    expect((await whole(said)).status).toBe(200)
  })

  it('lets several requests wait in parallel, each for its own time', async () => {
    const sim = simulator({
      scenarios: [
        {
          title: 'slow',
          rules: [
            { when: { operation: 'chat.create', nth: 1 }, then: { delay: '3s' } },
            { when: { operation: 'chat.create' }, then: { delay: '1s' } },
          ],
        },
      ],
    } as Parameters<typeof simulator>[0])
    const order: string[] = []
    const all = ['first', 'second'].map((name) => ask(sim).then(() => order.push(name)))
    await eventually(() => expect(sim.journal()).toHaveLength(2))
    expect(sim.clock.advance({ to: 'next' })).toMatchObject({ now: '2026-01-01T00:00:01.000Z' })
    await all[1]
    expect(order).toEqual(['second'])
    sim.clock.advance({ to: 'idle' })
    await Promise.all(all)
    expect(order).toEqual(['second', 'first'])
  })

  it('is sent without an advance in real time', async () => {
    const sim = slow({ clock: 'real', speed: 1000 })
    expect((await ask(sim)).status).toBe(200)
    expect(sim.clock.now() - (sim.journal()[0]?.at ?? 0)).toBeGreaterThanOrEqual(5000)
  })

  it('delays a reset too', async () => {
    const sim = slow({}, { fault: 'reset' })
    let over = false
    const outcome = expect(ask(sim).finally(() => (over = true))).rejects.toThrow('fetch failed')
    await taken(sim)
    sim.clock.advance('4999ms')
    await sim.settled()
    expect(over).toBe(false)
    sim.clock.advance('1ms')
    await outcome
  })
})

describe('a client that waits on a clock that is not advanced', () => {
  const waiting = async (then: object): Promise<Sim> => {
    const sim = simulator({
      scenarios: [{ title: 'slow', rules: [{ when: { operation: 'chat.create' }, then }] }],
    } as Parameters<typeof simulator>[0])
    await sim.preload()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    void ask(sim).catch(() => {})
    await sim.settled()
    expect(sim.journal()).toHaveLength(1)
    return sim
  }

  it('causes a warning if its response is delayed', async () => {
    const sim = await waiting({ delay: '5s' })
    vi.advanceTimersByTime(2000)
    expect(sim.warnings).toEqual([
      "a request to /v1/chat/completions is waiting for a frozen clock: advance the clock (sim.clock.advance('1s'), POST /__sim/clock/advance), or use the clock mode auto",
    ])
  })

  it('causes another warning if an advance would not help', async () => {
    const sim = await waiting({ fault: 'hang' })
    vi.advanceTimersByTime(2000)
    expect(sim.warnings).toEqual([
      'a request to /v1/chat/completions is waiting for a response that the fault hang never sends: set a timeout in the client, or end the request (sim.reset, POST /__sim/reset)',
    ])
  })

  it('causes no warning if the clock is advanced', async () => {
    const sim = await waiting({ delay: '5s' })
    sim.clock.advance('1s')
    vi.advanceTimersByTime(10_000)
    expect(sim.warnings).toEqual([])
  })
})
