/** Continues what the client has put into the assistant's mouth, without repeating it. */
import { continuation } from './partial-json.ts'

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
function saidIn(answer: string): string {
  try {
    const said = firstText(JSON.parse(answer))
    if (said !== undefined) return said
  } catch {
    // No JSON: used as it is.
  }
  return answer
}

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
