/** The report on a trial in Markdown, short enough for the summary of a CI job. */
import { codeBlock, inline } from '../text/markdown.ts'
import { markdownTable } from '../text/printable.ts'
import { scenarioText } from './by-hand.ts'
import { type CommandFor, summaryOf, type TrialReport } from './report.ts'
import { legendOf, orderOf, signOf, type Table, tableOf } from './table.ts'
import { type JudgedCell, titleOf } from './trial.ts'

/** Wider tables are split. */
const maxColumns = 6
/** GitHub shows summaries of at most 1 MiB. */
const maxBytes = 900_000

export function markdownTrial(report: TrialReport, again: CommandFor): string {
  const { command, planned, cells } = report
  const head = `## gateway-sim trial: ${inline(command.join(' '))}\n\n${inline(summaryOf(cells, planned))}\n`
  if (cells.length === 0) return head
  const table = tableOf(cells)
  const parts = [
    head,
    ...splitTables(table),
    `${[...legendOf(cells).map(inline), inline(orderOf(table))].join(' · ')}\n`,
  ]
  const bad = cells.filter(({ acceptable }) => !acceptable)
  if (bad.length > 0) parts.push('### Not acceptable\n')
  let room = maxBytes - sizeOf(parts.join('\n'))
  for (const [index, one] of bad.entries()) {
    const text = detailsOf(one, again)
    room -= sizeOf(text)
    if (room < 0) {
      parts.push(`${bad.length - index} more runs are not listed.\n`)
      break
    }
    parts.push(text)
  }
  return parts.join('\n')
}

const sizeOf = (text: string): number => new TextEncoder().encode(text).length + 1

function splitTables({ columns, failures, find }: Table): string[] {
  const tables: string[] = []
  for (let at = 0; at < columns.length; at += maxColumns) {
    const shown = columns.slice(at, at + maxColumns)
    const rows = failures.flatMap((failure) => {
      const cells = shown.map(({ operation, runs }) => runs.map((nth) => find(failure, operation, nth)))
      // Another table has this row.
      if (cells.flat().every((one) => one === undefined)) return []
      return [[inline(failure), ...cells.map((runs) => runs.map(shownSign).join(' '))]]
    })
    tables.push(markdownTable(['Failure', ...shown.map(({ operation }) => inline(operation))], rows))
  }
  return tables
}

function shownSign(one: JudgedCell | undefined): string {
  const sign = inline(signOf(one))
  return one === undefined || one.acceptable ? sign : `**${sign}**`
}

function detailsOf({ cell, verdict, reason }: JudgedCell, again: CommandFor): string {
  return [
    '<details>',
    `<summary>${titleOf(cell)}: ${verdict}</summary>\n`,
    `${inline(`${cell.failure.what} ${reason}`)}\n`,
    codeBlock('sh', again(cell)),
    codeBlock('yaml', scenarioText(cell)),
    '</details>\n',
  ].join('\n')
}
