/** Loaded into the observed server: reports internal measurements of the process on request. */
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
    // Live memory only, without garbage.
    ...(collect ? { live: heapUsed + external } : {}),
  })
  // Excludes the delay of the forced garbage collection.
  loop.reset()
})
process.channel.unref()
