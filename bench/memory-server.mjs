/** The simulator of the memory benchmark in its own process: behind a port, or calling itself. */
import { createSimulator } from '../dist/index.js'
import { listen } from '../dist/node.js'
import { requestOf } from './memory-requests.mjs'

const [integration, sessions] = process.argv.slice(2)
const sim = createSimulator({
  clock: 'auto',
  onWarning() {},
  settings: { limits: { activeImageJobs: 1_000_000 }, memory: { items: 20_000 } },
})
await sim.preload()
const port = integration === 'HTTP' ? (await listen(sim)).port : undefined

process.on('message', ({ from, to, stop }) => {
  if (stop === true) process.exit(0)
  for (let n = from; n < to; n++) {
    const { method, path, headers, body: text } = requestOf(n, sessions === 'true')
    // Parsed, as by the edge.
    sim.handle({
      method,
      path,
      query: '',
      headers: { ...headers, 'content-type': 'application/json' },
      payload: { kind: 'json', value: JSON.parse(text), text },
      session: undefined,
    })
  }
  const { rss, heapUsed: heap } = process.memoryUsage()
  process.send({ rss, heap })
})

// A stopped benchmark leaves no process running.
process.on('disconnect', () => process.exit(0))
process.send({ port })
