/**
 * Runs the benchmarks and prints ratios; nothing else should run on the machine. Exits with 1 when one misses
 * its target. Memory and media take minutes and run on request only: `npm run bench memory [calls]`,
 * `npm run bench media [images]`.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { figuresOf, traceCalls } from '../tools/trace-call.mjs'
import { media } from './media.mjs'
import { memory } from './memory.mjs'
import { operations } from './operations.mjs'
import { rules } from './rules.mjs'
import { startUp } from './start-up.mjs'
import { throughput } from './throughput.mjs'

const parts = ['trace', 'start-up', 'throughput', 'rules', 'operations', 'memory', 'media']
const usage = `usage: npm run bench [-- ${parts.join(' | ')} [count]]
Memory takes a number of calls, media a number of images; without an argument the first five run.`
const given = (() => {
  try {
    return parseArgs({ allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } })
  } catch (error) {
    console.error(`${error.message}\n${usage}`)
    process.exit(2)
  }
})()
const [only, count] = given.positionals
const wrong =
  given.positionals.length > 2 ||
  (only !== undefined && !parts.includes(only)) ||
  (count !== undefined && !/^[1-9]\d*$/.test(count))
if (given.values.help === true || wrong) {
  ;(wrong ? console.error : console.log)(usage)
  process.exit(wrong ? 2 : 0)
}
const print = (line) => console.log(line)
const kept = []
if (only === undefined || only === 'trace') {
  const traces = await traceCalls(fileURLToPath(new URL('..', import.meta.url)))
  for (const [kind, trace] of Object.entries(traces)) print(figuresOf(kind, trace))
}
if (only === undefined || only === 'start-up') {
  const { ready, answered } = await startUp(print)
  kept.push(ready <= 3, answered <= 6)
}
if (only === undefined || only === 'throughput') {
  for (const { ratio, wanted } of await throughput(print))
    if (wanted !== undefined) kept.push(ratio >= wanted)
}
if (only === undefined || only === 'rules') {
  const { ratio, wanted } = await rules(print)
  kept.push(ratio <= wanted)
}
// Measured for all, promised for chat.
if (only === undefined || only === 'operations') await operations(print)
if (only === 'memory') for (const { grown, wanted } of await memory(print, count)) kept.push(grown <= wanted)
// Measured, not promised.
if (only === 'media') await media(print, count)
const failed = kept.filter((ok) => !ok).length
print(`${kept.length - failed} of ${kept.length} promises kept`)
process.exitCode = failed === 0 ? 0 : 1
