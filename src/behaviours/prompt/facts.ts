/** The facts for filling a schema: the prompt, the conversation, and the results of tools. */
import { jsonIn } from '../../engine/fields.ts'
import { copied } from '../../engine/redact.ts'
import { Reading } from './reading.ts'
import { subjectOf } from './topic.ts'
import { promptWords, stemOf } from './words.ts'

/** An object from a tool result or a prompt. */
export interface Found {
  readonly value: Readonly<Record<string, unknown>>
  /** The stems of its context: the tool that returned the object, and the property names that lead to it. */
  readonly stems: readonly string[]
}

/** The tool results, read once for all values of a response. */
export interface Results {
  /** The objects, latest call first. */
  readonly records: readonly Found[]
  /** The strings in arrays. */
  readonly lists: readonly string[]
  /** The plain-text results. */
  readonly texts: readonly string[]
  /** All results as text. */
  readonly said: string
  /** The number to which "the result" refers. */
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
  /** The other texts of the conversation, nearest first. */
  readonly others?: readonly Reading[]
  readonly toolStems?: ReadonlySet<string>
  readonly sparing?: boolean
}

export class PromptFacts {
  /** The text of the request. */
  readonly own: Reading
  readonly others: readonly Reading[]
  readonly results: Results
  /** The stems of the words in the tool's own definition. */
  readonly toolStems: ReadonlySet<string>
  /** Whether optional values that the prompt does not mention are omitted, as in tool arguments. */
  readonly sparing: boolean
  /** A cache of the values that each text offers for each field: nested lists search repeatedly. */
  readonly offered = new Map<Reading, unknown>()
  #words: readonly string[] | undefined

  constructor(own: Reading, { results, others = [], toolStems = new Set(), sparing = false }: Around) {
    this.own = own
    this.others = others
    this.results = results ?? readResults([])
    this.toolStems = toolStems
    this.sparing = sparing
  }

  get records(): readonly Found[] {
    const records: Found[] = []
    for (const { value } of this.own.of('json')) collect(value, [], { records, lists: [] })
    return records
  }

  /** A short noun phrase for the subject of the request; `''` if there is none. */
  get subject(): string {
    return subjectOf(this.own.text)
  }

  /** All words of the prompt in lower case and singular. */
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

/** The objects in a value, outer objects first, with the property names that lead to them. */
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
