/** Loaded into a server under test: says how much memory it holds when it is asked over its channel. */
import { readdirSync } from 'node:fs'

const { gc } = globalThis as { gc?: () => void }
process.on('message', () => {
  gc?.()
  process.send?.({ heap: process.memoryUsage().heapUsed, descriptors: descriptors() })
})
process.channel?.unref()
// Whoever started this server is gone, however that came.
process.on('disconnect', () => process.exit(0))

function descriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}
