/** The words that every form of the report of a run uses. */

import type { Check, RunReport } from '../report.ts'
import type { OperationCount } from '../tally.ts'

/** What a check looked for, for a heading. */
export const headings: Readonly<Record<Check['name'], string>> = {
  bugs: 'bugs of gateway-sim (please report them)',
  unmatched: 'calls that nothing matches',
  refused: 'refused calls',
  unused: 'rules that never answered',
  'client-report': 'client report',
  'no-calls': 'nothing was called',
}

/** `12 calls in 3 sessions`. */
export function sumOf({ calls, sessions }: RunReport): string {
  return calls === 0 ? 'no calls' : `${counted(calls, 'call')} in ${counted(sessions, 'session')}`
}

/** `200, 429 (2)`: how many of each, where there is more than one. */
export function statusesOf({ statuses }: OperationCount): string {
  return statuses
    .map(({ status, calls }) => `${status === 0 ? 'no reply' : status}${calls === 1 ? '' : ` (${calls})`}`)
    .join(', ')
}

export function nameOf({ operation }: OperationCount): string {
  return operation ?? '(unknown path)'
}

/** How the command itself ended. */
export function endOf({ command: [name = ''], end }: RunReport): string {
  if (end.kind === 'exited') return `${name} ended with ${end.code}`
  return end.kind === 'killed'
    ? `${name} was ended by ${end.signal}`
    : `${name} was not started (${end.reason})`
}

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** The lines of a check, and how many there are beside them. */
export function linesOf({ lines, more }: Check): string[] {
  return more > 0 ? [...lines, `and ${more} more`] : [...lines]
}
