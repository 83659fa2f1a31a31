/** Line wrapping. */

/**
 * Wraps a text at `width` columns, at spaces where possible. The first line starts with `prefix`, the others
 * are indented to match.
 */
export function wrap(prefix: string, text: string, width: number): string[] {
  const room = width - prefix.length
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((word) => splitWord(word, room))) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  const indent = ' '.repeat(prefix.length)
  return lines.map((line, index) => `${index === 0 ? prefix : indent}${line}`.trimEnd())
}

function splitWord(word: string, room: number): string[] {
  const characters = [...word]
  if (characters.length <= room) return [word]
  return Array.from({ length: Math.ceil(characters.length / room) }, (_, index) =>
    characters.slice(index * room, (index + 1) * room).join(''),
  )
}
