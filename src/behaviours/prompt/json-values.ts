/** The JSON objects and arrays that stand in a text. */
import { type Fields, jsonIn } from '../../engine/fields.ts'

export interface JsonInText<Value = unknown> {
  readonly value: Value
  /** As written, and where it begins. */
  readonly text: string
  readonly at: number
}

/** The outermost JSON objects in a text, in order. */
export function objectsIn(text: string): readonly JsonInText<Fields>[] {
  return [...bracketedIn(text, /\{/g)].filter(
    (found): found is JsonInText<Fields> => found.value !== undefined,
  )
}

/**
 * What stands between brackets from each match of `opening` on: JSON, or with the value undefined anything
 * else, which may itself contain some.
 */
export function* bracketedIn(text: string, opening: RegExp): Generator<JsonInText> {
  for (let tries = 0; tries < maxTries; tries++) {
    const at = opening.exec(text)?.index
    if (at === undefined) return
    const end = closingBrace(text, at)
    if (end < 0) continue
    const value = jsonIn(text.slice(at, end + 1))
    yield { value, text: text.slice(at, end + 1), at }
    if (value !== undefined) opening.lastIndex = end + 1
  }
}

// Every brace may begin an object whose end has to be searched for, so all of it is bounded.
const maxTries = 40
const maxLength = 100_000
const maxNesting = 32

function closingBrace(text: string, from: number): number {
  let depth = 0
  let quoted = false
  const last = Math.min(text.length, from + maxLength)
  for (let at = from; at < last; at++) {
    const letter = text[at]
    if (quoted) {
      if (letter === '\\') at++
      else if (letter === '"') quoted = false
    } else if (letter === '"') quoted = true
    else if (letter === '{' || letter === '[') {
      if (++depth > maxNesting) return -1
    } else if ((letter === '}' || letter === ']') && --depth === 0) return at
  }
  return -1
}
