/**
 * What one warm chat call over node:http crosses: the files of `src`, the functions and their calls, by V8's
 * precise coverage. The journal, the client report and all headers are on, as under `gateway-sim serve`.
 *
 *   node tools/trace-call.mjs                prints the three figures
 *   node tools/trace-call.mjs --list         and every file with its functions, by number of calls
 *   node tools/trace-call.mjs --root <dir>   measures another checkout
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { request as send } from 'node:http'
import { Session } from 'node:inspector/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** So many calls of each subject before the one that counts: everything is loaded, every word is known. */
const warmUpParts = 10

/** Compiles `src` file by file (a bundle would hide the files), where its imports of packages resolve. */
function compile(root) {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const outDir = mkdtempSync(join(cache, 'trace-call-'))
  const options = ['--noEmit', 'false', '--rootDir', 'src', '--outDir', outDir, '--removeComments']
  const config = join(root, 'tsconfig.build.json')
  const emit = ['--declaration', 'false', '--emitDeclarationOnly', 'false']
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', config, ...options, ...emit], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`src cannot be compiled:\n${stdout}`)
  return outDir
}

function post(port, body) {
  return new Promise((done, failed) => {
    const request = send(
      {
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { authorization: 'Bearer sk-trace', 'content-type': 'application/json' },
      },
      (response) => {
        response.resume()
        response.on('end', () =>
          response.statusCode === 200 ? done() : failed(new Error(`answered ${response.statusCode}`)),
        )
      },
    )
    request.on('error', failed)
    request.end(JSON.stringify(body))
  })
}

const subjects = ['gardening', 'music', 'sailing', 'bread']

/** A request that has not been seen before, made of words that have. */
const measured = { subject: 'music', part: 7 }

const chatBody = (subject, part) => ({
  model: 'gpt-4o-mini',
  temperature: 0.7,
  messages: [
    { role: 'system', content: 'You are a helpful assistant who answers briefly.' },
    { role: 'user', content: `Please tell me about ${subject}, part ${part}.` },
  ],
})

/** Measures the checkout at `root`: the files crossed, each with its functions and their numbers of calls. */
export async function traceCall(root) {
  const outDir = compile(root)
  try {
    const load = (file) => import(pathToFileURL(join(outDir, file)).href)
    const [{ createSimulator }, { listen }] = await Promise.all([load('index.js'), loadNodeEntry(load)])
    const server = await listen(createSimulator({ clock: 'real' }))
    try {
      for (const subject of subjects)
        for (let part = 0; part < warmUpParts; part++)
          if (subject !== measured.subject || part !== measured.part)
            await post(server.port, chatBody(subject, part))
      return await coverageOf(outDir, () => post(server.port, chatBody(measured.subject, measured.part)))
    } finally {
      await server.close()
    }
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}

// What V8 makes of a class's fields; nobody has written it as a function.
const fieldInitializer = '<instance_members_initializer>'

// Checkouts before the move of the entries keep it in a folder.
const loadNodeEntry = (load) => load('node.js').catch(() => load('transports/node.js'))

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
        // It has a timer of its own, which comes between the calls or not.
        .filter(({ url }) => !url.endsWith('/http/watch-loop.js'))
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
export function figuresOf(trace) {
  const functions = trace.flatMap((entry) => entry.functions)
  const calls = functions.reduce((sum, { count }) => sum + count, 0)
  const crossed = `${trace.length} files, ${functions.length} functions, ${calls} calls`
  return `one warm chat call over node:http: ${crossed}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      list: { type: 'boolean', default: false },
      root: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    },
  })
  const trace = await traceCall(resolve(values.root))
  if (values.list)
    for (const { file, functions } of trace)
      console.log(`${file}\n    ${functions.map(({ name, count }) => `${name} ${count}`).join(', ')}`)
  console.log(figuresOf(trace))
}
