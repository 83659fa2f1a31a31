/** The stderr of commands: a line per request, warnings, progress. */
import type { HoldChange } from '../exchange/holding.ts'
import type { AccessLogLine } from '../node.ts'
import { decisionText } from '../protocol/plan.ts'
import type { Paint } from '../text/paint.ts'
import { asciiOnly } from '../text/printable.ts'
import type { Io, Output } from './command.ts'
import { painterFor } from './painter.ts'

type PrettyCall = Omit<AccessLogLine, 'rule' | 'realAt' | 'durationMs'>

export type CallLog = ReturnType<typeof createCallLog>

export function createCallLog({ stderr, env }: Pick<Io, 'stderr' | 'env'>, form: 'pretty' | 'json') {
  const paint = painterFor(stderr, env)
  let buffer = ''
  const flush = (): void => {
    const text = buffer
    buffer = ''
    if (text !== '') stderr.write(text)
  }
  const write = (line: string): void => {
    // All calls of one turn of the event loop share one write.
    if (buffer === '') setImmediate(flush)
    buffer += `${line}\n`
  }
  const reloadFailed = 'scenarios not reloaded; the last valid scenarios stay in use:'
  const reloadLine = (message: string, ok: boolean): string =>
    ok
      ? `gateway-sim: ${paint('green', 'scenarios reloaded:')} ${message}`
      : `gateway-sim: ${paint('yellow', reloadFailed)} ${message}`
  const jsonEvent = (event: string, fields: object, realAt = Date.now()): string =>
    JSON.stringify({ event, ...fields, realTime: iso(realAt) })
  return {
    call: (line: AccessLogLine): void =>
      write(form === 'json' ? jsonEvent('call', jsonCall(line), line.realAt) : prettyCall(line, paint)),
    warn: (message: string): void =>
      write(
        form === 'json'
          ? jsonEvent('warning', { message })
          : `gateway-sim: ${paint('yellow', 'warning:')} ${message}`,
      ),
    /** A breakpoint holds a request or lets it go on. */
    held: (held: object, change: HoldChange, line: string): void =>
      write(
        form === 'json'
          ? jsonEvent(change === 'held' ? 'held' : 'released', {
              ...held,
              how: change === 'held' ? undefined : change,
            })
          : `gateway-sim: ${paint('yellow', line)}`,
      ),
    /** Scenario files changed: the differences, or the errors. */
    reloaded: (message: string, ok: boolean): void =>
      write(
        form === 'json'
          ? jsonEvent(ok ? 'scenarios-reloaded' : 'scenarios-rejected', { message })
          : reloadLine(message, ok),
      ),
    flush,
  }
}

function jsonCall({ realAt: _, ...line }: AccessLogLine): object {
  return { ...line, time: iso(line.at) }
}

/** A request and its response as one line. */
export function prettyCall(call: PrettyCall, paint: Paint): string {
  const { at, status, method, path, operation, decidedBy, session, requestId, reason, explain } = call
  // Status 0: a fault prevented the response.
  const answered = status >= 400 ? 'yellow' : 'green'
  const style = status >= 500 || status === 0 ? 'red' : answered
  const words = [
    paint('dim', iso(at)),
    paint(style, status === 0 ? '---' : String(status)),
    method,
    asciiOnly(path),
  ]
  if (operation !== undefined) words.push(paint('cyan', operation))
  const source = [...(decidedBy === undefined ? [] : [decisionText(decidedBy)]), ...faultsOf(call)].join(', ')
  if (source !== '') words.push(paint('magenta', `(${asciiOnly(source)})`))
  if (session !== 'default') words.push(paint('dim', `[session ${session}]`))
  // For `explain-call`.
  if (status >= 400 && requestId !== undefined) words.push(paint('dim', requestId))
  const why = explain ?? (reason === undefined ? undefined : asciiOnly(reason))
  if (why !== undefined) words.push(paint('dim', `→ ${why}`))
  return words.join(' ')
}

/** The faults of a response in words: `fault disconnect`. Without the one that decided it. */
export function faultsOf({ decidedBy, faults }: Pick<PrettyCall, 'decidedBy' | 'faults'>): string[] {
  return faults.filter((kind) => kind !== decidedBy?.kind).map((kind) => `fault ${kind}`)
}

function iso(at: number): string {
  return new Date(at).toISOString()
}

const maxColumns = 100

/** Progress of a long command on stderr: one line that is overwritten on a terminal, else a log. */
export function createProgress(stderr: Output) {
  let shown = false
  const topics = new Set<string>()
  /** Erases the overwritten line. */
  const clear = (): void => {
    if (shown) stderr.write('\r\u001b[K')
    shown = false
  }
  return {
    /** Where lines cannot be overwritten, each `topic` gets one line. */
    show(topic: string, message: string): void {
      const line = `${topic}: ${message}`.replace(/[^\x20-\x7e]+/g, ' ').slice(0, maxColumns)
      if (stderr.isTTY === true) {
        stderr.write(`\r\u001b[K${line}`)
        shown = true
      } else if (!topics.has(topic)) stderr.write(`gateway-sim: ${line}\n`)
      topics.add(topic)
    },
    log(message: string): void {
      clear()
      stderr.write(`gateway-sim: ${message}\n`)
    },
    clear,
  }
}
