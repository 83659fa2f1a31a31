/** JSON that ends in the middle: how far it goes, how it can be closed, how it can go on. */

interface Scan {
  /** The brackets that are open, outermost first. */
  readonly open: string
  /** What the text ends in or before. */
  readonly at: 'value' | 'key' | 'colon' | 'comma' | 'string' | 'key string'
  /** The longest beginning that needs nothing but closing brackets, and those brackets. */
  readonly whole: { readonly end: number; readonly open: string }
}

/** Parses what should be an object: the object, the whole parts of a truncated one, or an empty one. */
export function objectOf(text: string): Record<string, unknown> {
  const value = parsed(text) ?? (/^\s*\{/.test(text) ? cutOr(text) : undefined)
  return isObject(value) ? value : {}
}

/** Whether a text is the JSON of an object. */
export function isWholeObject(text: string): boolean {
  return isObject(parsed(text))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// A text that is no beginning of JSON cannot be closed either.
function cutOr(text: string): unknown {
  try {
    return cutObject(text)
  } catch {
    return undefined
  }
}

/** The value of JSON that was cut: what is whole of it, as an object. Empty when nothing is. */
export function cutObject(text: string): Record<string, unknown> {
  const { whole } = scan(text)
  return whole.end === 0
    ? {}
    : (JSON.parse(text.slice(0, whole.end) + closing(whole.open)) as Record<string, unknown>)
}

/** What makes a beginning of JSON whole, with `said` (plain words) where a value is wanted. */
export function continuation(text: string, said: string): string {
  const { open, at } = scan(text)
  const value = JSON.stringify(said)
  const close = closing(open)
  switch (at) {
    case 'string':
      return `${value.slice(1)}${close}`
    case 'key string':
      return `": ${value}${close}`
    case 'colon':
      return `: ${value}${close}`
    case 'key':
      return `"answer": ${value}${close}`
    case 'value':
      return `${value}${close}`
    case 'comma':
      return close
  }
}

const closing = (open: string): string =>
  [...open]
    .reverse()
    .map((bracket) => (bracket === '{' ? '}' : ']'))
    .join('')

// Only beginnings of valid JSON reach this; characters that are invalid at their place are skipped.
function scan(text: string): Scan {
  let open = ''
  let at: Scan['at'] = 'value'
  let whole = { end: 0, open: '' }
  const token = /"[^"\\]*(?:\\[^][^"\\]*)*"|"[^]*$|[-\w.+]+|[{}[\],:]/g
  for (const { 0: part, index } of text.matchAll(token)) {
    const end = index + part.length
    const closed = /^"[^"\\]*(?:\\[^][^"\\]*)*"$/.test(part)
    if (part === '{' || part === '[') {
      open += part
      at = part === '{' ? 'key' : 'value'
      whole = { end, open }
    } else if (part === '}' || part === ']') {
      open = open.slice(0, -1)
      at = 'comma'
      whole = { end, open }
    } else if (part === ',') {
      at = open.endsWith('{') ? 'key' : 'value'
    } else if (part === ':') {
      at = 'value'
    } else if (part.startsWith('"') && !closed) {
      at = at === 'key' ? 'key string' : 'string'
    } else if (at === 'key') {
      at = 'colon'
    } else {
      at = 'comma'
      // A number at the very end may have more digits, and an unfinished word more letters.
      if (closed || /^(?:true|false|null)$/.test(part) || (end < text.length && /^-?\d/.test(part)))
        whole = { end, open }
    }
  }
  return { open, at, whole }
}
