/** Text from clients and servers, made safe for a terminal: escape sequences in it must have no effect. */

/** Everything but printable ASCII is written as `\u{…}`. */
export function asciiOnly(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, escapeCharacter)
}

/** Control characters are written as `\u{…}`, runs of white space as one space. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu, (characters) =>
    /^\s+$/.test(characters) ? ' ' : [...characters].map(escapeCharacter).join(''),
  )
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`
}
