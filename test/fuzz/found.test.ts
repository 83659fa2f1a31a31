/**
 * What the fuzzer has found once stays mended: each file of `found/` is done again, as small as it was
 * made.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { localBench } from './benches.ts'
import { readKept } from './kept.ts'
import { type Bench, firstDifference, type Ran, runSteps } from './run-steps.ts'
import { overHttp } from './targets.ts'

const folder = join(import.meta.dirname, 'found')

async function served(): Promise<Bench> {
  const sim = createSimulator({ seed: 'fuzz', clock: 'auto', onWarning() {} })
  const { port, close } = await listen(sim)
  onTestFinished(close)
  const target = overHttp(port, () => undefined)
  return {
    ...target,
    // Files are read by commands, which have tests of their own; here they have no process.
    other: () => Promise.resolve({ kind: 'left' }),
    cpu: () => undefined,
    complaint: () => undefined,
  }
}

it.each(readdirSync(folder).filter((name) => name.endsWith('.json')))('%s', async (name) => {
  const { mode, twice, steps } = readKept(join(folder, name))
  const runs: Ran[] = []
  for (let run = 0; run < (twice ? 2 : 1); run++) {
    const bench = mode === 'http' ? await served() : localBench(createSimulator)
    runs.push(await runSteps(runs[0]?.sent ?? steps, bench))
    bench.close()
  }
  const [one, other] = runs
  // How long it took is for a machine of its own to say; what hangs does not come to its end here.
  expect(one?.finds.filter(({ what }) => what !== 'slow')).toEqual([])
  if (one !== undefined && other !== undefined) expect(firstDifference(one, other)).toBeUndefined()
})

it('two runs are compared until a client leaves in one of them; after it left in both, except journals', () => {
  const response = (body: string) =>
    ({ kind: 'responses', responses: [{ status: 200, headers: {}, body }] }) as const
  const left = { kind: 'left' } as const
  const ran = (operation: string, ...outcomes: Ran['outcomes']): Ran => {
    const step = { kind: 'call', operation, method: 'GET', path: '/', headers: {} } as const
    return { finds: [], sent: outcomes.map(() => step), outcomes }
  }
  const difference = (operation: string, first: Ran['outcomes'][number]) =>
    firstDifference(ran(operation, left, response('open')), ran(operation, first, response('aborted')))
  expect(difference('models.list', response(''))).toBeUndefined()
  expect(difference('models.list', left)).toMatchObject({ at: 1 })
  expect(difference('sim.journal', left)).toBeUndefined()
})
