/** Text as XML holds it. */

/** Attributes as they stand in a tag, with a space in front of each. */
export function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        ` ${name}="${escaped(value).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)}"`,
    )
    .join('')
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * Text between tags. Characters that XML 1.0 cannot hold, not even escaped (section 2.2), are shown as what
 * they are.
 */
export function escaped(text: string): string {
  return text
    .replace(
      /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,
      (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
    )
    .replace(/[&<>"]/g, (character) => entities[character] as string)
}
