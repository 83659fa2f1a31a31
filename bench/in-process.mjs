/**
 * `sim.fetch` compared with a bare handler of web requests, which reads the JSON body and returns a constant
 * of the same size: CPU time of a plain chat call, in alternating windows.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createSimulator } from '../dist/index.js'

const windows = 15
const callsOfWindow = 1000

const init = (n) => ({
  method: 'POST',
  headers: { authorization: 'Bearer sk-bench', 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: `Tell me about subject ${n}.` }],
  }),
})

/** The fastest window of each, in microseconds of CPU per call. */
async function measure() {
  const sim = createSimulator()
  const url = 'http://bench/v1/chat/completions'
  const response = await (await sim.fetch(url, init(0))).json()
  const bare = async (input, options) => {
    await new Request(input, options).json()
    return new Response(JSON.stringify(response), { headers: { 'content-type': 'application/json' } })
  }
  const least = { ours: Infinity, bare: Infinity }
  for (let window = 0; window < windows; window++)
    for (const [name, answer] of Object.entries({ ours: sim.fetch, bare })) {
      const from = process.cpuUsage()
      for (let n = 0; n < callsOfWindow; n++)
        await (await answer(url, init(window * callsOfWindow + n))).text()
      const { user, system } = process.cpuUsage(from)
      least[name] = Math.min(least[name], (user + system) / callsOfWindow)
    }
  return least
}

/** Resolves to the promises: `{ name, got, atMost }`. */
export function inProcess(print) {
  const flags = ['--no-allocation-site-pretenuring', fileURLToPath(import.meta.url)]
  const { ours, bare } = JSON.parse(String(execFileSync(process.execPath, flags, { stdio: 'pipe' })))
  const ratio = ours / bare
  print(
    `sim.fetch, plain chat: ${ours.toFixed(0)} µs of CPU, a bare Request and Response ` +
      `${bare.toFixed(0)} µs, ratio ${ratio.toFixed(2)} (at most 2.20)`,
  )
  return [{ name: 'sim.fetch over a bare Request and Response', got: ratio, atMost: 2.2 }]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(JSON.stringify(await measure()))
  process.exit()
}
