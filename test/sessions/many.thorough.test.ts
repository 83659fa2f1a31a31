/** Fifty thousand sessions that calls name by header: what one costs does not grow with their number. */
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'

const cpu = (act: () => void): number => {
  const from = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(from)
  return user + system
}

it.each([
  ['kept', 200_000],
  ['dropped for each new one', 1000],
])(
  'cost the same each, %s',
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
    const perCall = (from: number, to: number): number =>
      cpu(() => {
        for (let name = from; name < to; name++) call(name)
      }) /
      (to - from)
    perCall(0, 5000)
    const first = perCall(5000, 10_000)
    perCall(10_000, 25_000)
    const later = perCall(25_000, 50_000)
    expect(later).toBeLessThan(3 * first)
    // The last ones are kept and answer as fast as any.
    expect(perCall(49_500, 50_000)).toBeLessThan(3 * first)
    expect(sim.core.sessions.count).toBe(Math.min(50_000, sessions))
    await sim.close()
  },
  120_000,
)
