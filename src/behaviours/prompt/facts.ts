/** Reads the facts of a prompt that a helpful answer would use: quoted words, numbers, names, dates. */

import { type Calculation, calculationsIn } from './arithmetic.ts'
import { type Span, spansOf } from './beside.ts'
import { type Enumeration, enumerationsIn, numberRunsIn } from './enumerations.ts'
import { inLines, jsonIn } from './json-values.ts'
import { assignmentsOf, type LabelFact, labelsOf } from './labels.ts'
import { type MarkedFacts, markedFactsOf } from './marked-facts.ts'
import { namesOf, notNames } from './names.ts'
import { numbersOf } from './numbers.ts'
import { PlaceFacts } from './places.ts'
import { subjectOf, topicOf } from './request-topic.ts'
import { SaidFacts } from './said.ts'
import { matchFacts, maxFacts, type NumberFact, type TextFact } from './surroundings.ts'
import { plainText, promptWords } from './words.ts'

/** The facts of a prompt, each list in order of appearance. Read on first use. */
export interface PromptFacts extends Omit<MarkedFacts, 'rest'> {
  /** The prompt itself, as far as it is read. */
  readonly text: string
  /** What the prompt is about, without "please write" and the like; `''` for an empty prompt. */
  readonly topic: string
  /** A short noun phrase of the topic that fits into sentences; `''` when there is none. */
  readonly subject: string
  /** Whether it has a question mark. */
  readonly asks: boolean
  /** The significant words, as written but in lower case, each once. */
  readonly contents: readonly string[]
  /** All words, lower case and singular. */
  readonly words: readonly string[]
  /** All words in lower case with one space around each: for finding phrases. */
  readonly plain: string
  /** The parts between blanks, without punctuation at their ends: `192.0.2.1`, `api.example.com`. */
  readonly tokens: readonly string[]
  readonly quoted: readonly TextFact[]
  readonly numbers: readonly NumberFact[]
  /** Capitalised names: `Paris`, `New York`, `Ada Lovelace`. */
  readonly names: readonly TextFact[]
  readonly labels: readonly LabelFact[]
  /** What the prompt assigns: "set X to Y". They count as labels too. */
  readonly assignments: readonly LabelFact[]
  readonly calculations: readonly Calculation[]
  /** The JSON objects and arrays that the prompt holds. */
  readonly json: readonly unknown[]
  /** All words and quotations in order, for what stands beside a noun. */
  readonly spans: readonly Span[]
  readonly enumerations: readonly Enumeration[]
  /** Numbers in a row: "5, 3, 9". */
  readonly numberRuns: readonly (readonly number[])[]
  readonly said: SaidFacts
  readonly places: PlaceFacts
  /** What the results say that came before the prompt. */
  readonly results: PromptFacts | undefined
}

/** Only the end of a long prompt is read: the latest message is there. */
const maxPromptLength = 12_000
const maxResultsLength = 100_000

/**
 * The facts of a prompt, and of the results that came before it. JSON in either is read as a list of facts: a
 * line for each value, with its name.
 */
export function readPromptFacts(prompt: string, results: string = ''): PromptFacts {
  return new LazyPromptFacts(prompt.slice(-maxPromptLength), results.slice(0, maxResultsLength))
}

class LazyPromptFacts implements PromptFacts {
  readonly asks: boolean
  readonly #request: string
  readonly #results: string
  #text: string | undefined
  #markedFacts: MarkedFacts | undefined
  #topic: string | undefined
  #subject: string | undefined
  #contents: readonly string[] | undefined
  #words: readonly string[] | undefined
  #plain: string | undefined
  #tokens: readonly string[] | undefined
  #quoted: readonly TextFact[] | undefined
  #numbers: readonly NumberFact[] | undefined
  #names: readonly TextFact[] | undefined
  #labels: readonly LabelFact[] | undefined
  #assignments: readonly LabelFact[] | undefined
  #calculations: readonly Calculation[] | undefined
  #json: readonly unknown[] | undefined
  #spans: readonly Span[] | undefined
  #enumerations: readonly Enumeration[] | undefined
  #numberRuns: readonly (readonly number[])[] | undefined
  #said: SaidFacts | undefined
  #places: PlaceFacts | undefined
  #resultFacts: PromptFacts | undefined

