/** How many sessions there may be, what a new one costs, and when one is given up that nobody calls. */
import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { bodyOf, get, simulator } from '../_setup.ts'

const names = (sim: Simulator): string[] => sim.core.sessions.all().map(({ sandbox }) => sandbox.name)
interface Page {
  readonly total: number
  readonly more: number
  readonly sessions: readonly { readonly name: string }[]
}
const page = async (sim: Simulator, query = ''): Promise<Page> =>
  await bodyOf(get(sim, `/__sim/sessions${query}`))

describe('over the limit', () => {
  it('the least recently used session is evicted, however it was used, but never the default one', () => {
    const sim = simulator({ settings: { memory: { sessions: 3 } } })
    const { sessions } = sim.core
    for (const name of ['default', 'a', 'b']) sessions.get(name)
    sessions.get('a')
    sessions.get('c')
    expect(names(sim)).toEqual(['default', 'a', 'c'])
  })

  it('sessions with an open stream stay; afterwards they are as recent as those used meanwhile', () => {
    const sim = simulator({ settings: { memory: { sessions: 2 } } })
    const { sessions } = sim.core
    const close = (): void => undefined
    sessions.get('open').open.add(close)
    for (const name of ['a', 'b', 'c']) sessions.get(name)
    expect(names(sim)).toEqual(['open', 'c'])
    sessions.find('open')?.open.delete(close)
    for (const name of ['d', 'e']) sessions.get(name)
    expect(names(sim)).toEqual(['d', 'e'])
  })

  it('all of which are pinned, there is one more', () => {
    const sim = simulator({ settings: { memory: { sessions: 2 } } })
    const { sessions } = sim.core
    for (const name of ['a', 'b']) sessions.get(name).open.add(() => undefined)
    sessions.get('c')
    sessions.get('d')
    expect(names(sim)).toEqual(['a', 'b', 'd'])
  })
})

describe('a session with a ttl', () => {
  it('is evicted without another request, when sessions are created, counted or listed', () => {
    let now = 0
    const sim = simulator({ wallClock: () => now })
    for (const [name, ttl] of [
      ['short', '1s'],
      ['long', '10s'],
    ] as const)
      sim.createSession({ name, ttl })
    now = 5000
    expect([sim.core.sessions.count, names(sim)]).toEqual([1, ['long']])
    now = 9000
    sim.core.sessions.get('long')
    now = 15_000
    expect(names(sim)).toEqual(['long'])
    now = 20_000
    expect(sim.core.sessions.count).toBe(0)
  })
})

describe('GET /__sim/sessions', () => {
  it('returns pages in the order of creation, which use does not change', async () => {
    const sim = simulator()
    for (const name of ['a', 'b', 'c', 'd']) sim.core.sessions.get(name)
    const first = await page(sim, '?limit=2')
    sim.core.sessions.get('a')
    const second = await page(sim, '?limit=2&cursor=b')
    const names = ({ sessions }: Page): string[] => sessions.map(({ name }) => name)
    expect([names(first), first.more, names(second), second.more]).toEqual([['a', 'b'], 3, ['c', 'd'], 1])
    expect(second.total).toBe(5)
    expect(names(await page(sim, '?cursor=d'))).toEqual(['default'])
  })

  it('rejects an impossible name and an invalid limit', async () => {
    const sim = simulator()
    expect((await get(sim, '/__sim/sessions?cursor=nobody')).status).toBe(404)
    expect((await get(sim, '/__sim/sessions?limit=0')).status).toBe(400)
  })
})
