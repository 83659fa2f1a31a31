/** JSON of which the journal has kept only the beginning. */
import { jsonIn } from '../engine/fields.ts'

/** JSON that was cut in a string, with this string and what surrounds it closed. */
export function closed(text: string): unknown {
  let ends = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|"[^]*|[[\]{}]/g)) {
    if (token === '{') ends = `}${ends}`
    else if (token === '[') ends = `]${ends}`
    else if (token === '}' || token === ']') ends = ends.slice(1)
  }
  // The last character may be a part of an escape sequence.
  for (let end = text.length; end > text.length - 6; end--) {
    const json = jsonIn(`${text.slice(0, end)}"${ends}`)
    if (json !== undefined) return json
  }
  return undefined
}
