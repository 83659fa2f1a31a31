/**
 * The server of the media benchmark: the simulator in its own process, which reports the delays of its event
 * loop and its memory.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createSimulator } from '../dist/index.js'
import { listen } from '../dist/node.js'

const sim = createSimulator({ clock: 'real', settings: { limits: { activeImageJobs: 1_000_000 } } })
const { port } = await listen(sim)
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()

process.on('message', (message) => {
  if (message.begin === true) {
    delay.reset()
    process.send({ begun: true })
  }
  // The timer of the measurement itself takes 1 ms.
  if (message.measure === true)
    process.send({
      rss: process.memoryUsage().rss,
      held: { p99: delay.percentile(99) / 1e6 - 1, max: delay.max / 1e6 - 1 },
    })
  if (message.stop === true) process.exit(0)
})

// A stopped benchmark leaves no process running.
process.on('disconnect', () => process.exit(0))

process.send({ port })
