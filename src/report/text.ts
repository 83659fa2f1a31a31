/** A report for a terminal. */
import { type Paint, plain, type Style } from '../text/paint.ts'
import { escapeControls, wrap } from '../text/printable.ts'
import {
  type Cell,
  filled,
  type Item,
  type Outcome,
  type Report,
  type Section,
  shownItems,
  type Table,
  textOf,
} from './report.ts'

const width = 100

const styles: Readonly<Record<Outcome, Style>> = {
  passed: 'green',
  failed: 'red',
  warning: 'yellow',
  skipped: 'yellow',
  note: 'dim',
}
const marks: Readonly<Record<Outcome, string>> = {
  passed: '✓ ',
  failed: '✗ ',
  warning: '! ',
  skipped: '- ',
  note: '',
}

/**
 * The title, the sections and the summary, with blank lines between them; without a subject, the findings and
 * the summary alone.
 */
export function textReport(report: Report, paint: Paint = plain): string {
  const { command, subject, outcome, summary } = report
  const title = subject === '' ? [] : [paint('bold', `${command}: ${escapeControls(subject)}`)]
  const blocks = [
    ...title,
    ...filled(report).map((section) => sectionText(section, paint)),
    paint(styles[outcome], escapeControls(summary)),
  ]
  return `${blocks.join(subject === '' ? '\n' : '\n\n')}\n`
}

function sectionText(section: Section, paint: Paint): string {
  const { title, outcome, table, code, notes = [] } = section
  const heading =
    title === undefined
      ? []
      : [paint(outcome === undefined ? 'bold' : styles[outcome], `${escapeControls(title)}:`)]
  return [
    ...heading,
    ...(table === undefined || table.rows.length === 0 ? [] : tableLines(table, paint)),
    ...shownItems(section).flatMap((item) => itemLines(item, paint)),
    ...(code === undefined ? [] : codeLines(code.text).map((line) => line.trimEnd())),
    ...notes
      .flatMap((note) => wrap(title === undefined ? '' : '  ', escapeControls(note), width))
      .map((line) => paint('dim', line)),
  ].join('\n')
}

export function itemLines(item: Item, paint: Paint): string[] {
  const { outcome, lines = [], code = [] } = item
  const mark = item.place === undefined ? marks[outcome] : ''
  const indent = ' '.repeat(mark.length + 4)
  return [
    ...headLines(item, mark, paint),
    ...lines.flatMap((line) => wrap(indent, escapeControls(line), width)),
    ...code
      .flatMap(({ text }) => codeLines(text, mark === '' ? '' : '    '))
      .map((line) => paint('dim', line)),
  ]
}

/** Terminals and editors open what begins with a place: `video.yaml:3:5: unknown field`. */
function headLines({ outcome, title, place }: Item, mark: string, paint: Paint): string[] {
  if (place !== undefined) {
    const at = [place.file, place.line, place.column].filter((part) => part !== undefined).join(':')
    return [`${paint('bold', `${at}:`)} ${escapeControls(title)}`]
  }
  const [first = '', ...more] = wrap(`  ${mark}`, escapeControls(title), width)
  return [mark === '' ? first : first.replace(mark.trim(), paint(styles[outcome], mark.trim())), ...more]
}

const codeLines = (text: string, indent = ''): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `${indent}  ${escapeControls(line)}`)

function tableLines({ head, rows }: Table, paint: Paint): string[] {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => textOf(row[column] ?? '').length)),
  )
  const lineOf = (cells: readonly (string | Cell)[]): string =>
    `  ${cells.map((cell, column) => padded(cell, widths[column] ?? 0, paint)).join('  ')}`.trimEnd()
  return [lineOf(head), ...rows.map(lineOf)]
}

function padded(cell: string | Cell, room: number, paint: Paint): string {
  const text = escapeControls(textOf(cell))
  const space = ' '.repeat(Math.max(0, room - text.length))
  return (typeof cell === 'string' || text === '' ? text : paint(styles[cell.outcome], text)) + space
}
