/**
 * Mixed traffic for an hour against a real `gateway-sim serve`, at a fixed rate: does it stay as it is after
 * the first tenth? Prints a table, writes it with an image and all samples, and exits with 1 when something
 * grew, slowed down or went wrong.
 *
 *   npm run soak [-- --minutes 60 --rate 200 --seed soak --out soak-report]
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { image } from './soak/image.mjs'
import { judge, table } from './soak/judge.mjs'
import { startProbe } from './soak/probe.mjs'
import { startServer } from './soak/server.mjs'
import { startTraffic } from './soak/traffic.mjs'
import { startEdits } from './soak/watched-file.mjs'

const usage = 'usage: npm run soak [-- --minutes 60 --rate 200 --seed soak --out soak-report]'
const { minutes, rate, seed, out } = readArguments()
const say = (text) => process.stderr.write(`${text}\n`)
const folder = await mkdtemp(join(tmpdir(), 'gateway-sim-soak-'))
try {
  process.exitCode = (await soak()) ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
// Sockets of clients that are kept alive must not keep the process alive.
process.exit()

async function soak() {
  await mkdir(out, { recursive: true })
  const edits = await startEdits(folder)
  const server = await startServer(folder, edits.file)
  say(`soak: ${minutes} minutes at ${rate} calls a second, seed ${seed}, against ${server.url}`)
  const before = await server.sample(true)
  const probe = startProbe(server.url)
  const traffic = await startTraffic({ url: server.url, rate, seed })
  edits.follow(server.url)
  const samples = await sample({ server, probe, traffic })
  say('soak: the traffic stops; waiting up to 45 seconds for pending actions and open connections')
  const [left] = await Promise.all([traffic.stop(), edits.stop()])
  await probe.stop()
  const afterwards = { ...(await quiet(server, before)), waiting: left }
  const exit = await server.stop()
  const result = { minutes, rate, seed, before, samples, afterwards, exit, warnings: server.warnings() }
  const troubles = [...traffic.troubles(), ...edits.troubles(), ...server.troubles()]
  const verdict = judge({ ...result, troubles })
  const report = [table(result, traffic.counts(), edits.counts()), ...verdict.lines].join('\n')
  await writeFile(
    join(out, 'soak.json'),
    `${JSON.stringify({ ...result, counts: traffic.counts(), troubles })}\n`,
  )
  await writeFile(join(out, 'soak.txt'), `${report}\n`)
  await writeFile(join(out, 'soak.svg'), image(result))
  console.log(report)
  console.log(`written to ${resolve(out)}: soak.txt, soak.svg, soak.json`)
  return verdict.ok
}

/** What is left when the connections of the clients are closed; it may take some seconds to go. */
async function quiet(server, before) {
  // That of `fetch`, which keeps them for half a minute.
  await globalThis[Symbol.for('undici.globalDispatcher.1')]?.close()
  let state = await server.sample(true)
  for (let tries = 0; tries < 20 && state.descriptors > before.descriptors; tries++) {
    await after(500)
    state = await server.sample(true)
  }
  return state
}

/** About 240 samples, 20 of them (two in each tenth) after a forced collection, with what is really alive. */
async function sample({ server, probe, traffic }) {
  const samples = []
  const length = minutes * 60_000
  const every = Math.max(1000, length / 240)
  const collectEvery = Math.max(1, Math.round(length / 20 / every))
  const began = performance.now()
  let said = 0
  let shown = 0
  // On a machine that is busy, a sample takes longer than the time between two.
  for (let at = 1; performance.now() - began < length; at++) {
    await after(every - ((performance.now() - began) % every))
    if (server.hasEnded()) break
    const [state, latency] = await Promise.all([server.sample(at % collectEvery === 0), probe.sample()])
    const one = {
      minute: (performance.now() - began) / 60_000,
      ...state,
      ...latency,
      ...traffic.state(),
      load: loadavg()[0],
    }
    samples.push(one)
    if (performance.now() - said < 15_000) continue
    said = performance.now()
    say(
      `soak: minute ${one.minute.toFixed(1)} of ${minutes}: ${one.calls} calls, ` +
        `rss ${(one.rss / 2 ** 20).toFixed(0)} MB, ${one.descriptors} descriptors, ` +
        `chat p50 ${one.p50?.toFixed(1)} ms, ${traffic.troubles().length} troubles`,
    )
    for (const trouble of traffic.troubles().slice(shown)) say(`soak:   ${trouble}`)
    shown = traffic.troubles().length
  }
  return samples
}

function readArguments() {
  const reject = (reason) => {
    console.error(`${reason}\n${usage}`)
    process.exit(2)
  }
  const options = {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '200' },
    seed: { type: 'string', default: 'soak' },
    out: { type: 'string', default: 'soak-report' },
  }
  let values
  try {
    values = parseArgs({ options }).values
  } catch (error) {
    reject(error.message)
  }
  const number = (name) => {
    const value = Number(values[name])
    return value > 0 && Number.isFinite(value)
      ? value
      : reject(`--${name}: expected a positive number, got ${JSON.stringify(values[name])}`)
  }
  return { minutes: number('minutes'), rate: number('rate'), seed: values.seed, out: values.out }
}
