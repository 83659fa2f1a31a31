/** Loaded into the server of the soak: what is alive in it after a forced collection. */
import { readdirSync } from 'node:fs'

process.on('message', ({ sample }) => {
  if (sample !== true) return
  globalThis.gc()
  const { rss, heapUsed } = process.memoryUsage()
  const descriptors = readdirSync('/proc/self/fd').length
  process.send({ rss, heap: heapUsed, descriptors, resources: process.getActiveResourcesInfo().length })
})

// A stopped soak leaves no process running.
process.on('disconnect', () => process.exit(0))
