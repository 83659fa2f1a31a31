/** Wording that all formats of the report share. */
import { counted } from '../../../text/counted.ts'
import type { Check, RunReport } from '../report.ts'
import type { OperationCount } from '../tally.ts'

/** The heading of each check. */
const headings: Readonly<Record<Check['name'], string>> = {
  bugs: 'bugs in gateway-sim (please report them)',
  unmatched: 'unmatched calls',
  refused: 'refused calls',
  unused: 'rules that never answered',
  'client-report': 'client report',
  'no-calls': 'no call reached the simulator',
}

/** The heading of a check with its count, as `unmatched calls (2)`. */
export function titleOf({ name, sum }: Check): string {
  return name === 'no-calls' ? headings[name] : `${headings[name]} (${sum})`
}

/** `12 calls in 3 sessions`. */
export function sumOf({ calls, sessions }: RunReport): string {
  return calls === 0 ? 'no calls' : `${counted(calls, 'call')} in ${counted(sessions, 'session')}`
}

/** `200, 429 (2)`: with counts above one. */
export function statusesOf({ statuses }: OperationCount): string {
  return statuses
    .map(({ status, calls }) => `${status === 0 ? 'no reply' : status}${calls === 1 ? '' : ` (${calls})`}`)
    .join(', ')
}

export function nameOf({ operation }: OperationCount): string {
  return operation ?? '(unknown path)'
}

/** How the command ended. */
export function endOf({ command: [name = ''], end }: RunReport): string {
  if (end.kind === 'exited') return `${name} exited with ${end.code}`
  return end.kind === 'killed'
    ? `${name} was killed by ${end.signal}`
    : `${name} could not be started (${end.reason})`
}

/** The lines of a check, with the number of omitted ones. */
export function linesOf({ lines, more }: Check): string[] {
  return more > 0 ? [...lines, `and ${more} more`] : [...lines]
}
