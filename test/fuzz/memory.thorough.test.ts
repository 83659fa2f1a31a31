/** What calls that nobody should send leave behind. */
import { readdirSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { simulator } from '../_setup.ts'
import { commandsOf, runCommands } from './_model.ts'
import { seedsOf } from './_seeds.ts'
import { overHttp } from './_targets.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

it('the same calls again and again leave neither memory nor descriptors behind', async () => {
  const lists = fc.sample(commandsOf(await seedsOf(simulator())), { numRuns: 3, seed: inject('seed') })
  const round = async (): Promise<{ heap: number; descriptors: number }> => {
    for (const list of lists) await runCommands(list, [await overHttp()])
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    return { heap: process.memoryUsage().heapUsed, descriptors: readdirSync('/proc/self/fd').length }
  }
  for (let warmUp = 0; warmUp < 2; warmUp++) await round()
  const before = await round()
  for (let more = 0; more < 6; more++) await round()
  const after = await round()
  expect(after.heap - before.heap).toBeLessThan(8 * 2 ** 20)
  expect(after.descriptors - before.descriptors).toBeLessThan(10)
})
