/**
 * Counts the bytes that warm calls allocate, by kind, from node's request to its response. There is no
 * garbage collection in between, so other load on the machine hardly matters.
 *
 *   node tools/count-allocations.mjs                every kind
 *   node tools/count-allocations.mjs chat stream    some of them
 *   node tools/count-allocations.mjs --root <dir>   of another built checkout
 */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({ options: { root: { type: 'string' } }, allowPositionals: true })
const root = resolve(values.root ?? join(import.meta.dirname, '..'))

// Room for all that is allocated between two collections, which only we ask for; and no chance in what is
// compiled when.
const flags = ['--expose-gc', '--max-semi-space-size=256', '--min-semi-space-size=256', '--single-threaded']
if (globalThis.gc === undefined) {
  const args = [...flags, fileURLToPath(import.meta.url), '--root', root, ...positionals]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  process.exit(status ?? 1)
}

const subjects = 'gardening music sailing bread chess weather trains glass maps bees'.split(' ')
const question = (n) => `Please tell me about ${subjects[n % subjects.length]}, part ${n}`
const chat = (n, more, fields) => [
  '/v1/chat/completions',
  { model: 'gpt-4o-mini', messages: [{ role: 'user', content: `${question(n)}${more}.` }], ...fields },
]
const messages = (n, more, fields) => [
  '/v1/messages',
  {
    model: 'claude-sonnet-4-5',
    max_tokens: 500,
    messages: [{ role: 'user', content: `${question(n)}${more}.` }],
    ...fields,
  },
]

const questions = {
  angry: { type: 'noul', instructions: 'Is the customer angry?' },
  topic: { type: 'choice', criteria: { refund: null, exchange: null } },
}

/** The path and the body of the nth call of each kind; a call without a body reads. */
const kinds = {
  chat: (n) => chat(n, ''),
  stream: (n) => chat(n, ', in nine sentences', { stream: true }),
  messages: (n) => messages(n, ''),
  messagesStream: (n) => messages(n, ', in nine sentences', { stream: true }),
  job: (n) => ['/v1/tob/diffusion', { model: 'image-job-v7', text: question(n) }],
  poll: (_, job) => [`/v1/tob/job/${job}`, undefined],
  decision: (n) => ['/v1/systemone', { model: 'jev-latest', state: question(n), questions }],
}

const load = (entry) => import(pathToFileURL(join(root, 'dist', `${entry}.js`)).href)
const [{ createSimulator }, { middleware }] = await Promise.all([load('index'), load('express')])
const sim = createSimulator({
  clock: 'real',
  settings: {
    chat: { firstEventAfter: 0, eventInterval: 0 },
    messages: { firstEventAfter: 0, eventInterval: 0 },
    limits: { activeImageJobs: 1_000_000 },
    memory: { items: 6500 },
  },
  onWarning: () => {},
})
await sim.preload()
const serve = middleware(sim)
const nothing = () => {}
const socket = { destroyed: false, writableLength: 0, once: nothing }

/** Submits an image job that has ended, and returns its id. */
async function submitJob() {
  const response = await sim.fetch('/v1/tob/diffusion', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-count', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'image-job-v7', text: 'a fox [sim:finished]' }),
  })
  return (await response.json()).id
}

/** Sends a call through substitutes for node's request and response, which excludes the cost of sockets. */
function send([url, value]) {
  const body = Buffer.from(value === undefined ? '' : JSON.stringify(value))
  const method = value === undefined ? 'GET' : 'POST'
  const headers = {
    host: 'localhost:80',
    authorization: 'Bearer sk-count',
    'content-type': 'application/json',
    'content-length': String(body.length),
    'anthropic-version': '2023-06-01',
  }
  const request = { method, url, headers, rawHeaders: [], body, socket, complete: true, on: nothing }
  return new Promise((done, failed) => {
    let status = 0
    const writeHead = (code) => {
      status = code
    }
    const end = (text) => (status === 200 ? done() : failed(new Error(`${status}: ${text}`)))
    const response = { socket, destroyed: false, on: nothing, once: nothing, writeHead, end }
    serve({ ...request, readableEnded: true }, response, () => failed(new Error(`no operation: ${url}`)))
  })
}

/** The number of calls per window; the result is the median of the windows. */
const calls = 100
const windows = 9

for (const kind of positionals.length > 0 ? positionals : Object.keys(kinds)) {
  // The session drops its oldest items: a job of the first kinds is gone when polls are counted.
  const job = await submitJob()
  let n = 0
  for (; n < 2000; n++) await send(kinds[kind](n, job))
  const counts = []
  for (let window = 0; window < windows; window++) {
    globalThis.gc()
    const before = process.memoryUsage().heapUsed
    for (const end = n + calls; n < end; n++) await send(kinds[kind](n, job))
    counts.push((process.memoryUsage().heapUsed - before) / calls)
  }
  console.log(`${kind}: ${Math.round(counts.sort((a, b) => a - b)[windows >> 1])} bytes`)
}
