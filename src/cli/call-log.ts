/** One line per answered call, and the warnings, as text or as JSON. */
import { styleText } from 'node:util'
import type { AccessLogLine } from '../node.ts'
import type { Io, Output } from './command.ts'

type Style = Parameters<typeof styleText>[0]
type Paint = (style: Style, text: string) => string

export interface CallLog {
  readonly call: (line: AccessLogLine) => void
  readonly warn: (message: string) => void
  /** Scenarios were looked at again: what changed, or what is wrong with them. */
  readonly reloaded: (words: string, ok: boolean) => void
  /** Writes what still waits to be written. */
  flush(): void
}

/** A log on the error stream. */
export function createCallLog({ stderr, env }: Pick<Io, 'stderr' | 'env'>, form: 'pretty' | 'json'): CallLog {
  const paint: Paint = hasColours(stderr, env)
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_style, text) => text
  let waiting = ''
  const flush = (): void => {
    const text = waiting
    waiting = ''
    if (text !== '') stderr.write(text)
  }
  const write = (line: string): void => {
    // Many calls of one turn of the event loop cost one write.
    if (waiting === '') setImmediate(flush)
    waiting += `${line}\n`
  }
  return {
    call: (line) =>
      write(
        form === 'json'
          ? JSON.stringify({ event: 'call', ...line, time: iso(line.at) })
          : prettyCall(line, paint),
      ),
    warn: (message) =>
      write(
        form === 'json'
          ? JSON.stringify({ event: 'warning', message })
          : `gateway-sim: ${paint('yellow', 'warning:')} ${message}`,
      ),
    reloaded: (words, ok) =>
      write(
        form === 'json'
          ? JSON.stringify({ event: ok ? 'scenarios-reloaded' : 'scenarios-refused', message: words })
          : ok
            ? `gateway-sim: ${paint('green', 'scenarios reloaded:')} ${words}`
            : `gateway-sim: ${paint('yellow', 'scenarios not reloaded, the last good ones stay in use:')} ${words}`,
      ),
    flush,
  }
}

/** Whether to write colours: NO_COLOR and FORCE_COLOR decide, otherwise whether a terminal reads it. */
export function hasColours(output: Output, env: Io['env']): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return output.isTTY === true && env['TERM'] !== 'dumb'
}

function prettyCall(
  { at, status, method, path, operation, decidedBy, session, explain }: AccessLogLine,
  paint: Paint,
): string {
  // A call that a fault left without a reply has the status 0.
  const style = status >= 500 || status === 0 ? 'red' : status >= 400 ? 'yellow' : 'green'
  const words = [
    paint('dim', iso(at)),
    paint(style, status === 0 ? '---' : String(status)),
    method,
    printable(path),
  ]
  if (operation !== undefined) words.push(paint('cyan', operation))
  if (decidedBy !== undefined) words.push(paint('magenta', `(${printable(decidedBy)})`))
  if (session !== 'default') words.push(paint('dim', `[session ${session}]`))
  if (explain !== undefined) words.push(paint('dim', `→ ${explain}`))
  return words.join(' ')
}

function iso(at: number): string {
  return new Date(at).toISOString()
}

/** What a client has sent must not be able to drive the terminal. */
export function printable(text: string): string {
  return text.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
  )
}
