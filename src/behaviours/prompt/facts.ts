/** What is known when a schema is filled: the prompt, what was said around it, and what tools returned. */
import { Reading } from './reading.ts'
import { subjectOf } from './topic.ts'
import { promptWords, stemOf } from './words.ts'

/** An object that a tool returned, or that a prompt holds. */
export interface Found {
  readonly value: Readonly<Record<string, unknown>>
  /** The stems of what it belongs to: the tool that returned it, the names of what contains it. */
  readonly stems: readonly string[]
}

/** What a tool returned. */
export interface Returned {
  readonly name: string
  readonly result: string
}

export interface PromptFacts {
  /** The words that ask. */
  readonly own: Reading
  /** What was said before and around, the nearest first. */
  readonly others: readonly Reading[]
  /** The objects in the prompt. */
  readonly records: readonly Found[]
  /** The objects that tools returned, the latest call first. */
  readonly results: readonly Found[]
  /** The texts in arrays that tools returned. */
  readonly lists: readonly string[]
  /** All that tools returned, as text. */
  readonly said: string
  /** The number that "the result" means. */
  readonly lastNumber: number | undefined
  /** A short noun phrase of what is asked; `''` when there is none. */
  readonly subject: string
  /** All words of the prompt, lower case and singular. */
  readonly words: readonly string[]
  /** The stems of the words that the tool itself has. */
  readonly toolStems: ReadonlySet<string>
  /** Whether optional values are left out of which nothing is said, as in the arguments of a tool. */
  readonly sparing: boolean
}

interface Around {
  readonly now?: number
  readonly others?: readonly string[]
  readonly results?: readonly Returned[]
  readonly toolStems?: ReadonlySet<string>
  readonly sparing?: boolean
}

const start2026 = Date.UTC(2026, 0, 1)
const maxResults = 100_000

export function readPromptFacts(prompt: string, around: Around = {}): PromptFacts {
  const {
    now = start2026,
    others = [],
    results = [],
    toolStems = new Set<string>(),
    sparing = false,
  } = around
  const own = new Reading(prompt, now)
  const found: Found[] = []
  const lists: string[] = []
  const said: string[] = []
  let room = maxResults
  for (const { name, result } of results.toReversed()) {
    const text = result.slice(0, Math.max(0, room))
    room -= text.length
    const value = parsed(text)
    if (value === undefined || typeof value !== 'object') said.push(text)
    else collect(value, stemsOf(name), found, lists)
  }
  const last = results.at(-1)?.result.slice(-2000)
  const numbers = (last ?? '')
    .replace(/"[^"]*"/g, ' ')
    .match(/(?<![\w.-])-?\d{1,15}(?:\.\d{1,12})?(?![\w-])/g)
  return {
    own,
    others: [...said, ...others].filter((text) => text.trim() !== '').map((text) => new Reading(text, now)),
    get records() {
      const inPrompt: Found[] = []
      for (const { value } of own.of('json')) collect(value, [], inPrompt, [])
      return inPrompt
    },
    results: found,
    lists,
    said: results
      .map(({ result }) => result)
      .join('\n')
      .slice(0, 4000)
      .trim(),
    lastNumber: numbers === null ? undefined : Number(numbers.at(-1)),
    get subject() {
      return subjectOf(own.text)
    },
    get words() {
      return promptWords(own.text)
    },
    toolStems,
    sparing,
  }
}

const stemsOf = (name: string): readonly string[] => promptWords(name).map(stemOf)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The objects in a value, outer ones first, with the names of what contains them. */
function collect(value: unknown, stems: readonly string[], found: Found[], lists: string[], depth = 0): void {
  if (value === null || typeof value !== 'object' || found.length > 200 || depth > 8) return
  if (Array.isArray(value)) {
    for (const part of value.slice(0, 100))
      if (typeof part === 'string') lists.push(part)
      else collect(part, stems, found, lists, depth + 1)
    return
  }
  found.push({ value: value as Found['value'], stems })
  for (const [key, part] of Object.entries(value).slice(0, 100))
    if (part !== null && typeof part === 'object')
      collect(part, [...stems, ...stemsOf(key)], found, lists, depth + 1)
}
