/** Unfinished text: truncated JSON, and prefills, which the response continues without repeating them. */

import { type Fields, isFields, jsonIn } from '../../engine/fields.ts'

// Longer prefills are continued as text.
const maxJsonLength = 20_000
const longestOverlap = 2000
const shortestOverlap = 3

const jsonBegun = /^\s*(?:\{\s*(?:"|$)|\[\s*(?:$|[{["\d-]))/
const fence = /^\s*```\w*\n?\s*/

/** Whether a prefill asks for JSON: `{`, `{"name": "`, "```json". */
export function beginsJson(prefill: string): boolean {
  return (
    prefill.length <= maxJsonLength &&
    (/^\s*```(?:json)?\s*$/.test(prefill) || jsonBegun.test(prefill.replace(fence, '')))
  )
}

/** The continuation of `prefill` for `answer`. `given` is an answer that the prompt dictates. */
export function continued(prefill: string, answer: string, given: boolean): string {
  if (answer.startsWith(prefill)) return answer.slice(prefill.length)
  if (beginsJson(prefill)) return continuedJson(prefill, answer)
  const tag = /<([A-Za-z][\w-]*)>$/.exec(prefill)?.[1]
  if (tag !== undefined) return `${answer}</${tag}>`
  const rest = withoutOverlap(prefill, answer)
  if (rest !== undefined) return rest
  const end = prefill.slice(-1)
  // An open bracket or quote is closed after the answer, unless the answer is a complete value.
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
 * The length of the answer that the prefill already has, ignoring whitespace; undefined if it has other
 * text.
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

/** The first string of a JSON answer, for a place where the JSON does not fit. */
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

/** The answer without the end of the prefill. */
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
  /** The open brackets, outermost first. */
  readonly open: string
  /** The state at the end of the text. */
  readonly at: 'value' | 'key' | 'colon' | 'comma' | 'string' | 'key string'
  /** The longest prefix that needs only closing brackets, and those brackets. */
  readonly whole: { readonly end: number; readonly open: string }
}

/** Parses an object: the complete object, the complete members of a truncated object, or an empty object. */
export function objectOf(text: string): Fields {
  const value = jsonIn(text) ?? (/^\s*\{/.test(text) ? cutOr(text) : undefined)
  return isFields(value) ? value : {}
}

// A text that does not start JSON cannot be completed.
function cutOr(text: string): unknown {
  try {
    return cutObject(text)
  } catch {
    return undefined
  }
}

/** The complete members of truncated JSON as an object; empty if there are none. */
export function cutObject(text: string): Record<string, unknown> {
  const { whole } = scan(text)
  return whole.end === 0
    ? {}
    : (JSON.parse(text.slice(0, whole.end) + closing(whole.open)) as Record<string, unknown>)
}

/** The text that completes truncated JSON, with `said` (plain text) as a missing value. */
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

// The input starts like valid JSON; invalid characters are skipped.
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
      // A number at the end may lack digits, and a literal may lack letters.
      if (closed || /^(?:true|false|null)$/.test(part) || (end < text.length && /^-?\d/.test(part)))
        whole = { end, open }
    }
  }
  return { open, at, whole }
}
