/**
 * Runs the benchmarks; nothing else should run on the machine. Ends with the promises that are kept and those
 * that are not, and exits with 1 when one is not. Many runs on request; `npm run soak` is about memory.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { inProcess } from './in-process.mjs'
import { many } from './many.mjs'
import { compare, gates, operations } from './operations.mjs'
import { rules } from './rules.mjs'
import { startUp } from './start-up.mjs'

const parts = ['start-up', 'in-process', 'operations', 'rules', 'many', 'gates']
const usage = `usage: npm run bench [-- ${parts.join(' | ')} [name]]
       npm run bench -- --compare REF [name]
operations takes a part of a name ("chat"); without an argument the first four run; gates is what a test
holds. --compare pairs this checkout with another commit, operation by operation.`

const { values, positionals } = (() => {
  try {
    const options = { help: { type: 'boolean', short: 'h' }, compare: { type: 'string' } }
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    console.error(`${error.message}\n${usage}`)
    process.exit(2)
  }
})()
const [only, name] = values.compare === undefined ? positionals : [undefined, ...positionals]
const wrong = positionals.length > 2 || (only !== undefined && !parts.includes(only))
if (values.help === true || wrong) {
  ;(wrong ? console.error : console.log)(usage)
  process.exit(wrong ? 2 : 0)
}
const print = (line) => console.log(line)
const root = fileURLToPath(new URL('..', import.meta.url))

/** A built checkout of another commit, with the dependencies of this one; removed in any case. */
async function withCheckout(ref, use) {
  const git = (...args) => execFileSync('git', ['-C', root, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const above = mkdtempSync(join(tmpdir(), 'gateway-sim-bench-'))
  const folder = join(above, 'checkout')
  const remove = () => {
    rmSync(above, { recursive: true, force: true })
    git('worktree', 'prune')
  }
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => {
      remove()
      process.exit(130)
    })
  try {
    git('worktree', 'add', '--detach', folder, ref)
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    cpSync(join(root, 'src/generated'), join(folder, 'src/generated'), { recursive: true })
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'inherit' })
    await use(pathToFileURL(`${folder}/`).href)
  } catch (error) {
    console.error(String(error.stderr ?? error.stack).trim())
    process.exitCode = 2
  } finally {
    remove()
  }
}

if (values.compare !== undefined) {
  await withCheckout(values.compare, (other) => compare(print, other, name))
  process.exit()
}

const promises = []
const runs = (part) => only === undefined || only === part
if (runs('start-up')) promises.push(...(await startUp(print)))
if (runs('in-process')) promises.push(...inProcess(print))
if (runs('operations')) promises.push(...(await operations(print, name)))
if (runs('rules')) promises.push(...(await rules(print)))
if (only === 'many') promises.push(...many(print))
if (only === 'gates') promises.push(...(await gates(print)))

// A promise is a measured value with a margin for noise; breaking it is a failure.
const isBroken = ({ got, atLeast = -Infinity, atMost = Infinity }) => got < atLeast || got > atMost
const bound = ({ atLeast, atMost }) => (atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`)
const broken = promises.filter(isBroken)
for (const promise of broken)
  print(`not kept: ${promise.name}: ${promise.got.toFixed(2)}, promised ${bound(promise)}`)
print(`${promises.length - broken.length} of ${promises.length} promises kept`)
process.exitCode = broken.length === 0 ? 0 : 1
