/** The table of a trial: a row for each failure of an operation, with a verdict in each cell. */
import { grouped } from '../engine/fields.ts'
import type { Section, Cell as TableCell } from '../report/report.ts'
import type { TrialVerdict, VerdictName } from './judge.ts'

/** The verdict on one run, as a report shows it. */
export interface ShownRun extends Pick<TrialVerdict, 'verdict' | 'reason' | 'evidence'> {
  readonly title: string
  readonly operation: string
  readonly failure: string
  readonly what: string
  /** The number of the request that failed; undefined if every request did. */
  readonly nth: number | undefined
  readonly acceptable: boolean
}

export function tableSection(runs: readonly ShownRun[]): Section {
  const alike = grouped(runs, ({ operation, failure }) => `${operation} ${failure}`)
  return {
    table: {
      head: ['operation', 'failure', 'once', 'always'],
      rows: [...alike.values()].flatMap(rowsOf),
    },
  }
}

/** A row for each request that fails once; the first one also shows the run in which every request fails. */
function rowsOf(runs: readonly ShownRun[]): (string | TableCell)[][] {
  const always = runs.find(({ nth }) => nth === undefined)
  const single = runs.filter(({ nth }) => nth !== undefined)
  const [{ operation, failure }] = runs as readonly [ShownRun]
  if (single.length === 0) return [[operation, failure, '', cellOf(always)]]
  return single.map((once, index) => [
    operation,
    single.length === 1 ? failure : `${failure} (request ${once.nth})`,
    cellOf(once),
    index === 0 ? cellOf(always) : '',
  ])
}

/** A verdict that is not acceptable is in capitals. */
function cellOf(run: ShownRun | undefined): string | TableCell {
  if (run === undefined) return ''
  const { verdict, acceptable } = run
  if (!acceptable) return { text: verdict.toUpperCase(), outcome: 'failed' }
  return { text: verdict, outcome: verdict === 'recovered' ? 'passed' : 'warning' }
}

/** `8 recovered, 4 gave up`. */
export function verdictsText(runs: readonly { readonly verdict: VerdictName }[]): string {
  return [...grouped(runs, ({ verdict }) => verdict)]
    .map(([verdict, all]) => `${all.length} ${verdict}`)
    .join(', ')
}

const maxCalls = 5

/** The reason for a verdict: `… See request 0.` */
export function reasonLine({ reason, evidence }: ShownRun): string {
  if (evidence.length === 0) return reason
  const more = evidence.length > maxCalls ? ', …' : ''
  const shown = evidence.slice(0, maxCalls).join(', ')
  return `${reason} See request${evidence.length === 1 ? '' : 's'} ${shown}${more}.`
}
