/**
 * What `auto`, `manual` and `real` do: for polls, streams, limits, addresses that expire,
 * and responses that never come.
 */
import { describe, expect, it } from 'vitest'
import { bodyOf, get, post, simulator } from '../_setup.ts'

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Say "one two"' }] }
const minute = 60_000

/** A simulator of a mode whose wall clock the test moves. `pass` lets time go by as it does in that mode. */
function make(clock: 'auto' | 'manual' | 'real') {
  let wall = 0
  const sim = simulator({
    clock,
    start: '2026-01-01T00:00:00Z',
    wallClock: () => wall,
    settings: {
      limits: { requestsPerMinute: 3 },
      chat: { firstEventAfter: '1s', eventInterval: '1s' },
    },
  })
  sim.clock.now()
  const pass = (ms: number): void => {
    if (clock === 'real') wall += ms
    else sim.clock.advance(ms)
  }
  return { sim, pass }
}
const other = (key: string) => ({ authorization: `Bearer ${key}` })

describe.each(['auto', 'manual', 'real'] as const)('a %s clock', (mode) => {
  it(
    mode === 'auto'
      ? 'lets each poll that would see nothing new move its own job on'
      : 'shows a poll what time has brought, and nothing else',
    async () => {
      const { sim, pass } = make(mode)
      const { id } = await bodyOf(
        post(sim, '/v1/videos', { model: 'sora-2', prompt: 'a sunset' }, other('sk-submits')),
      )
      const statusOf = async (poll: number) =>
        (await bodyOf(get(sim, `/v1/videos/${id}`, other('sk-submits')))).status ?? `rejected ${poll}`
      const first = [await statusOf(1), await statusOf(2)]
      expect(first).toEqual(mode === 'auto' ? ['pending', 'in_progress'] : ['pending', 'pending'])
      pass(10 * minute)
      expect(await statusOf(3)).toBe('completed')
    },
  )

  it(
    mode === 'auto'
      ? 'lets a stream come at once'
      : 'lets the events of a stream come when their time has come',
    async () => {
      const { sim } = make(mode)
      const response = await post(sim, '/v1/chat/completions', { ...chat, stream: true })
      const waiting = sim.clock.state().pending
      expect(waiting).toBe(mode === 'auto' ? 0 : 1)
      if (mode !== 'auto') {
        expect(sim.clock.advance('1s').events).toBe(1)
        expect(sim.journal()[0]).toMatchObject({ ended: 'open', response: { eventCount: 1 } })
        sim.clock.advance('1m')
      }
      expect(await response.text()).toContain('[DONE]')
    },
  )

  it(
    mode === 'auto'
      ? 'lets the wait that a limit names pass before the next try'
      : 'holds a limit until its minute is over',
    async () => {
      const { sim, pass } = make(mode)
      const ask = async () => (await get(sim, '/v1/models')).status
      expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429])
      if (mode === 'auto') expect(await ask()).toBe(200)
      else {
        expect(await ask()).toBe(429)
        pass(minute)
        expect(await ask()).toBe(200)
      }
    },
  )

  it('expires a URL at its time, and never by polls', async () => {
    const { sim, pass } = make(mode)
    const { data } = await bodyOf(
      post(sim, '/v1/images/generations', {
        model: 'dall-e-3',
        prompt: 'a fox',
        response_format: 'url',
      }),
    )
    const read = async () => (await sim.fetch(data[0]?.url as string)).status
    expect([await read(), await read(), await read()]).toEqual([200, 200, 200])
    pass(59 * minute)
    expect(await read()).toBe(200)
    pass(2 * minute)
    expect(await read()).toBe(403)
  })

  it('never ends a request that hangs: only the client does', async () => {
    const { sim, pass } = make(mode)
    sim.overrides.add({ fault: 'hang', times: 1 })
    const leave = new AbortController()
    let over = false
    const hanging = sim
      .fetch('http://gateway.test/v1/models', { headers: other('sk-hangs'), signal: leave.signal })
      .finally(() => (over = true))
    await sim.settled()
    pass(60 * minute)
    sim.clock.advance('1h')
    await get(sim, '/v1/models')
    expect(over).toBe(false)
    leave.abort(new Error('the client has waited long enough'))
    await expect(hanging).rejects.toThrow('the client has waited long enough')
    expect(sim.journal()[0]).toMatchObject({ ended: 'aborted' })
  })
})
