/** Progress of a long command on stderr: one line that is overwritten on a terminal, else a log. */
import type { Output } from './command.ts'

export interface Progress {
  /** Where lines cannot be overwritten, only a new `topic` gets a line. */
  show(topic: string, message: string): void
  /** Writes a line that stays. */
  log(message: string): void
  /** Erases the overwritten line. */
  clear(): void
}

const maxColumns = 100

export function createProgress(stderr: Output): Progress {
  let shown = false
  let lastTopic = ''
  const clear = (): void => {
    if (shown) stderr.write('\r\u001b[K')
    shown = false
  }
  return {
    show(topic, message) {
      const line = `${topic}: ${message}`.replace(/[^\x20-\x7e]+/g, ' ').slice(0, maxColumns)
      if (stderr.isTTY === true) {
        stderr.write(`\r\u001b[K${line}`)
        shown = true
      } else if (topic !== lastTopic) stderr.write(`gateway-sim: ${line}\n`)
      lastTopic = topic
    },
    log(message) {
      clear()
      stderr.write(`gateway-sim: ${message}\n`)
    },
    clear,
  }
}
