/** What is wrong with a YAML text, in words that say what to change. */

import { clip, show } from '../../protocol/wording.ts'

/** What the parser says of a place. */
export interface YamlComplaint {
  readonly code: string
  readonly message: string
  /** Its position in the text. */
  readonly offset: number
}

/** The parser's complaint for somebody who writes a file by hand. */
export function yamlWords(text: string, { code, message, offset }: YamlComplaint): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document starts here: expected one document per file'
  if (code === 'TAB_AS_INDENT') return `${message}: use spaces`
  if (text[offset - 1] === '$' && text[offset] === '{')
    return 'a text with ${…} needs quotes inside { } and [ ]: "${…}"'
  if (
    /^Plain value cannot start with|^Block collections are not allowed|^Nested mappings are not allowed/.test(
      message,
    )
  )
    return `${message}: put the text into quotes`
  if (/^All (?:sequence|mapping) items must start|^Sequence item without/.test(message))
    return 'inconsistent indentation: the items of a list, and the keys of an object, must be aligned'
  if (/^Missing closing .quote/.test(message)) return 'the closing quote of a text is missing'
  if (/^Flow (?:sequence|map)/.test(message))
    return message.includes('map')
      ? 'a { before this is not closed: expected }'
      : 'a [ before this is not closed: expected ]'
  if (/^Implicit keys need to be on a single line/.test(message))
    return 'expected `key: value`: a colon and a space are missing, here or at the end of this line'
  if (message === 'Alias cannot be an empty string') return noAnchor('')
  return message
}

/** An alias that leads nowhere; most often a text that was meant. */
export function noAnchor(name: string): string {
  const shown = clip(name, 58)
  const missing = name === '' ? '' : `no anchor &${shown} before this alias; `
  return `${missing}text that starts with * needs quotes: "*${shown}"`
}

/** A key inside braces with nothing behind it; most often the end of a text with a comma. */
export function noValue(key: string): string {
  return `${show(key)} has no value: a text with a comma needs quotes inside { } and [ ]`
}

/** A bound for recursive checks. */
export const maxLevels = 200

export const tooDeep = `nested more than ${maxLevels} levels deep`

/**
 * The path of a value below the deepest allowed level; undefined when there is none. Goes into each value
 * without calling itself.
 */
export function tooDeepAt(value: unknown): readonly (string | number)[] | undefined {
  const open: { readonly value: unknown; readonly path: readonly (string | number)[] }[] = [
    { value, path: [] },
  ]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one.value === null || typeof one.value !== 'object') continue
    if (one.path.length > maxLevels) return one.path
    const inner = Array.isArray(one.value)
      ? one.value.map((item: unknown, index) => [index, item] as const)
      : Object.entries(one.value)
    for (const [name, item] of inner) open.push({ value: item, path: [...one.path, name] })
  }
  return undefined
}
