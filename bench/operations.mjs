/**
 * CPU time per request of every operation: of bare node:http with the same responses over ours, so 1 is as
 * fast. Of plain chat and streams also what other servers and mocks take. All in one run, in windows that
 * take turns. Rendering is not measured: an image is rendered once and then served from memory.
 */
import { calls } from './calls.mjs'
import { requestBytes } from './load.mjs'
import { ask, measure, start, ways } from './measure.mjs'

const variants = 200
const sampled = 20

/** Both ways measure the same servers, which are warm for the second one. */
const windows = { many: {}, turns: { warmUp: { calls: 500 } } }

/**
 * The promised shares of bare node:http, with many connections and in turns: half of the lowest that was
 * reached, so that noise does not break them (docs/decisions/speed.md).
 */
const shares = {
  'chat.create': [0.17, 0.16],
  'chat.create, stream': [0.55, 0.5],
  'chat.create, stream in one write': [0.14, 0.18],
  'chat.create, structured': [0.1, 0.08],
  'chat.create, tools': [0.06, 0.07],
  'messages.create': [0.17, 0.2],
  'images.edit, by url': [0.03, 0.03],
  'imageJobs.create': [0.19, 0.18],
  'imageJobs.retrieve': [0.25, 0.2],
  'videos.retrieve': [0.27, 0.24],
  'videoOperations.retrieve': [0.12, 0.24],
  'systemone.evaluate': [0.11, 0.14],
}
/** How many times our CPU time a peer needs, likewise. */
const peers = {
  express: {},
  fastify: {},
  msw: {},
  aimock: {
    'chat.create': 0.75,
    'chat.create, stream': 1.4,
  },
}

/** Requests of one operation, and the responses of ours to some of them, for others to send. */
async function sampleOf(call, port) {
  const made = Array.from({ length: variants }, (_, n) => call(n + 1))
  const responses = []
  for (const { method, path, headers, type = 'application/json', body } of made.slice(0, sampled)) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
      body,
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (!response.ok) throw new Error(`${path}: ${response.status} ${bytes}`)
    const { 'transfer-encoding': _, ...given } = Object.fromEntries(response.headers)
    responses.push({ headers: { ...given, connection: 'keep-alive' }, bytes })
    // One is enough of what is large.
    if (bytes.length > 100_000) break
  }
  return { requests: made.map(requestBytes), responses }
}

/** The calls of one operation must not fill the memory for the next one. */
async function freshCalls(port) {
  await fetch(`http://127.0.0.1:${port}/__sim/reset`, { method: 'POST' })
  return calls(port)
}

const inOnePiece = ({ headers, bytes }) => ({
  headers: { ...headers, 'content-length': String(bytes.length) },
  parts: [bytes.toString('latin1')],
  encoding: 'latin1',
})
const byEvent = ({ headers, bytes }) => ({ headers, parts: bytes.toString('utf8').split(/(?<=\n\n)/) })

/** What a mock of chat answers with, of its own making: the text of ours. */
function contentOf({ bytes }) {
  const text = bytes.toString('utf8')
  if (!text.startsWith('data: '))
    return text.startsWith('{') ? JSON.parse(text).choices?.[0]?.message?.content : ''
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'))
  return events.map((event) => JSON.parse(event.slice(6)).choices[0]?.delta?.content ?? '').join('')
}

const heading = `${'bare node:http = 1'.padEnd(34)} ours µs   many   least  turns   least  noise`

