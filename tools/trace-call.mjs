/**
 * What warm calls over node:http cross: the files of `src`, the functions and their calls, by V8's precise
 * coverage. The journal, the client report and all headers are on, as under `gateway-sim serve`.
 *
 *   node tools/trace-call.mjs                prints the figures of each kind of call
 *   node tools/trace-call.mjs --list [KIND]  and every file with its functions, by number of calls
 *   node tools/trace-call.mjs --root <dir>   measures another checkout
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { Session } from 'node:inspector/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** The number of warm-up calls before the measured one: everything is loaded and cached. */
const warmUpParts = 10

/** Compiles `src` file by file (a bundle would hide the files), where its imports of packages resolve. */
function compile(root) {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const outDir = mkdtempSync(join(cache, 'trace-call-'))
  const config = join(outDir, 'tsconfig.json')
  const build = join(root, 'tsconfig.build.json')
  const { files } = JSON.parse(readFileSync(build, 'utf8'))
  const sources = [...files, 'src/run/check.ts'].map((file) => join(root, file))
  const emit = { noEmit: false, declaration: false, emitDeclarationOnly: false, removeComments: true }
  // Types are checked elsewhere.
  const compilerOptions = { ...emit, noCheck: true, rootDir: join(root, 'src'), outDir }
  writeFileSync(config, JSON.stringify({ extends: build, compilerOptions, files: sources, include: [] }))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`src cannot be compiled:\n${stdout}`)
  return outDir
}

function send(port, { method = 'POST', path, body }) {
  return new Promise((done, failed) => {
    const headers = { authorization: 'Bearer sk-trace', 'content-type': 'application/json' }
    const sent = request({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () =>
        response.statusCode === 200
          ? done(text)
          : failed(new Error(`answered ${response.statusCode}: ${text}`)),
      )
    })
    sent.on('error', failed)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const subjects = ['gardening', 'music', 'sailing', 'bread']

/** A new request that consists of known words. */
const measured = { subject: 'music', part: 7 }

const chat = (subject, part, more = {}) => ({
  path: '/v1/chat/completions',
  body: {
    model: 'gpt-4o-mini',
    temperature: 0.7,
    messages: [
      { role: 'system', content: 'You are a helpful assistant who answers briefly.' },
      { role: 'user', content: `Please tell me about ${subject}, part ${part}.` },
    ],
    ...more,
  },
})

const search = {
  type: 'function',
  function: {
    name: 'search_articles',
    description: 'Searches articles about a subject.',
    parameters: { type: 'object', properties: { subject: { type: 'string' } }, required: ['subject'] },
  },
}

const rules = subjects.map((subject) => ({
  id: subject,
  when: { operation: 'chat.create', conversation: { lastUser: { contains: subject } } },
  then: { text: `All about ${subject}.` },
}))

/**
 * The kinds of calls: how each is made (`call`, or what `prepare` returns), and how the simulator begins.
 */
const kinds = {
  chat: { call: (subject, part) => chat(subject, part) },
  stream: { call: (subject, part) => chat(subject, part, { stream: true }) },
  tools: { call: (subject, part) => chat(subject, part, { tools: [search], tool_choice: 'required' }) },
  rule: { call: (subject, part) => chat(subject, part), options: { scenarios: [{ title: 'Trace', rules }] } },
  poll: {
    async prepare(port) {
      const job = { model: 'v7', text: 'a fox in the snow' }
      const { id } = JSON.parse(await send(port, { path: '/v1/tob/diffusion', body: job }))
      return () => ({ method: 'GET', path: `/v1/tob/job/${id}` })
    },
  },
}

/** Responses use timers, as under `serve`, but with shorter delays. */
const speed = 20

/** The number of warm-up checks. */
const warmUpChecks = 2

/** What `gateway-sim check` crosses for the probes of one operation, in process, with its report. */
async function traceCheck(outDir, load, createSimulator) {
  const [{ check }, { serverTarget }, { createWallPacer }] = await Promise.all(
    ['check', 'target', 'pacer'].map((name) => load(`run/${name}.js`)),
  )
  // By the wall clock, no wait of a client is still running: else the speed of the machine decides which
  // findings compare requests.
  let wall = 0
  const { fetch } = createSimulator({ wallClock: () => (wall += 3_600_000) })
  const options = {
    target: serverTarget({ base: 'http://gateway.sim', fetch, pacer: createWallPacer(60_000) }),
    spend: 'little',
    only: ['chat.create'],
  }
  const act = () => check(options)
  for (let round = 0; round < warmUpChecks; round++) await act()
  return coverageOf(outDir, act)
}

/** Measures the checkout at `root`: of each kind the files crossed, with their functions and calls. */
export async function traceCalls(root) {
  const outDir = compile(root)
  try {
    const load = (file) => import(pathToFileURL(join(outDir, file)).href)
    const [{ createSimulator }, { listen }] = await Promise.all([load('index.js'), load('node.js')])
    const traces = {}
    for (const [kind, { call, prepare, options }] of Object.entries(kinds)) {
      const server = await listen(createSimulator({ clock: 'real', speed, ...options }))
      try {
        const make = call ?? (await prepare(server.port))
        for (const subject of subjects)
          for (let part = 0; part < warmUpParts; part++)
            if (subject !== measured.subject || part !== measured.part)
              await send(server.port, make(subject, part))
        traces[kind] = await coverageOf(outDir, () =>
          send(server.port, make(measured.subject, measured.part)),
        )
      } finally {
        await server.close()
      }
    }
    traces.check = await traceCheck(outDir, load, createSimulator)
    return traces
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}

// Synthetic functions of V8 for class fields.
const fieldInitializer = '<instance_members_initializer>'

async function coverageOf(outDir, act) {
  const inspector = new Session()
  inspector.connect()
  try {
    await inspector.post('Profiler.enable')
    await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await inspector.post('Profiler.takePreciseCoverage')
    await act()
    const { result } = await inspector.post('Profiler.takePreciseCoverage')
    const base = pathToFileURL(`${outDir}/`).href
    return (
      result
        .filter(({ url }) => url.startsWith(base))
        // It has a timer, which may fire between the calls.
        .filter(({ url }) => !url.endsWith('/http/watch-server.js'))
        .map(({ url, functions }) => ({
          file: url.slice(base.length).replace(/\.js$/, '.ts'),
          functions: functions
            .map(({ functionName, ranges: [{ count }] }) => ({ name: functionName || '(anonymous)', count }))
            .filter(({ name, count }) => count > 0 && name !== fieldInitializer),
        }))
        .filter(({ functions }) => functions.length > 0)
        .sort((one, other) => one.file.localeCompare(other.file))
    )
  } finally {
    inspector.disconnect()
  }
}

/** The figures of a trace in one line. */
export function figuresOf(kind, trace) {
  const functions = trace.flatMap((entry) => entry.functions)
  const calls = functions.reduce((sum, { count }) => sum + count, 0)
  return `${kind}: ${trace.length} files, ${functions.length} functions, ${calls} calls`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      root: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    },
  })
  const traces = await traceCalls(resolve(values.root))
  for (const [kind, trace] of Object.entries(traces)) {
    if (values.list && (positionals.length === 0 || positionals.includes(kind)))
      for (const { file, functions } of trace)
        console.log(`${file}\n    ${functions.map(({ name, count }) => `${name} ${count}`).join(', ')}`)
    console.log(figuresOf(kind, trace))
  }
}
