/** The table of a trial: one row for each failure, one column for each operation. */
import { grouped } from '../engine/fields.ts'
import type { Section, Cell as TableCell } from '../report/report.ts'
import type { TrialVerdict, VerdictName } from './judge.ts'

/** The verdict on one run, as a report shows it. */
export interface ShownRun extends Pick<TrialVerdict, 'verdict' | 'half' | 'reason' | 'evidence'> {
  readonly title: string
  readonly operation: string
  readonly failure: string
  readonly what: string
  /** The number of the request that failed; undefined if every request did. */
  readonly nth: number | undefined
  readonly acceptable: boolean
}

/** One sign for each verdict. A capital letter means that the verdict is not acceptable. */
const signs: Readonly<Record<VerdictName, string>> = {
  recovered: '+',
  'fell back': 'f',
  'gave up': 'g',
  ignored: 'i',
  duplicated: 'd',
  hammered: 'm',
  hung: 'h',
  crashed: 'c',
  leaked: 'l',
  unstable: 'u',
  'not reached': '-',
}
/** The sign of a run that did not happen. */
const noSign = '.'

/** Operations beside each other for which the table has words. */
const maxWords = 2

/** Words where there is room, else signs with a legend. A cell has the runs of its operation in order. */
export function tableSection(runs: readonly ShownRun[]): Section {
  const operations = [...new Set(runs.map(({ operation }) => operation))]
  const byPlace = grouped(runs, ({ failure, operation }) => `${failure} ${operation}`)
  const hasWords = operations.length <= maxWords
  const numbers = new Map(
    [...grouped(runs, ({ operation }) => operation)].map(([operation, all]) => [operation, numbersOf(all)]),
  )
  const cellOf = (failure: string, operation: string): TableCell => {
    const own = byPlace.get(`${failure} ${operation}`) ?? []
    const all = (numbers.get(operation) ?? []).map((nth) => own.find((one) => one.nth === nth))
    const found = all.flatMap((one) => one ?? [])
    return {
      text: hasWords
        ? found.map((one) => shouted(wordsFor(one), one)).join(', ')
        : all.map((one) => signOf(one)).join(' '),
      outcome: found.every(({ acceptable }) => acceptable) ? outcomeOf(found) : 'failed',
    }
  }
  const rows = [...new Set(runs.map(({ failure }) => failure))].map((failure) => [
    failure,
    ...operations.map((operation) => cellOf(failure, operation)),
  ])
  const order = 'For each operation, its requests fail one at a time; then every request fails.'
  return {
    table: { head: ['failure', ...operations], rows },
    notes: rows.length === 0 ? [] : [...(hasWords ? [] : [legendOf(runs)]), order],
  }
}

/** The failing requests of an operation; undefined, which means "every request", comes last. */
const numbersOf = (runs: readonly ShownRun[]): (number | undefined)[] =>
  [...new Set(runs.map(({ nth }) => nth))].sort((a, b) => (a ?? Infinity) - (b ?? Infinity))

const outcomeOf = (runs: readonly ShownRun[]): TableCell['outcome'] =>
  runs.every(({ verdict }) => verdict === 'recovered') ? 'passed' : 'warning'

function signOf(one: ShownRun | undefined): string {
  if (one === undefined) return noSign
  if (one.half) return '½'
  return one.verdict === 'recovered' && !one.acceptable ? '!' : shouted(signs[one.verdict], one)
}

const shouted = (text: string, { acceptable }: ShownRun): string => (acceptable ? text : text.toUpperCase())

/** `ignored`; `fell back, partial text`. */
const wordsFor = ({ verdict, half }: ShownRun): string => (half ? `${verdict} (partial text)` : verdict)

/** `+ recovered; I ignored (not acceptable)`. */
function legendOf(runs: readonly ShownRun[]): string {
  const all = [...new Map(runs.map((one) => [signOf(one), one])).values()]
  return all
    .sort((a, b) => Number(b.acceptable) - Number(a.acceptable))
    .map((one) => `${signOf(one)} ${wordsFor(one)}${one.acceptable ? '' : ' (not acceptable)'}`)
    .join('; ')
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
