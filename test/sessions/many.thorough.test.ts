/** 18,000 sessions that calls name by header: what one costs does not grow with their number. */
import { expect, it } from 'vitest'
import { countBlocks } from '../_work.ts'

const blocksRun = await countBlocks()
const { createSimulator } = await import('../../src/index.ts')

it.each([
  ['kept', 200_000],
  ['evicted for each new one', 1000],
])(
  'sessions cost the same each, %s',
  async (_, sessions) => {
    const sim = createSimulator({ settings: { memory: { sessions } }, onWarning: () => undefined })
    await sim.preload()
    const call = (name: number): void => {
      const { status } = sim.handle({
        method: 'GET',
        path: '/v1/models',
        query: '',
        headers: { authorization: 'Bearer sk-test', 'x-sim-session': `s${name}` },
        payload: { kind: 'none' },
      })
      if (status !== 200) throw new Error(`session ${name}: ${status}`)
    }
    const perCall = async (from: number, to: number): Promise<number> => {
      const blocks = await blocksRun(() => {
        for (let name = from; name < to; name++) call(name)
      })
      return blocks / (to - from)
    }
    const first = await perCall(2000, 4000)
    await perCall(4000, 19_500)
    // The last ones are kept and answer as fast as any.
    expect(await perCall(19_500, 20_000)).toBeLessThan(1.1 * first)
    expect(sim.core.sessions.count).toBe(Math.min(18_000, sessions))
    await sim.close()
  },
  120_000,
)
