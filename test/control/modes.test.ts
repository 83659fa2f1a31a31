/** What `auto`, `manual` and `real` have in common: addresses that expire, and responses that never come. */
import { describe, expect, it } from 'vitest'
import { bodyOf, get, post, simulator } from '../_setup.ts'

const minute = 60_000

/** A simulator of a mode whose wall clock the test moves. `pass` lets time go by as it does in that mode. */
function make(clock: 'auto' | 'manual' | 'real') {
  let wall = 0
  const sim = simulator({
    clock,
    start: '2026-01-01T00:00:00Z',
    wallClock: () => wall,
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
