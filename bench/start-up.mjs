/**
 * The time from the start of `serve` to its ready line and to its first chat answer, as multiples of
 * `node -e 0` in the same run.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const rounds = 15
const bin = fileURLToPath(new URL('../bin/gateway-sim.js', import.meta.url))
const since = (start) => Number(process.hrtime.bigint() - start) / 1e6
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]

function nothing() {
  const start = process.hrtime.bigint()
  spawnSync(process.execPath, ['-e', '0'])
  return since(start)
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

export async function startUp(print) {
  nothing()
  await serve()
  const base = []
  const ready = []
  const answered = []
  for (let round = 0; round < rounds; round++) {
    base.push(nothing())
    const times = await serve()
    ready.push(times.ready)
    answered.push(times.answered)
  }
  const result = {
    node: median(base),
    ready: median(ready) / median(base),
    answered: median(answered) / median(base),
  }
  print(
    `start-up: node -e 0 takes ${result.node.toFixed(0)} ms; ready line after ` +
      `${result.ready.toFixed(2)} × that (target: at most 3), first chat answer after ` +
      `${result.answered.toFixed(2)} × (target: at most 6)`,
  )
  return result
}
