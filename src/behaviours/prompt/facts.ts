/** Reads the facts of a prompt that a helpful answer would use: quoted words, numbers, names, dates. */

import { inLines } from './json-values.ts'
import { type MarkedFacts, markedFactsOf } from './marked-facts.ts'
import { namesOf, notNames } from './names.ts'
import { numberOf, numberWord, ordinalWord } from './number-words.ts'
import { subjectOf, topicOf } from './request-topic.ts'
import { matchFacts, maxFacts, type NumberFact, surroundings, type TextFact } from './surroundings.ts'
import { plainText, promptWords } from './words.ts'

/** A value with its name, as in `name: Ada` or `the deadline is Friday`. */
export interface LabelFact {
  readonly words: readonly string[]
  readonly value: string
}

/** The facts of a prompt, each list in order of appearance. Read on first use. */
export interface PromptFacts extends Omit<MarkedFacts, 'rest'> {
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
}

/** Only the end of a long prompt is read: the latest message is there. */
const maxPromptLength = 12_000
const maxResultsLength = 100_000

/**
 * The facts of a prompt and of the results that came before it, which count after the prompt's own. JSON in
 * either is read as a list of facts: a line for each value, with its name.
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

  constructor(request: string, results: string) {
    this.#request = request
    this.#results = results
    this.asks = request.includes('?')
  }

  get #prompt(): string {
    return (this.#text ??= `${inLines(this.#request)}${
      this.#results === '' ? '' : `\n${inLines(this.#results).slice(0, maxPromptLength)}`
    }`)
  }

  get #marked(): MarkedFacts {
    return (this.#markedFacts ??= markedFactsOf(this.#prompt))
  }

  get topic() {
    return (this.#topic ??= topicOf(this.#request))
  }

  get subject() {
    return (this.#subject ??= subjectOf(this.#request))
  }

  get contents() {
    return (this.#contents ??= significantWords(this.#prompt))
  }

  get words() {
    return (this.#words ??= promptWords(this.#prompt))
  }

  get plain() {
    return (this.#plain ??= plainText(this.#prompt))
  }

  get tokens() {
    return (this.#tokens ??= tokensOf(this.#prompt))
  }

  get quoted() {
    return (this.#quoted ??= matchFacts(this.#prompt, quotedPattern))
  }

  get numbers() {
    return (this.#numbers ??= numbersOf(this.#marked.rest, this.#prompt))
  }

  get names() {
    return (this.#names ??= namesOf(this.#marked.rest))
  }

  get labels() {
    return (this.#labels ??= labelsOf(this.#prompt))
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

const numberPattern = new RegExp(
  [
    String.raw`(?<![\w.])(?:(?<![\w)])-)?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,15})(?:\.\d{1,12})?`,
    String.raw`(?:(?:k|bn| (?:hundred|thousand|million|billion))(?!\w)|(?<=[$€£][\d.]{1,9})m(?!\w))?`,
    String.raw`|\b(?:${numberWord}|once|twice|thrice|half)\b`,
    String.raw`|(?<=\b(?:the|my|our|its|this) )${ordinalWord}\b`,
  ].join(''),
  'giu',
)

function numbersOf(rest: string, prompt: string): NumberFact[] {
  const facts: NumberFact[] = []
  for (const match of rest.matchAll(numberPattern)) {
    const value = (match[0].startsWith('-') ? -1 : 1) * (numberOf(match[0]) ?? 0)
    const { before, after } = surroundings(prompt, match.index, match.index + match[0].length)
    // "between 5 and 10": the first is the minimum, the second the maximum.
    const lead = prompt.slice(Math.max(0, match.index - 40), match.index)
    const bound = /\bbetween \D{0,4}$/iu.test(lead)
      ? ['minimum']
      : /\bbetween \D{0,4}[\d.,]{1,12}\D{0,12} and \D{0,4}$/iu.test(lead)
        ? ['maximum']
        : []
    facts.push({ value, after, before: [...bound, ...before] })
    if (facts.length === maxFacts) break
  }
  return facts
}

const labelPattern = new RegExp(
  [
    String.raw`(?<=^|[\n,;.(!?-] ?|\b(?:the|my|a|our|its) )([\p{L}][\p{L}\p{N} _-]{0,30}?)`,
    String.raw`(?: ?[:=] ?| is )("[^"\n]{1,200}"|(?:[^\n,;".!?]|[.!?](?!\s|$)){1,200})`,
  ].join(''),
  'gmu',
)

function labelsOf(prompt: string): LabelFact[] {
  const facts: LabelFact[] = []
  for (const match of prompt.matchAll(labelPattern)) {
    const value =
      (match[2] as string)
        .replace(/^"|"$/gu, '')
        .split(/ and (?:the|my|his|her|its) /u)[0]
        ?.trim() ?? ''
    if (
      value !== '' &&
      !/^(?:which|what|who|where|when|how|why|there|it|this|that)\b/iu.test(match[1] as string)
    )
      facts.push({
        words: promptWords((match[1] as string).replace(/^(?:the|my|an?|our|its|his|her|your) /iu, '')),
        value,
      })
    if (facts.length === maxFacts) break
  }
  return facts
}
