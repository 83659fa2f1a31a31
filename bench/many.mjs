/**
 * The cost of many jobs and sessions: a poll and a chat call with 100,000 waiting jobs and 10,000 sessions,
 * relative to none; the memory of a million waiting jobs; and the CPU time for 100,000 jobs to end in `auto`.
 * All calls are in-process.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createSimulator } from '../dist/index.js'

const jobs = 100_000
const sessions = 10_000
const million = 1_000_000
const windows = 9
const callsOfWindow = 400

const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }

function simulator(clock, duration) {
  return createSimulator({
    clock,
    settings: {
      limits: { activeImageJobs: 2 * million },
      memory: { items: 2 * million, sessions: 2 * sessions },
      imageJobs: { duration },
    },
  })
}

/** The value of a response to a call of plain data. */
function answer(sim, method, path, value, session) {
  const payload =
    value === undefined ? { kind: 'none' } : { kind: 'json', value, text: JSON.stringify(value) }
  const { status, body } = sim.handle({ method, path, query: '', headers, payload, session })
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body.value
}

const job = (n) => ({ model: 'image-job-v7', text: `a fox ${n}` })
const submit = (sim, n) => answer(sim, 'POST', '/v1/tob/diffusion', job(n)).id
const question = (n) => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: `Tell me about subject ${n}.` }],
})

const used = (from) => {
  const { user, system } = process.cpuUsage(from)
  return user + system
}

/** Microseconds of a poll and of a chat call, with none and with many: the fastest window of each. */
async function besideMany() {
  const place = async (waiting, others) => {
    const sim = simulator('manual', '1d')
    await sim.preload()
    for (let n = 0; n < others; n++) answer(sim, 'POST', '/v1/chat/completions', question(n), `test-${n}`)
    const ids = Array.from({ length: waiting }, (_, n) => submit(sim, n))
    return { sim, poll: `http://bench/v1/tob/job/${ids[Math.floor(waiting / 2)]}` }
  }
  const places = { none: await place(1, 0), many: await place(jobs, sessions) }
  const kinds = {
    poll: ({ sim, poll }) => sim.fetch(poll, { headers }),
    chat: ({ sim }, n) =>
      sim.fetch('http://bench/v1/chat/completions', {
        method: 'POST',
        headers,
        body: JSON.stringify(question(n)),
      }),
  }
  const found = {}
  for (const [kind, call] of Object.entries(kinds)) {
    const least = { none: Infinity, many: Infinity }
    for (let window = 0; window < windows; window++)
      for (const [name, where] of Object.entries(places)) {
        const from = process.cpuUsage()
        for (let n = 0; n < callsOfWindow; n++) await (await call(where, window * callsOfWindow + n)).text()
        least[name] = Math.min(least[name], used(from) / callsOfWindow)
      }
    found[kind] = least
  }
  return found
}

/** The heap size of a million waiting jobs, in bytes. */
async function memoryOfMillion() {
  const sim = simulator('manual', '1d')
  await sim.preload()
  for (let n = 0; n < million; n++) submit(sim, n)
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

/** Seconds of CPU until the last poll of each job shows its end. */
async function replayed() {
  const sim = simulator('auto', '30s')
  await sim.preload()
  const from = process.cpuUsage()
  const ids = Array.from({ length: jobs }, (_, n) => submit(sim, n))
  for (const id of ids) while (answer(sim, 'GET', `/v1/tob/job/${id}`).status < 2);
  return used(from) / 1e6
}

const measures = { besideMany, memoryOfMillion, replayed }

/** Each measurement has a separate process. */
function inProcess(name) {
  const flags = ['--expose-gc', '--no-allocation-site-pretenuring', '--max-old-space-size=4000']
  const printed = execFileSync(process.execPath, [...flags, fileURLToPath(import.meta.url), name], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return JSON.parse(String(printed))
}

/** Resolves to the promises: `{ name, got, atMost }`. */
export function many(print) {
  const promises = []
  for (const [kind, { none, many: beside }] of Object.entries(inProcess('besideMany'))) {
    const ratio = beside / none
    print(
      `${kind} beside ${jobs} jobs and ${sessions} sessions: ${beside.toFixed(0)} µs of CPU, beside none ` +
        `${none.toFixed(0)} µs, ratio ${ratio.toFixed(2)} (at most 1.50)`,
    )
    promises.push({ name: `${kind} beside many, over none`, got: ratio, atMost: 1.5 })
  }
  const gigabytes = inProcess('memoryOfMillion') / 1e9
  print(`a million waiting jobs: ${gigabytes.toFixed(2)} GB of the heap (at most 1.00)`)
  promises.push({ name: 'GB of a million waiting jobs', got: gigabytes, atMost: 1 })
  const seconds = inProcess('replayed')
  print(`${jobs} jobs to their end in auto: ${seconds.toFixed(1)} s of CPU (at most 20)`)
  promises.push({ name: `seconds of CPU for ${jobs} jobs in auto`, got: seconds, atMost: 20 })
  return promises
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(JSON.stringify(await measures[process.argv[2]]()))
  process.exit()
}
