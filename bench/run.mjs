/** Runs the benchmarks, alone on the machine, and prints ratios. Exit code 1 when one is worse than promised. Memory takes minutes and is measured when it is asked for: `npm run bench memory [calls]`; so are media: `npm run bench media [pictures]`. */
import { media } from './media.mjs'
import { memory } from './memory.mjs'
import { operations } from './operations.mjs'
import { startUp } from './start-up.mjs'
import { throughput } from './throughput.mjs'

const only = process.argv[2]
const print = (line) => console.log(line)
const kept = []
if (only === undefined || only === 'start-up') {
  const { ready, answered } = await startUp(print)
  kept.push(ready <= 3, answered <= 6)
}
if (only === undefined || only === 'throughput') {
  for (const { ratio, wanted } of await throughput(print)) if (wanted !== undefined) kept.push(ratio >= wanted)
}
// Measured for all, promised for chat.
if (only === undefined || only === 'operations') await operations(print)
if (only === 'memory') for (const { grown, wanted } of await memory(print, process.argv[3])) kept.push(grown <= wanted)
// Measured, not promised.
if (only === 'media') await media(print, process.argv[3])
const failed = kept.filter((ok) => !ok).length
print(`${kept.length - failed} of ${kept.length} promises kept`)
process.exitCode = failed === 0 ? 0 : 1
