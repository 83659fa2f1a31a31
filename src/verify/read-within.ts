/** Parses the window of virtual time in which calls count. */
import { parseDuration } from '../engine/duration.ts'
import { parseInstant } from '../engine/instant.ts'
import type { Finding } from '../protocol/findings.ts'

type Time = string | number

/** A window as written: a length, or its ends. */
export type WrittenWindow = Time | { readonly from?: Time; readonly until?: Time; readonly span?: Time }

/** Virtual milliseconds. */
export interface Window {
  readonly from: number | undefined
  readonly until: number | undefined
  readonly span: number | undefined
}

/** The window. Adds its mistakes to `mistakes`. */
export function readWithin(
  within: WrittenWindow | undefined,
  startedAt: number,
  mistakes: Finding[],
): Window {
  const window = within === undefined ? {} : typeof within === 'object' ? within : { span: within }
  const span = parseDuration(window.span)
  const spanField = typeof within === 'object' ? 'within.span' : 'within'
  if (window.span !== undefined && span === undefined)
    mistakes.push({
      field: spanField,
      message: [
        'expected a duration such as 5s, 350ms or 1h30m, or milliseconds, got',
        JSON.stringify(window.span),
      ].join(' '),
    })
  const instant = (name: 'from' | 'until'): number | undefined => {
    const written = window[name]
    if (written === undefined) return undefined
    const after = parseDuration(written)
    const at = after === undefined ? parseInstant(written) : startedAt + after
    if (at === undefined)
      mistakes.push({
        field: `within.${name}`,
        message: [
          'expected a duration after the start such as 5s,',
          `or an ISO 8601 instant with its zone such as 2026-01-01T00:00:00Z, got ${JSON.stringify(written)}`,
        ].join(' '),
      })
    return at
  }
  const from = instant('from')
  const until = instant('until')
  if (from !== undefined && until !== undefined && from >= until)
    mistakes.push({
      field: 'within.until',
      message: 'expected an instant after `from`: no call could stand in this window',
    })
  return { from, until, span }
}
