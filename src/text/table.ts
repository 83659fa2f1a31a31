/** Tables for a terminal and for Markdown. */

/** Columns of equal width, two spaces apart; no trailing spaces. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return all.map((row) => `${lineOf(row)}\n`).join('')
}

/** A table in GitHub Flavored Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lineOf = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
  return lineOf(head) + lineOf(head.map(() => '---')) + rows.map(lineOf).join('')
}
