/** How many sessions there may be, what a new one costs. */
import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { bodyOf, get, simulator } from '../_setup.ts'

const names = (sim: Simulator): string[] => sim.core.sessions.all().map(({ sandbox }) => sandbox.name)
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

it('GET /__sim/sessions lists them in the order of creation, which use does not change', async () => {
  const sim = simulator()
  for (const name of ['a', 'b', 'c']) sim.core.sessions.get(name)
  sim.core.sessions.get('a')
  const { sessions } = await bodyOf(get(sim, '/s/a/__sim/sessions'))
  expect((sessions as readonly { name: string }[]).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
})
