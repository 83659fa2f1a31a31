/**
 * What is unfinished: JSON that ends in the middle, and what the client has put into the assistant's mouth,
 * which is continued without repeating it.
 */

import { type Fields, isFields, jsonIn } from '../../engine/fields.ts'

// Longer beginnings are continued as text; nobody writes them by hand.
const maxJsonLength = 20_000
const longestOverlap = 2000
const shortestOverlap = 3

const jsonBegun = /^\s*(?:\{\s*(?:"|$)|\[\s*(?:$|[{["\d-]))/
const fence = /^\s*```\w*\n?\s*/

/** Whether a beginning asks for JSON: `{`, `{"name": "`, "```json". */
export function beginsJson(prefill: string): boolean {
  return (
    prefill.length <= maxJsonLength &&
    (/^\s*```(?:json)?\s*$/.test(prefill) || jsonBegun.test(prefill.replace(fence, '')))
  )
}

/** What comes after `prefill` when `answer` was to be said. `given` is an answer asked for word for word. */
export function continued(prefill: string, answer: string, given: boolean): string {
  if (answer.startsWith(prefill)) return answer.slice(prefill.length)
  if (beginsJson(prefill)) return continuedJson(prefill, answer)
  const tag = /<([A-Za-z][\w-]*)>$/.exec(prefill)?.[1]
  if (tag !== undefined) return `${answer}</${tag}>`
  const rest = withoutOverlap(prefill, answer)
  if (rest !== undefined) return rest
  const end = prefill.slice(-1)
  // An opening bracket or quote is continued inside, and closed behind the answer unless the answer is a
  // value of its own.
  const opened = brackets[end]
  if (opened !== undefined) return given ? `${answer}${opened}` : answer
  return ` ${answer}`
}

const brackets: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{': '}',
  '"': '"',
  '“': '”',
  '«': '»',
  '‘': '’',
  '`': '`',
}

function continuedJson(prefill: string, answer: string): string {
  const fenced = fence.test(prefill)
  const begun = prefill.replace(fence, '')
  const end = fenced ? '\n```' : ''
  if (begun === '') return `\n${answer}${end}`
  const same = sameBeginning(begun, answer)
  return (same === undefined ? continuation(begun, saidIn(answer)) : answer.slice(same)) + end
}

/**
 * How much of the answer the beginning already has, ignoring white space; undefined when it has something
 * else.
 */
function sameBeginning(begun: string, answer: string): number | undefined {
  let at = 0
  for (const character of begun) {
    if (/\s/.test(character) && answer[at] !== character) continue
    if (!answer.startsWith(character, at)) return undefined
    at += character.length
  }
  return at
}

/** The first words that an answer in JSON says, for a place where its shape does not fit. */
const saidIn = (answer: string): string => firstText(jsonIn(answer)) ?? answer

function firstText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return undefined
  for (const inner of Object.values(value)) {
    const found = firstText(inner)
    if (found !== undefined) return found
  }
  return undefined
}

/** The answer without what the beginning ends in. */
function withoutOverlap(prefill: string, answer: string): string | undefined {
  for (
    let length = Math.min(prefill.length, answer.length, longestOverlap);
    length >= shortestOverlap;
    length--
  ) {
    if (prefill.endsWith(answer.slice(0, length))) return answer.slice(length)
  }
  return undefined
}

interface Scan {
  /** The brackets that are open, outermost first. */
  readonly open: string
  /** What the text ends in or before. */
  readonly at: 'value' | 'key' | 'colon' | 'comma' | 'string' | 'key string'
  /** The longest beginning that needs nothing but closing brackets, and those brackets. */
  readonly whole: { readonly end: number; readonly open: string }
}

/** Parses what should be an object: the object, the whole parts of a truncated one, or an empty one. */
export function objectOf(text: string): Fields {
  const value = jsonIn(text) ?? (/^\s*\{/.test(text) ? cutOr(text) : undefined)
  return isFields(value) ? value : {}
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