/** Resolves to what was promised: `{ name, got, atLeast }`. */
export async function operations(print, only) {
  const simulator = await start('simulator')
  const bare = await start('bare')
  const others = Object.fromEntries(
    await Promise.all(Object.keys(peers).map(async (kind) => [kind, await start(kind)])),
  )
  const promises = []
  print(heading)
  const row = async (name, { requests, responses }, shape) => {
    await ask(bare, { responses: responses.map(shape) })
    const runs = { ours: { server: simulator, requests }, bare: { server: bare, requests } }
    const results = {}
    for (const [way, how] of Object.entries(ways))
      results[way] = await measure(runs, { ...how, ...windows[way] })
    const { many, turns } = results
    const least = shares[name] ?? []
    for (const [index, atLeast] of least.entries())
      promises.push({
        name: `${name}, ${Object.keys(ways)[index]}`,
        got: [many, turns][index].ratio.bare,
        atLeast,
      })
    const cells = [many, turns].flatMap(({ ratio }, index) => [
      ratio.bare.toFixed(2).padStart(6),
      (least[index]?.toFixed(2) ?? '').padStart(7),
    ])
    const noise = `${Math.round(100 * Math.max(many.noise, turns.noise))} %`
    print(
      `${name.padEnd(34)} ${many.cpu.ours.toFixed(0).padStart(7)} ${cells.join(' ')} ${noise.padStart(6)}`,
    )
  }
  const compared = []
  for (const name of Object.keys(await calls(simulator.port))) {
    if (only !== undefined && !name.includes(only)) continue
    const sample = await sampleOf((await freshCalls(simulator.port))[name], simulator.port)
    const isStream = name === 'chat.create, stream'
    await row(name, sample, isStream ? byEvent : inOnePiece)
    if (isStream) await row(`${name} in one write`, sample, inOnePiece)
    if (isStream || name === 'chat.create') compared.push([name, sample, isStream])
  }
  for (const [name, { requests, responses }, isStream] of compared) {
    const shaped = responses.map(isStream ? byEvent : inOnePiece)
    const runs = { ours: { server: simulator, requests } }
    for (const [kind, server] of Object.entries(others)) {
      await ask(server, { responses: shaped, content: contentOf(responses[0]) })
      runs[kind] = { server, requests }
    }
    const { cpu, ratio } = await measure(runs, { ...ways.many, ...windows.many })
    const taken = Object.keys(others).map((kind) => {
      const atLeast = peers[kind][name]
      if (atLeast !== undefined)
        promises.push({ name: `${name}, ${kind} over ours`, got: ratio[kind], atLeast })
      return `${kind} ${cpu[kind].toFixed(0)} µs (${ratio[kind].toFixed(2)})`
    })
    print(`${name}, peers over ours (${cpu.ours.toFixed(0)} µs): ${taken.join(', ')}`)
  }
  for (const server of [simulator, bare, ...Object.values(others)]) server.stop()
  return promises
}

const gated = [
  'chat.create',
  'chat.create, stream',
  'chat.create, structured',
  'chat.create, tools',
  'messages.create',
  'imageJobs.create',
  'videos.retrieve',
]

/** The promises of a few operations with many connections, in short windows. */
export async function gates(print) {
  const simulator = await start('simulator')
  const bare = await start('bare')
  const promises = []
  for (const name of gated) {
    const [atLeast] = shares[name]
    const { requests, responses } = await sampleOf((await freshCalls(simulator.port))[name], simulator.port)
    await ask(bare, { responses: responses.map(name === 'chat.create, stream' ? byEvent : inOnePiece) })
    const runs = { ours: { server: simulator, requests }, bare: { server: bare, requests } }
    const { ratio } = await measure(runs, {
      ...ways.many,
      calls: 300,
      seconds: 10,
      warmUp: { calls: 3000, seconds: 60 },
    })
    print(`${name}: ${ratio.bare.toFixed(2)}, at least ${atLeast}`)
    promises.push({ name, got: ratio.bare, atLeast })
  }
  for (const server of [simulator, bare]) server.stop()
  return promises
}

/** Every operation of this checkout and another one, in pairs: CPU time of ours over theirs. */
export async function compare(print, root, only) {
  const now = await start('simulator')
  const before = await start('simulator', root)
  print(`${'this checkout over the other'.padEnd(34)} now µs  before µs   many  turns  noise`)
  for (const name of Object.keys(await calls(now.port))) {
    if (only !== undefined && !name.includes(only)) continue
    const runOf = async (server) => {
      const call = (await freshCalls(server.port))[name]
      return { server, requests: (await sampleOf(call, server.port)).requests }
    }
    const runs = { before: await runOf(before), now: await runOf(now) }
    const results = []
    for (const [way, how] of Object.entries(ways))
      results.push(await measure(runs, { ...how, ...windows[way] }))
    const [{ cpu, noise }] = results
    const [many, turns] = results.map(({ ratio }) => ratio.now.toFixed(2).padStart(6))
    print(
      `${name.padEnd(34)} ${cpu.now.toFixed(0).padStart(6)} ${cpu.before.toFixed(0).padStart(10)} ` +
        `${many} ${turns} ${`${Math.round(100 * noise)} %`.padStart(6)}`,
    )
  }
  for (const server of [now, before]) server.stop()
}
