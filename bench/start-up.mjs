/**
 * Start-up costs in multiples of `node -e 0` in the same run: the import, the first in-process responses, the
 * ready line of `serve` and its first response over HTTP.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { median } from './measure.mjs'

const rounds = 15
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const bin = here('../bin/gateway-sim.js')
const since = (start) => Number(process.hrtime.bigint() - start) / 1e6

const importing = `const { createSimulator } = await import(${JSON.stringify(here('../dist/index.js'))});`
const asking = (more = '') => `${importing}
  const sim = createSimulator();
  const response = await sim.fetch('http://x/v1/chat/completions', {
    method: 'POST', headers: { authorization: 'Bearer sk-bench', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Good morning' }]${more} }),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.text();`
const structured =
  asking(`, response_format: { type: 'json_schema', json_schema: { name: 'person', strict: true,
  schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'],
  additionalProperties: false } } }`)
const memory = '\nprocess.stdout.write(String(process.memoryUsage.rss()));'

/** The milliseconds of a whole process, and what it printed. */
function run(script) {
  const start = process.hrtime.bigint()
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
  const ms = since(start)
  if (status !== 0) throw new Error(String(stderr))
  return { ms, printed: Number(stdout) }
}

async function serve() {
  const start = process.hrtime.bigint()
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const ready = since(start)
  const port = Number(/:(\d+)\s*$/.exec(line)[1])
  await new Promise((resolve, reject) => {
    const call = request(
      {
        port,
        host: '127.0.0.1',
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { authorization: 'Bearer sk-bench', 'content-type': 'application/json' },
      },
      (response) => {
        response.resume()
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
        )
      },
    )
    call.on('error', reject)
    call.end(JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Good morning' }] }))
  })
  const answered = since(start)
  child.kill('SIGTERM')
  await once(child, 'exit')
  return { ready, answered }
}

/** Resolves to the promises: `{ name, got, atMost }`. */
export async function startUp(print) {
  const times = { node: [], import: [], chat: [], structured: [], ready: [], answered: [] }
  for (let round = -1; round < rounds; round++) {
    const { ready, answered } = await serve()
    const found = {
      node: run('0').ms,
      import: run(importing).ms,
      chat: run(asking()).ms,
      structured: run(structured).ms,
      ready,
      answered,
    }
    if (round >= 0) for (const [name, ms] of Object.entries(found)) times[name].push(ms)
  }
  const ms = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]))
  const mebibytes = (run(asking() + memory).printed - run(memory).printed) / 2 ** 20
  const promises = [
    { name: 'import, on top of node -e 0', got: (ms.import - ms.node) / ms.node, atMost: 1.5 },
    {
      name: 'first chat response in-process, on top of the import',
      got: (ms.chat - ms.import) / ms.node,
      atMost: 1.5,
    },
    {
      name: 'first structured response, likewise',
      got: (ms.structured - ms.import) / ms.node,
      atMost: 3,
    },
    { name: 'ready line of serve', got: ms.ready / ms.node, atMost: 4.5 },
    { name: 'first chat over HTTP', got: ms.answered / ms.node, atMost: 5 },
    { name: 'MiB after one chat, more than an empty process', got: mebibytes, atMost: 35 },
  ]
  print(`node -e 0: ${ms.node.toFixed(0)} ms; the times below are multiples of it`)
  for (const { name, got, atMost } of promises)
    print(`${name.padEnd(50)} ${got.toFixed(2).padStart(7)}  at most ${atMost}`)
  return promises
}
