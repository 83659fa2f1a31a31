/** Rules that are switched off and on, and the reserved values that programs can list. */
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '../../src/client.ts'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { listen, type SimulatorServer } from '../../src/node.ts'
import { jsonCall } from '../_setup.ts'

let server: SimulatorServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const rules = [
  { id: 'second', when: { operation: 'chat.create', nth: 2 }, then: { error: { status: 429 } } },
  { id: 'busy', when: { operation: 'chat.create' }, then: { error: { status: 503 } } },
] as const
const doors: readonly [
  string,
  (sim: Simulator) => Promise<typeof globalThis.fetch> | typeof globalThis.fetch,
][] = [
  ['in-process', (sim) => sim.fetch as typeof globalThis.fetch],
  [
    'over HTTP',
    async (sim) => {
      server = await listen(sim)
      const { url } = server
      return (path, init) => fetch(String(path).replace('http://gateway.sim', url), init)
    },
  ],
]

for (const [door, open] of doors)
  describe(`a rule that is switched off ${door}`, () => {
    const start = async () => {
      const sim = createSimulator({ clock: 'manual', scenarios: [{ title: 'Busy', rules }] } as never)
      const send = await open(sim)
      const chat = async (): Promise<number> => {
        const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
        const response = await send('http://gateway.sim/v1/chat/completions', {
          ...jsonCall(body),
          headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        })
        await response.text()
        return response.status
      }
      return { sim, chat, client: connect('http://gateway.sim', { fetch: send }) }
    }

    it('neither answers nor counts, until it is switched on', async () => {
      const { chat, client } = await start()
      expect(await client.scenarios.changeRule('busy', { enabled: false })).toEqual({
        ...{ id: 'busy', matched: 0, answered: 0, enabled: false },
      })
      await client.scenarios.changeRule('second', { enabled: false })
      expect([await chat(), await chat()]).toEqual([200, 200])
      await client.scenarios.changeRule('second', { enabled: true })
      await client.scenarios.changeRule('busy', { enabled: true })
      expect([await chat(), await chat(), await chat()]).toEqual([503, 429, 503])
      expect((await client.scenarios.list())[0]?.rules).toMatchObject([
        { id: 'second', answered: 1, enabled: true },
        { id: 'busy', answered: 2, enabled: true },
      ])
    })

    it('is named by the explanation of a request that it would have answered', async () => {
      const { chat, client } = await start()
      await client.scenarios.changeRule('busy', { enabled: false })
      await chat()
      const { rules: considered } = await client.explainRequest(0)
      expect(considered.find(({ rule }) => rule === 'busy')).toMatchObject({
        outcome: 'off',
        sentence: 'rule busy: it matches, but it is switched off.',
      })
    })

    it('is on again after a reset', async () => {
      const { chat, client } = await start()
      await client.scenarios.changeRule('busy', { enabled: false })
      await client.reset()
      expect(await chat()).toBe(503)
    })

    it('is on in other sessions', async () => {
      const { sim, client } = await start()
      await client.scenarios.changeRule('busy', { enabled: false })
      expect(sim.createSession({ name: 'other' }).scenarios.list()[0]?.rules[1]?.enabled).toBe(true)
    })

    it('comes back switched on with a scenario that is added again', async () => {
      const { client } = await start()
      const added = { name: 'mine', title: 'Mine', rules: [{ id: 'mine', then: { text: 'Hi.' } }] }
      await client.scenarios.add({
        name: 'mine',
        text: JSON.stringify({ title: 'Mine', rules: added.rules }),
      })
      await client.scenarios.changeRule('mine', { enabled: false })
      await client.scenarios.remove('mine')
      const { rules: again } = await client.scenarios.add({
        ...{ name: 'mine', text: JSON.stringify({ title: 'Mine', rules: added.rules }) },
      })
      expect(again).toMatchObject([{ id: 'mine', enabled: true }])
    })

    it('must exist', async () => {
      const { client } = await start()
      await expect(client.scenarios.changeRule('buzy', { enabled: false })).rejects.toThrow(
        'There is no rule "buzy" in the session "default": did you mean busy?',
      )
    })
  })
