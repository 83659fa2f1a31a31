/** What is known when a schema is filled: the prompt, what was said around it, and what tools returned. */
import { jsonIn } from '../../engine/fields.ts'
import { copied } from '../../engine/redact.ts'
import { Reading } from './reading.ts'
import { subjectOf } from './topic.ts'
import { promptWords, stemOf } from './words.ts'

/** An object that a tool returned, or that a prompt holds. */
export interface Found {
  readonly value: Readonly<Record<string, unknown>>
  /** The stems of what it belongs to: the tool that returned it, the names of what contains it. */
  readonly stems: readonly string[]
}

/** What tools returned, read once for all that is filled from it. */
export interface Results {
  /** The objects, the latest call first. */
  readonly records: readonly Found[]
  /** The texts in arrays. */
  readonly lists: readonly string[]
  /** Results that are plain text. */
  readonly texts: readonly string[]
  /** All of it, as text. */
  readonly said: string
  /** The number that "the result" means. */
  readonly lastNumber: number | undefined
}

const maxResults = 100_000
const numberInResult = /(?<![\w.-])-?\d{1,15}(?:\.\d{1,12})?(?![\w-])/g

const noResults: Results = { records: [], lists: [], texts: [], said: '', lastNumber: undefined }

export function readResults(results: readonly { readonly name: string; readonly result: string }[]): Results {
  if (results.length === 0) return noResults
  const records: Found[] = []
  const lists: string[] = []
  const texts: string[] = []
  let room = maxResults
  for (const { name, result } of results.toReversed()) {
    const text = result.length <= room ? result : copied(result.slice(0, Math.max(0, room)))
    room -= text.length
    const value = jsonIn(text)
    if (value === null || typeof value !== 'object') texts.push(text)
    else collect(value, stemsIn(name), { records, lists })
  }
  const numbers = results
    .at(-1)
    ?.result.slice(-2000)
    .replace(/"[^"]*"/g, ' ')
    .match(numberInResult)
  const said = results.map(({ result }) => result).join('\n')
  const lastNumber = numbers == null ? undefined : Number(numbers.at(-1))
  return { records, lists, texts, said: said.slice(0, 4000).trim(), lastNumber }
}

interface Around {
  readonly results?: Results
  /** What was said before and around, the nearest first. */
  readonly others?: readonly Reading[]
  readonly toolStems?: ReadonlySet<string>
  readonly sparing?: boolean
}

export class PromptFacts {
  /** The words that ask. */
  readonly own: Reading
  readonly others: readonly Reading[]
  readonly results: Results
  /** The stems of the words that the tool itself has. */
  readonly toolStems: ReadonlySet<string>
  /** Whether optional values are left out of which nothing is said, as in the arguments of a tool. */
  readonly sparing: boolean
  /** What each text offers to each field, as far as it was looked for: nested lists look again and again. */
  readonly offered = new Map<Reading, unknown>()
  #words: readonly string[] | undefined

  constructor(own: Reading, { results, others = [], toolStems = new Set(), sparing = false }: Around) {
    this.own = own
    this.others = others
    this.results = results ?? readResults([])
    this.toolStems = toolStems
    this.sparing = sparing
  }

  /** The objects in the prompt. */
  get records(): readonly Found[] {
    const records: Found[] = []
    for (const { value } of this.own.of('json')) collect(value, [], { records, lists: [] })
    return records
  }

  /** A short noun phrase of what is asked; `''` when there is none. */
  get subject(): string {
    return subjectOf(this.own.text)
  }

  /** All words of the prompt, lower case and singular. */
  get words(): readonly string[] {
    return (this.#words ??= promptWords(this.own.text))
  }
}

const start2026 = Date.UTC(2026, 0, 1)

interface Known {
  readonly now?: number
  readonly results?: readonly { name: string; result: string }[]
  readonly sparing?: boolean
}

export function readPromptFacts(
  prompt: string,
  { now = start2026, results: returned = [], sparing = false }: Known = {},
): PromptFacts {
  const results = readResults(returned)
  const others = results.texts.map((text) => new Reading(text, now))
  return new PromptFacts(new Reading(prompt, now), { results, sparing, others })
}

const stemsIn = (name: string): readonly string[] => promptWords(name).map(stemOf)

/** The objects in a value, outer ones first, with the names of what contains them. */
function collect(
  value: unknown,
  stems: readonly string[],
  into: { records: Found[]; lists: string[] },
  depth = 0,
): void {
  if (value === null || typeof value !== 'object' || into.records.length > 200 || depth > 8) return
  if (Array.isArray(value)) {
    for (const part of value.slice(0, 100))
      if (typeof part === 'string') into.lists.push(part)
      else collect(part, stems, into, depth + 1)
    return
  }
  into.records.push({ value: value as Found['value'], stems })
  for (const [key, part] of Object.entries(value).slice(0, 100))
    if (part !== null && typeof part === 'object') collect(part, [...stems, ...stemsIn(key)], into, depth + 1)
}
