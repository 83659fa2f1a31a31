/** A report in Markdown, for the summary of a CI job. */
import { markdownTable } from '../text/printable.ts'
import { filled, type Item, type Report, type Section, shownItems, textOf } from './report.ts'

/** GitHub shows summaries of at most 1 MiB. */
const maxBytes = 900_000

/** The document; texts are escaped. */
export function markdownReport(report: Report): string {
  const { command, subject, outcome, summary } = report
  const parts = [
    `## ${command} ${outcome}${subject === '' ? '' : `: ${inline(subject)}`}\n`,
    `${inline(summary)}\n`,
  ]
  let room = maxBytes - sizeOf(parts.join('\n'))
  const blocks = filled(report).flatMap(sectionBlocks)
  for (const [index, block] of blocks.entries()) {
    room -= sizeOf(block)
    if (room < 0) {
      parts.push(`${blocks.length - index} more parts are not shown.\n`)
      break
    }
    parts.push(block)
  }
  return parts.join('\n')
}

const sizeOf = (text: string): number => new TextEncoder().encode(text).length + 1

function sectionBlocks(section: Section): string[] {
  const { title, table, code, notes = [] } = section
  const rows = table?.rows.map((row) => row.map((cell) => inline(textOf(cell)))) ?? []
  return [
    ...(title === undefined ? [] : [`### ${inline(title)}\n`]),
    ...(table === undefined || rows.length === 0 ? [] : [markdownTable(table.head.map(inline), rows)]),
    ...itemBlocks(shownItems(section)),
    ...(code === undefined ? [] : [codeBlock(code.language, code.text)]),
    ...notes.map((note) => `${inline(note)}\n`),
  ]
}

/** A list, without blank lines between items that have no details. */
function itemBlocks(items: readonly Item[]): string[] {
  const blocks: string[] = []
  let list = ''
  for (const item of items) {
    const { title, lines = [], code = [], attachments = [] } = item
    if (code.length + attachments.length === 0) {
      list += [`- ${inline(title)}`, ...lines.map((line) => `  - ${inline(line)}`), ''].join('\n')
      continue
    }
    if (list !== '') blocks.push(list)
    list = ''
    blocks.push(detailsBlock(item))
  }
  return list === '' ? blocks : [...blocks, list]
}

function detailsBlock({ title, lines = [], code = [], attachments = [] }: Item): string {
  return [
    `<details><summary>${inline(title)}</summary>\n`,
    ...lines.map((line) => `${inline(line)}\n`),
    ...[...code, ...attachments].map(({ language, text }) => codeBlock(language, text)),
    '</details>\n',
  ].join('\n')
}

// Text from clients and gateways must not turn into an image, a link or a heading. Code stays code.
function inline(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/(`[^`]+`)|[\\`*_[\]<>#~!]/g, (found, code?: string) => code ?? `\\${found}`)
}

/** A block of code, whose fence is longer than any in the text. */
function codeBlock(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`
}
