/**
 * Which rules have answered in a run, over all sessions: those of the simulator, of sessions, and of sessions
 * that are gone.
 */
import { describe, expect, it } from 'vitest'
import { followRules } from '../../src/cli/exec/follow-sessions.ts'
import type { ScenarioInput } from '../../src/index.ts'
import { post, simulator } from '../_setup.ts'

type Sim = ReturnType<typeof simulator>

const scenario = (title: string, ...ids: readonly string[]) => ({
  text: JSON.stringify({
    title,
    rules: ids.map((id) => ({ id, when: { operation: 'chat.create', model: id }, then: { text: id } })),
  }),
})
/** Asks a model, and so the rule of that name. */
const ask = async (sim: Sim, model: string, session: string): Promise<void> => {
  expect(
    (
      await post(sim, `/s/${session}/v1/chat/completions`, {
        model,
        messages: [{ role: 'user', content: 'x' }],
      })
    ).status,
  ).toBe(200)
}

describe('the rules of a run', () => {
  it('are used if they responded in at least one session', async () => {
    const sim = simulator({
      scenarios: [JSON.parse(scenario('of all', 'one', 'two', 'three').text) as ScenarioInput],
    })
    const count = followRules(sim.core)
    expect(count()).toEqual({ count: 3, unused: ['one', 'two', 'three'] })
    await ask(sim, 'two', 'b')
    for (const session of ['a', 'c']) await ask(sim, 'nothing', session)
    expect(count()).toEqual({ count: 3, unused: ['one', 'three'] })
    await ask(sim, 'one', 'c')
    // Asked again, what was used stays so.
    expect([count(), count()].map(({ unused }) => unused)).toEqual([['three'], ['three']])
  })

  it('are identified by scenario title: the same rule in several sessions is one, the same id under another title is another', async () => {
    const sim = simulator()
    const count = followRules(sim.core)
    for (const name of ['a', 'b']) sim.createSession({ name, scenarios: [scenario('A', 'one', 'two')] })
    sim.createSession({ name: 'c', scenarios: [scenario('C', 'one')] })
    await ask(sim, 'one', 'b')
    expect(count()).toEqual({
      count: 3,
      unused: ['two (of "A", in several sessions)', 'one (of "C", in session c)'],
    })
  })

  it('are separated by scenario if a session has several', async () => {
    const sim = simulator()
    const count = followRules(sim.core)
    const session = sim.createSession({
      name: 'a',
      scenarios: [scenario('A', 'one', 'two'), scenario('B', 'three')],
    })
    await ask(sim, 'three', 'a')
    expect(count()).toEqual({
      count: 3,
      unused: ['one (of "A", in session a)', 'two (of "A", in session a)'],
    })
    session.dispose()
    expect(count()).toEqual({
      count: 3,
      unused: ['one (of "A", in session a)', 'two (of "A", in session a)'],
    })
  })
})
