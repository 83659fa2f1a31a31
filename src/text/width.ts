/** Texts in lines of so many columns. */

/**
 * A text in lines, broken at spaces where there are some; the first begins behind `first`, the others behind
 * as many spaces.
 */
export function paragraph(first: string, text: string, width: number): string[] {
  const room = width - first.length
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((one) => pieces(one, room))) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  return lines.map((one, index) => `${index === 0 ? first : ' '.repeat(first.length)}${one}`.trimEnd())
}

function pieces(word: string, room: number): string[] {
  const characters = [...word]
  if (characters.length <= room) return [word]
  return Array.from({ length: Math.ceil(characters.length / room) }, (_, index) =>
    characters.slice(index * room, (index + 1) * room).join(''),
  )
}
