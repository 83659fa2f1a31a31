/** A report in Markdown, for the summary of a CI job. */
import { markdownTable } from './printable.ts'

export interface MarkdownReport {
  readonly title: string
  readonly summary: string
  /** Left out where it has no rows. */
  readonly table: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  /** Those without lines are left out. */
  readonly lists: readonly { readonly title: string; readonly lines: readonly string[] }[]
}

/** The document; texts are escaped. */
export function markdownReport({ title, summary, table, lists }: MarkdownReport): string {
  const rows = table.rows.map((row) => row.map(inline))
  return [
    `## ${inline(title)}\n`,
    `${inline(summary)}\n`,
    ...(rows.length === 0 ? [] : [markdownTable(table.head, rows)]),
    ...lists.flatMap(({ title: heading, lines }) =>
      lines.length === 0 ? [] : [`### ${heading}\n`, lines.map((line) => `- ${inline(line)}\n`).join('')],
    ),
  ].join('\n')
}

// Text from clients and gateways must not turn into an image, a link or a heading. Code stays code.
export function inline(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/(`[^`]+`)|[\\`*_[\]<>#~!]/g, (found, code?: string) => code ?? `\\${found}`)
}

/** A block of code, whose fence is longer than any in the text. */
export function codeBlock(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`
}
