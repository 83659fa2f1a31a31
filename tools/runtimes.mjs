/**
 * Installs the packed package in an empty project, and tries it with each of the given programs: versions of
 * Node, Bun or Deno. Needs the build. Prints a table; a step fails on a wrong exit code, a missing result or
 * any warning.
 *
 *   node tools/runtimes.mjs ~/.bun/bin/bun ~/.deno/bin/deno
 */
import { execFileSync, spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const bin = 'node_modules/gateway-sim/bin/gateway-sim.js'
/** The limit of a step in milliseconds. */
const limit = 120_000

/** The steps: their arguments, and a pattern for their output. */
const steps = {
  require: { args: ['require.cjs'], expected: /^pong$/m },
  'openai SDK': { args: ['chat.mjs'], expected: /^pong pong$/m },
  images: { args: ['images.mjs'], expected: /^png webp jpeg mp4$/m },
  vitest: { args: ['node_modules/vitest/vitest.mjs', 'run', 'vitest'], expected: /Tests {2}1 passed/ },
  exec: { args: [bin, 'exec', '--', 'RUNTIME', 'ask.mjs'], expected: /chat\.create/ },
  trial: {
    args: [bin, 'trial', '--only', 'overloaded', '--', 'RUNTIME', 'ask.mjs'],
    expected: /1 recovered, 1 gave up/,
  },
  'serve, check': { args: ['serve.mjs', 'RUNTIME', bin], byNode: true, expected: /^checked 0, stopped 0$/m },
}

const programs = process.argv.slice(2)
if (programs.length === 0) programs.push(process.execPath)
const project = await mkdtemp(join(tmpdir(), 'gateway-sim-runtimes-'))
try {
  await install()
  const failures = []
  console.log(`| Runtime | ${Object.keys(steps).join(' | ')} |`)
  console.log(`| --- |${' --- |'.repeat(Object.keys(steps).length)}`)
  for (const program of programs) console.log(`| ${(await tryProgram(program, failures)).join(' | ')} |`)
  for (const failure of failures) console.log(`\n${failure}`)
  if (failures.length > 0) process.exitCode = 1
} finally {
  await rm(project, { recursive: true, force: true })
}

async function install() {
  const npm = (args, cwd) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  const [{ filename }] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', project], root),
  )
  await cp(join(root, 'tools/runtimes'), project, { recursive: true })
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const others = ['openai', 'vitest'].map((name) => `${name}@${packages[`node_modules/${name}`].version}`)
  npm(['install', '--silent', '--no-audit', '--no-fund', `./${filename}`, ...others], project)
}

/** Makes all steps with one program. Returns its row of the table. */
async function tryProgram(program, failures) {
  const kind = /^(?:bun|deno)/.exec(basename(program))?.[0] ?? 'node'
  const prefix = kind === 'deno' ? ['run', '--allow-all'] : []
  const name = `${kind} ${(await run(program, ['--version'])).said.match(/\d+\.\d+\.\d+/)?.[0]}`
  const row = [name]
  for (const [step, { args, expected, byNode = false }] of Object.entries(steps)) {
    const words = args.flatMap((word) => (word === 'RUNTIME' ? [program, ...prefix] : word))
    const { code, said, warned } = await (byNode
      ? run(process.execPath, words)
      : run(program, [...prefix, ...words]))
    const isGood = code === 0 && expected.test(said) && !/warning/i.test(warned)
    row.push(isGood ? 'yes' : 'no')
    if (!isGood) failures.push(`${name}, ${step}: exit ${code}\n${said}`)
  }
  return row
}

function run(program, args) {
  return new Promise((done, fail) => {
    // In its own process group, so that the limit also ends what it has started.
    const options = { cwd: project, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }
    const child = spawn(program, args, { ...options, env: { ...process.env, NO_COLOR: '1' } })
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limit)
    let said = ''
    let warned = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (said += text))
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text
      warned += text
    })
    child.on('error', fail)
    child.on('close', (code) => {
      clearTimeout(timer)
      done({ code, said, warned })
    })
  })
}
