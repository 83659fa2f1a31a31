/** The table of a trial: one row for each failure, one column for each operation. */
import type { Paint, Style } from '../text/paint.ts'
import { wrap } from '../text/printable.ts'
import type { JudgedCell } from './trial.ts'

/** An operation. Its cells have one sign for each of these runs. */
export interface Column {
  readonly operation: string
  /** The numbers of the failing requests; the last one, undefined, means "every request". */
  readonly runs: readonly (number | undefined)[]
}

export interface Table {
  readonly columns: readonly Column[]
  readonly failures: readonly string[]
  find(failure: string, operation: string, nth: number | undefined): JudgedCell | undefined
}

export function tableOf(cells: readonly JudgedCell[]): Table {
  const keyOf = (failure: string, operation: string, nth: number | undefined): string =>
    `${failure} ${operation} ${nth}`
  const found = new Map(
    cells.map((one) => [keyOf(one.cell.failure.id, one.cell.operation, one.cell.nth), one]),
  )
  const numbers = new Map<string, Set<number | undefined>>()
  for (const { cell } of cells) {
    const known = numbers.get(cell.operation) ?? new Set()
    numbers.set(cell.operation, known.add(cell.nth))
  }
  return {
    columns: [...numbers].map(([operation, runs]) => ({
      operation,
      runs: [...runs].sort((a, b) => (a ?? Infinity) - (b ?? Infinity)),
    })),
    failures: [...new Set(cells.map(({ cell }) => cell.failure.id))],
    find: (failure, operation, nth) => found.get(keyOf(failure, operation, nth)),
  }
}

/** One sign for each verdict. A capital letter means that the verdict is not acceptable. */
const signs: Readonly<Record<string, string>> = {
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
const halfSign = '½'
/** The sign of a run that did not happen. */
const noSign = '.'

export function signOf(one: JudgedCell | undefined): string {
  if (one === undefined) return noSign
  if (one.half) return halfSign
  const sign = signs[one.verdict] ?? '?'
  if (one.acceptable) return sign
  return sign === '+' ? '!' : sign.toUpperCase()
}

/** `ignored`; `fell back, partial text`. */
const wordsFor = ({ verdict, half }: JudgedCell): string => (half ? `${verdict}, partial text` : verdict)

/** The legend of the signs in the table: `+ recovered`, `I ignored (not acceptable)`. */
export function legendOf(cells: readonly JudgedCell[]): string[] {
  const all = [...new Map(cells.map((one) => [signOf(one), one])).values()]
  return all
    .sort((a, b) => Number(b.acceptable) - Number(a.acceptable))
    .map((one) => `${signOf(one)} ${wordsFor(one)}${one.acceptable ? '' : ' (not acceptable)'}`)
}

/** The meaning of the signs of one operation. */
export function orderOf({ columns }: Table): string {
  const runs = new Set(columns.flatMap((column) => column.runs))
  const isMany = [...runs].some((nth) => nth !== undefined && nth > 1)
  return isMany
    ? 'For each operation, its requests fail one at a time; then every request fails.'
    : 'For each operation, one request fails first; then every request fails.'
}

function styleOf(one: JudgedCell | undefined): Style {
  if (one === undefined) return 'dim'
  if (!one.acceptable) return ['red', 'bold']
  return one.verdict === 'recovered' ? 'green' : 'yellow'
}

const width = 100
const gap = '  '

/** At most 100 columns wide: words and names of operations if there is room, otherwise signs and numbers. */
export function textOfTable(cells: readonly JudgedCell[], paint: Paint): string {
  const table = tableOf(cells)
  const words = lines(table, { paint, text: (one) => shout(one), head: namesOf(table), between: gap })
  if (table.columns.length <= 2 && words.width <= width) return `${words.text}\n${orderOf(table)}\n`
  const named = lines(table, { paint, text: signOf, head: namesOf(table), between: ' ' })
  const legend = wrap('', [...legendOf(cells), orderOf(table)].join('; '), width).join('\n')
  if (named.width <= width) return `${named.text}\n${legend}\n`
  const numbers = table.columns.map((_, index) => String(index + 1))
  const key = table.columns.map(({ operation }, index) => `${index + 1} ${operation}`).join('; ')
  const numbered = lines(table, { paint, text: signOf, head: numbers, between: ' ' })
  return `${numbered.text}\n${wrap('', key, width).join('\n')}\n${legend}\n`
}

function shout(one: JudgedCell | undefined): string {
  if (one === undefined) return ''
  return one.acceptable ? wordsFor(one) : wordsFor(one).toUpperCase()
}

const namesOf = ({ columns }: Table): string[] => columns.map(({ operation }) => operation)

interface Look {
  readonly paint: Paint
  readonly text: (one: JudgedCell | undefined) => string
  readonly head: readonly string[]
  /** The separator between the runs of one operation. */
  readonly between: string
}

function lines(table: Table, { paint, text, head, between }: Look): { text: string; width: number } {
  const { columns, failures, find } = table
  const first = Math.max(7, ...failures.map((name) => name.length))
  const runWidths = columns.map(({ operation, runs }) =>
    runs.map((nth) => Math.max(...failures.map((failure) => text(find(failure, operation, nth)).length))),
  )
  const widths = runWidths.map((each, index) =>
    Math.max(
      head[index]?.length ?? 0,
      each.reduce((sum, one) => sum + one, between.length * (each.length - 1)),
    ),
  )
  const cellOf = (failure: string, { operation, runs }: Column, index: number): string => {
    let length = 0
    const parts = runs.map((nth, at) => {
      const one = find(failure, operation, nth)
      const room = runWidths[index]?.[at] ?? 0
      const shown = text(one)
      length += room + (at === 0 ? 0 : between.length)
      return `${shown === '' ? '' : paint(styleOf(one), shown)}${' '.repeat(room - shown.length)}`
    })
    return parts.join(between) + ' '.repeat(Math.max(0, (widths[index] ?? 0) - length))
  }
  const headLine = ['failure'.padEnd(first), ...head.map((name, index) => name.padEnd(widths[index] ?? 0))]
  const rows = failures.map((failure) =>
    [failure.padEnd(first), ...columns.map((column, index) => cellOf(failure, column, index))].join(gap),
  )
  return {
    text: [headLine.join(gap), ...rows].map((line) => `${line.trimEnd()}\n`).join(''),
    width: widths.reduce((sum, one) => sum + gap.length + one, first),
  }
}