  constructor(request: string, results: string) {
    this.#request = request
    this.#results = results
    this.asks = request.includes('?')
  }

  get text(): string {
    return (this.#text ??= inLines(this.#request).slice(-maxPromptLength))
  }

  get #marked(): MarkedFacts {
    return (this.#markedFacts ??= markedFactsOf(this.text))
  }

  get topic() {
    return (this.#topic ??= topicOf(this.#request))
  }

  get subject() {
    return (this.#subject ??= subjectOf(this.#request))
  }

  get contents() {
    return (this.#contents ??= significantWords(this.text))
  }

  get words() {
    return (this.#words ??= promptWords(this.text))
  }

  get plain() {
    return (this.#plain ??= plainText(this.text))
  }

  get tokens() {
    return (this.#tokens ??= tokensOf(this.text))
  }

  get quoted() {
    return (this.#quoted ??= matchFacts(this.text, quotedPattern))
  }

  get numbers() {
    return (this.#numbers ??= numbersOf(this.#marked.rest, this.text))
  }

  get names() {
    return (this.#names ??= namesOf(this.#marked.rest))
  }

  get labels() {
    return (this.#labels ??= labelsOf(this.text, this.assignments))
  }

  get assignments() {
    return (this.#assignments ??= assignmentsOf(this.text))
  }

  get calculations() {
    return (this.#calculations ??= calculationsIn(this.#request, lastNumber(this.#results, this.#request)))
  }

  get json() {
    return (this.#json ??= [...jsonIn(this.#request)].map(({ value }) => value))
  }

  get spans() {
    return (this.#spans ??= spansOf(this.text))
  }

  get enumerations() {
    return (this.#enumerations ??= enumerationsIn(this.text))
  }

  get numberRuns() {
    return (this.#numberRuns ??= numberRunsIn(this.text))
  }

  get said() {
    return (this.#said ??= new SaidFacts(this.#request))
  }

  get places() {
    return (this.#places ??= new PlaceFacts(this.text))
  }

  get results(): PromptFacts | undefined {
    if (this.#results === '') return undefined
    return (this.#resultFacts ??= new LazyPromptFacts(this.#results, ''))
  }

  get paths() {
    return this.#marked.paths
  }

  get urls() {
    return this.#marked.urls
  }

  get emails() {
    return this.#marked.emails
  }

  get dates() {
    return this.#marked.dates
  }

  get times() {
    return this.#marked.times
  }

  get phones() {
    return this.#marked.phones
  }

  get codes() {
    return this.#marked.codes
  }
}

/** The number that "the result" means: the last of the results, else of the lines before the last. */
function lastNumber(results: string, request: string): number | undefined {
  const earlier = results === '' ? request.split('\n').slice(0, -1).join('\n') : results
  const written = earlier
    .slice(-2000)
    .match(/(?<![\w.])-?\d{1,15}(?:\.\d{1,12})?/g)
    ?.at(-1)
  return written === undefined ? undefined : Number(written)
}

function significantWords(prompt: string): string[] {
  const words = (prompt.toLowerCase().match(/\p{L}{4,20}/gu) ?? []).filter((word) => !notNames.has(word))
  return [...new Set(words)].slice(0, maxFacts)
}

function tokensOf(prompt: string): string[] {
  return prompt.split(/\s+/u).map((token) => token.replace(/^[("'<[]{1,9}|[)"'>\],.;:!?]{1,9}$/gu, ''))
}

const quotedPattern = new RegExp(
  [
    String.raw`"([^"\n]{1,300})"`,
    String.raw`“([^”\n]{1,300})”`,
    String.raw`«([^»\n]{1,300})»`,
    '`([^`\\n]{1,300})`',
    String.raw`(?<![\p{L}\p{N}])'([^'\n]{1,300})'(?![\p{L}\p{N}])`,
  ].join('|'),
  'gu',
)
