/**
 * What a long command is doing, on the error stream: one line that is overwritten on a terminal, else a line
 * for each new thing.
 */
import type { Output } from './command.ts'

export interface Progress {
  /**
   * What is being done. `about` tells apart what deserves a line of its own where lines cannot be
   * overwritten.
   */
  show(about: string, words: string): void
  /** Something that is to stay. */
  say(message: string): void
  /** Takes the overwritten line away. */
  clear(): void
}

const columns = 100

export function createProgress(stderr: Output): Progress {
  let shown = false
  let last = ''
  const clear = (): void => {
    if (shown) stderr.write('\r\u001b[K')
    shown = false
  }
  return {
    show(about, words) {
      const line = `${about}: ${words}`.replace(/[^\x20-\x7e]+/g, ' ').slice(0, columns)
      if (stderr.isTTY === true) {
        stderr.write(`\r\u001b[K${line}`)
        shown = true
      } else if (about !== last) stderr.write(`gateway-sim: ${line}\n`)
      last = about
    },
    say(message) {
      clear()
      stderr.write(`gateway-sim: ${message}\n`)
    },
    clear,
  }
}
