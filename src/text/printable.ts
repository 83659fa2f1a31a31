/** Text for people: counted nouns, wrapped lines, tables, and nothing that a terminal would obey. */

/** Everything but printable ASCII and the `…` of clipped text is written as `\u{…}`. */
export function asciiOnly(text: string): string {
  return text.replace(/[^\x20-\x7e…]/g, escapeCharacter)
}

/** Control characters are written as `\u{…}`, runs of whitespace as one space. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu, (characters, at: number) => {
    if (isJoiner(characters, text.slice(Math.max(0, at - 2), at), text.slice(at + 1, at + 3)))
      return characters
    return /^\s+$/.test(characters) ? ' ' : [...characters].map(escapeCharacter).join('')
  })
}

/** Whether it joins letters or the parts of an emoji. */
const isJoiner = (characters: string, before: string, after: string): boolean =>
  /^[\u200c\u200d]$/.test(characters) && /[\p{L}\p{M}\p{S}]$/u.test(before) && /^[\p{L}\p{S}]/u.test(after)

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`
}

/** `1 call`, `2 calls`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/**
 * Wraps a text at `width` columns, at spaces. The first line starts with `prefix`, the others
 * are indented to match.
 */
export function wrap(prefix: string, text: string, width: number): string[] {
  const room = width - prefix.length
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  const indent = ' '.repeat(prefix.length)
  return lines.map((line, index) => `${index === 0 ? prefix : indent}${line}`.trimEnd())
}

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
