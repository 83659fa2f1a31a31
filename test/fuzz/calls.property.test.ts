/**
 * Calls that nobody should send, one after the other, each made from a valid one: none crashes or stops the
 * simulator, every response is planned, and two simulators with one seed answer with the same bytes.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { it } from 'vitest'
import { count, timeout } from '../_counts.ts'
import { simulator } from '../_setup.ts'
import type { Call } from './_calls.ts'
import { type Commands, commandsOf, runCommands, Send } from './_model.ts'
import { seedsOf } from './_seeds.ts'
import { inProcess, overHttp } from './_targets.ts'

/** What was found once, as small as it was made. */
const found = (
  JSON.parse(readFileSync(join(import.meta.dirname, 'found.json'), 'utf8')) as { readonly calls: Call[] }[]
).map((one): [Commands] => [one.calls.map((call) => new Send(call))])

const commands = commandsOf(await seedsOf(simulator()))

it('calls are survived in process, and two simulators answer alike', { timeout }, async () => {
  const property = fc.asyncProperty(commands, (list) => runCommands(list, [inProcess(), inProcess()]))
  await fc.assert(property, { numRuns: found.length + count(120), examples: found })
})

it('calls are survived over HTTP', { timeout }, async () => {
  const property = fc.asyncProperty(commands, async (list) => runCommands(list, [await overHttp()]))
  await fc.assert(property, { numRuns: found.length + count(80), examples: found })
})
