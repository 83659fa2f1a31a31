/**
 * Mixed traffic at a fixed rate against a real `gateway-sim serve`: does it stay as it is after the first
 * half? Every operation in turn, in ever new sessions where it needs nothing of an earlier call; some clients
 * leave in the middle of a stream or of a request. Prints ten samples, and exits with 1 when something grew
 * or went wrong.
 *
 *   npm run soak [-- --minutes 60 --rate 200]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { calls } from './calls.mjs'
import { ask } from './measure.mjs'

const steps = 10
/** Below, the stores have not reached their bounds: they grow, as they should. */
const minutesUntilFull = 10
/** What the second half may have more than the first: heap sizes fluctuate. */
const tolerated = 1.1

const file = (path) => fileURLToPath(new URL(path, import.meta.url))

async function startServer() {
  const child = fork(file('../bin/gateway-sim.js'), ['serve', '--port', '0', '--quiet'], {
    execArgv: ['--expose-gc', '--import', new URL('./soak-inside.mjs', import.meta.url).href],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, port: Number(/:(\d+)\s*$/.exec(line)[1]) }
}

/** What a client does; each counts what was done, and throws when the server is wrong. */
async function traffic(port) {
  const origin = `http://127.0.0.1:${port}`
  const operations = Object.entries(await calls(port))
  const send = async ({ method, path, headers, type = 'application/json', body }, n, signal) => {
    const isAlone = method === 'POST' && !path.includes('/video_') && body !== undefined
    const prefix = isAlone && !String(body).includes('jobId') ? `/s/soak${Math.floor(n / 100)}` : ''
    const response = await fetch(`${origin}${prefix}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': type },
      body,
      signal,
    })
    if (response.status >= 500) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const whole = operations.map(([name, call]) => [
    name,
    async (n) => {
      await (await send(call(n), n)).arrayBuffer()
    },
  ])
  const [, stream] = operations.find(([name]) => name.endsWith('stream'))
  return Object.fromEntries([
    ...whole,
    [
      'a client that leaves a stream',
      async (n) => {
        const leaving = new AbortController()
        const response = await send(stream(n), n, leaving.signal)
        await response.body.getReader().read()
        leaving.abort()
      },
    ],
    [
      'a client that leaves its request',
      async () => {
        const socket = connect({ port, host: '127.0.0.1' })
        await once(socket, 'connect')
        socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"mod')
        socket.destroy()
      },
    ],
  ])
}

/** Starts an action whenever it is due, until `end`; what was done by name, and what went wrong. */
function drive(actions, { rate, end }) {
  const names = Object.keys(actions)
  const counts = Object.fromEntries(names.map((name) => [name, 0]))
  const troubles = []
  const pending = new Set()
  const start = performance.now()
  let sent = 0
  const one = async (n) => {
    const name = names[n % names.length]
    try {
      await actions[name](n)
      counts[name]++
    } catch (error) {
      troubles.push(`${name}: ${error.message}`)
    }
  }
  const done = (async () => {
    while (performance.now() < end) {
      const due = ((performance.now() - start) / 1000) * rate
      for (; sent < due; sent++) {
        const action = one(sent).finally(() => pending.delete(action))
        pending.add(action)
      }
      await after(10)
    }
    await Promise.all(pending)
  })()
  return { counts, troubles, done }
}

const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MB`
const row = (cells) => cells.map((cell) => String(cell).padStart(13)).join('')

/** Those of `fetch`, which keeps them for half a minute. */
async function closeConnections() {
  const dispatcher = Symbol.for('undici.globalDispatcher.1')
  const open = globalThis[dispatcher]
  globalThis[dispatcher] = new open.constructor()
  await open.close()
  await after(1000)
}

/** The names of what grew between the halves of the samples: the least of each half, without noise. */
function grown(samples, before, afterwards) {
  const least = (list, name) => Math.min(...list.map((sample) => sample[name]))
  const half = samples.length / 2
  const [first, second] = [samples.slice(0, half), samples.slice(half)]
  const memory = ['rss', 'heap'].filter((name) => least(second, name) > tolerated * least(first, name))
  const left = ['descriptors', 'resources'].filter((name) => afterwards[name] > before[name] + 2)
  return [...memory.map((name) => `${name} grew`), ...left.map((name) => `${name} are left open`)]
}

async function soak({ minutes, rate }) {
  const server = await startServer()
  const actions = await traffic(server.port)
  // The first of a kind loads modules and starts the worker.
  for (const action of Object.values(actions)) await action(0)
  await closeConnections()
  const before = await ask(server, { sample: true })
  const start = performance.now()
  const length = minutes * 60_000
  const { counts, troubles, done } = drive(actions, { rate, end: start + length })
  const samples = []
  console.log(row(['minute', 'rss', 'heap', 'descriptors', 'resources', 'troubles']))
  for (let step = 1; step <= steps; step++) {
    await after(Math.max(0, start + (length * step) / steps - performance.now()))
    const sample = await ask(server, { sample: true })
    samples.push(sample)
    const { rss, heap, descriptors, resources } = sample
    const minute = ((minutes * step) / steps).toFixed(1)
    console.log(row([minute, megabytes(rss), megabytes(heap), descriptors, resources, troubles.length]))
  }
  await done
  await closeConnections()
  const afterwards = await ask(server, { sample: true })
  server.child.kill('SIGTERM')
  const [code] = await once(server.child, 'exit')
  for (const [name, count] of Object.entries(counts)) console.log(`${String(count).padStart(8)}  ${name}`)
  const all = grown(samples, before, afterwards)
  const wrong = [
    ...troubles.slice(0, 20),
    ...(minutes < minutesUntilFull ? all.filter((one) => !one.endsWith('grew')) : all),
    ...Object.keys(counts).flatMap((name) => (counts[name] === 0 ? [`${name}: never done`] : [])),
    ...(code === 0 ? [] : [`SIGTERM: exit code ${code}`]),
  ]
  for (const one of wrong) console.log(`wrong: ${one}`)
  console.log(wrong.length === 0 ? 'nothing grew, nothing went wrong' : `${wrong.length} wrong`)
  return wrong.length === 0
}

const options = { minutes: { type: 'string', default: '60' }, rate: { type: 'string', default: '200' } }
const { values } = parseArgs({ options })
const [minutes, rate] = [Number(values.minutes), Number(values.rate)]
if (!(minutes > 0 && rate > 0)) {
  console.error('--minutes and --rate: expected positive numbers')
  process.exit(2)
}
const isFine = await soak({ minutes, rate })
process.exit(isFine ? 0 : 1)
