/** Loaded into the server that is watched: says on request what only the process itself knows. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const loop = monitorEventLoopDelay({ resolution: 10 })
loop.enable()

process.on('message', ({ collect }) => {
  const loopMax = loop.max / 1e6
  const loopP99 = loop.percentile(99) / 1e6
  if (collect) globalThis.gc()
  const { rss, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const active = process.getActiveResourcesInfo()
  const timers = active.filter((kind) => kind === 'Timeout' || kind === 'Immediate').length
  process.send({
    ...{
      rss,
      heap: heapUsed,
      external,
      loopMax,
      loopP99,
      timers,
      handles: active.length - timers,
      cpu: (user + system) / 1000,
    },
    // What is alive, without what only waits to be collected.
    ...(collect ? { live: heapUsed + external } : {}),
  })
  // The delay by a forced collection is not the server's.
  loop.reset()
})
process.channel.unref()
