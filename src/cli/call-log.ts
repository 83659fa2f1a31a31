/** The stderr of commands: a line per request, warnings. */
import type { Breakpoints } from '../control/breakpoints.ts'
import type { Cause } from '../exchange/exchange.ts'
import { heldPlace } from '../exchange/holding.ts'
import type { AccessLogLine } from '../node.ts'
import { decisionText } from '../protocol/plan.ts'
import type { Paint } from '../text/paint.ts'
import { asciiOnly, escapeControls } from '../text/printable.ts'
import type { Io, Output } from './command.ts'
import { painterFor } from './painter.ts'

type LogFormat = 'pretty' | 'json'
type PrettyCall = Omit<AccessLogLine, 'rule' | 'realAt' | 'durationMs'>

/** Writes an event: as text, or its fields as JSON. */
export const eventWriter =
  (output: Output, format: LogFormat) =>
  (event: string, fields: object, text: string): void =>
    void output.write(format === 'json' ? `${JSON.stringify({ event, ...fields })}\n` : `${text}\n`)

export type CallLog = ReturnType<typeof createCallLog>

export function createCallLog({ stderr, env }: Pick<Io, 'stderr' | 'env'>, format: LogFormat) {
  const paint = painterFor(stderr, env)
  let buffer = ''
  const flush = (): void => {
    const text = buffer
    buffer = ''
    if (text !== '') stderr.write(text)
  }
  const write = (event: string, fields: object, text: string, realAt = Date.now()): void => {
    // All calls of one turn of the event loop share one write.
    if (buffer === '') setImmediate(flush)
    const shown = format === 'json' ? JSON.stringify({ event, ...fields, realTime: iso(realAt) }) : text
    buffer += `${shown}\n`
  }
  const call = (line: AccessLogLine): void => {
    const { realAt, ...fields } = line
    write('call', { ...fields, time: iso(line.at) }, prettyCall(line, paint), realAt)
  }
  const say = (event: string, title: string, message: string, colour: 'green' | 'yellow'): void =>
    write(event, { message }, `gateway-sim: ${paint(colour, `${title}:`)} ${message}`)
  return {
    call,
    /** Logs a request, but not health checks and what commands and pages read from the control API. */
    served(line: AccessLogLine): void {
      const { operation = '', method, status } = line
      const isRead = operation.startsWith('sim.') && method === 'GET' && status < 400
      if (!isRead && operation !== 'sim.health' && operation !== 'sim.ready') call(line)
    },
    warn: (message: string): void => say('warning', 'warning', message, 'yellow'),
    /** Scenario files changed: the differences, or the errors. */
    reloaded(message: string, isValid: boolean): void {
      if (isValid) say('scenarios-reloaded', 'scenarios reloaded', message, 'green')
      else say('scenarios-rejected', 'not reloaded; the last valid files stay in use', message, 'yellow')
    },
    /** Logs what a breakpoint holds or lets go on; `control` is the URL of the control API. */
    holding(control: string): NonNullable<Breakpoints['onChange']> {
      return (held, change) => {
        const { id, breakpoint, phase, operation, sandbox, entry, event = null } = held
        const fields = {
          id,
          breakpoint,
          phase,
          operation,
          session: sandbox.name,
          seq: entry?.seq ?? null,
        }
        const place = `by ${breakpoint} ${heldPlace({ phase, event })}: ${operation}, session ${sandbox.name}`
        const release = `release it at ${control}/ui/#/breakpoints or with POST ${control}/held/${id}`
        if (change === 'held')
          write('held', fields, yellow(`held ${place}; its clock is stopped; ${release}`))
        else write('released', { ...fields, how: change }, yellow(`released (${change}), was held ${place}`))
      }
    },
    flush,
  }

  function yellow(text: string): string {
    return `gateway-sim: ${paint('yellow', escapeControls(text))}`
  }
}

/** A request and its response as one line. */
export function prettyCall(call: PrettyCall, paint: Paint): string {
  const { at, status, method, path, operation, session, requestId, reason, explain } = call
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
  const source = sourceOf(call).join(', ')
  if (source !== '') words.push(paint('magenta', `(${asciiOnly(source)})`))
  if (session !== 'default') words.push(paint('dim', `[session ${session}]`))
  // For `journal <id>`.
  if (status >= 400 && requestId !== undefined) words.push(paint('dim', requestId))
  const why = explain ?? (reason === undefined ? undefined : asciiOnly(reason))
  if (why !== undefined) words.push(paint('dim', `→ ${why}`))
  return words.join(' ')
}

/** What decided a response, and its faults: `rule lost`, `fault disconnect`. */
export function sourceOf({ decidedBy, faults }: Pick<Cause, 'decidedBy' | 'faults'>): string[] {
  const words = faults.filter((kind) => kind !== decidedBy?.kind).map((kind) => `fault ${kind}`)
  return decidedBy === undefined ? words : [decisionText(decidedBy), ...words]
}

const iso = (at: number): string => new Date(at).toISOString()
