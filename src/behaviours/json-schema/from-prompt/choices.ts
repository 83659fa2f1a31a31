/** Finds which of a fixed list of values the prompt speaks of; makes nothing up. */

import { plainText, promptWords } from '../../prompt/words.ts'
import type { Filling } from '../filling.ts'
import type { JsonValue } from '../json-value.ts'
import type { Naming } from '../property-naming.ts'

/** Values that stand for a word which prompts spell out. */
const SPELLED: Readonly<Record<string, string>> = {
  c: 'celsius',
  f: 'fahrenheit',
  k: 'kelvin',
  en: 'english',
  fr: 'french',
  de: 'german',
  es: 'spanish',
  it: 'italian',
  pt: 'portuguese',
  ja: 'japanese',
  zh: 'chinese',
  mon: 'monday',
  tue: 'tuesday',
  wed: 'wednesday',
  thu: 'thursday',
  fri: 'friday',
  sat: 'saturday',
  sun: 'sunday',
}
/** Other words that speak for a value. */
const MEANT: Readonly<Record<string, string>> = {
  add: 'plus sum',
  addition: 'plus sum',
  subtract: 'minus',
  subtraction: 'minus',
  multiply: 'times multiplied',
  multiplication: 'times multiplied',
  divide: 'divided',
  division: 'divided',
  positive:
    'love great good excellent happy amazing awesome wonderful fantastic best perfect enjoyed delighted',
  negative:
    'furious annoyed hate bad terrible awful worst angry broken sad disappointed ' +
    'disappointing horrible poor refund',
  urgent: 'asap immediately emergency critical',
  usd: 'dollars dollar',
  eur: 'euros euro',
  gbp: 'pounds pound sterling',
  jpy: 'yen',
  chf: 'franc francs',
  critical: 'urgent emergency outage',
  high: 'urgent critical asap important severe big immediately',
  low: 'minor trivial unimportant whenever',
  medium: 'normal moderate average',
  normal: 'medium regular standard',
  large: 'big huge giant family',
  small: 'little tiny mini',
  asc: 'ascending cheapest lowest oldest earliest smallest alphabetical alphabetically least fewest',
  ascending: 'cheapest lowest oldest earliest smallest alphabetical alphabetically',
  desc: 'descending newest latest recent highest biggest largest best most expensive',
  descending: 'newest latest recent highest biggest largest most expensive',
  delete: 'remove erase drop',
  remove: 'delete erase',
  create: 'make new add',
  update: 'change modify edit',
  cancel: 'stop abort',
  true: 'yes',
  false: 'no',
  celsius: 'c',
  fahrenheit: 'f',
  metric: 'celsius kilometers',
  imperial: 'fahrenheit miles',
}
/** Values too common as words to be meant. */
const COMMON: ReadonlySet<string> = new Set(
  'a i an the in on to at of is it and or as by be for do if so we he me my us am no not'.split(' '),
)
const DENIALS = /(?: not| no| without| except| isnt| dont want| never| nor)(?: an?| the| in)? $/u

/** What operators are called. */
const OPERATORS: Readonly<Record<string, string>> = {
  '+': '+ add addition plus sum',
  '-': '- − sub subtract subtraction minus difference',
  '*': '* × x mul multiply multiplication times product',
  '/': '/ ÷ div divide division quotient',
  '%': '% mod modulo modulus remainder',
  '^': '^ ** pow power exponent exponentiation exponentiate',
  average: 'average mean avg',
}

/** The verbs that speak for a method of HTTP; the first that a prompt has counts. */
const METHODS: readonly (readonly [string, RegExp])[] = [
  ['delete', / (?:get rid of|remove|erase|delete|drop|destroy) /u],
  ['patch', / (?:patch|modify|amend|partially) /u],
  ['put', / (?:put|replace|overwrite|update|change) /u],
  ['post', / (?:post|submit|send|create|push|trigger|notify|upload|add|register|publish) /u],
]

/** The method that a prompt with a link asks for: by its name, by a verb, else to read. */
function methodAmong(values: readonly JsonValue[], { facts }: Filling): JsonValue | undefined {
  const named = (method: string): JsonValue | undefined =>
    values.find((value) => typeof value === 'string' && value.toLowerCase() === method)
  const get = named('get')
  if (get === undefined || values.length < 2 || facts.urls.length === 0) return undefined
  if (!values.every((value) => typeof value === 'string' && /^[a-z]{3,7}$/iu.test(value))) return undefined
  const written = facts.tokens.find((token) => /^[A-Z]{3,7}$/u.test(token) && named(token.toLowerCase()))
  if (written !== undefined) return named(written.toLowerCase())
  const words = plainText(facts.text.replace(/\bhttps?:\S+/giu, ' '))
  const [method] = METHODS.find(([name, verbs]) => named(name) !== undefined && verbs.test(words)) ?? []
  return method === undefined ? get : named(method)
}

/** The operator of the calculation that the prompt asks for, as the values call it. */
function operatorAmong(values: readonly JsonValue[], { facts, turn }: Filling): JsonValue | undefined {
  const isOperator = (value: JsonValue): boolean =>
    typeof value === 'string' &&
    / (?:\+|-|\*|add|subtract|multiply|divide|addition|sqrt) /u.test(` ${value} `)
  if (!values.some(isOperator)) return undefined
  const asked = facts.calculations[turn % Math.max(1, facts.calculations.length)]?.operator ?? ''
  const names = (OPERATORS[asked] ?? asked).split(' ')
  return values.find((value) => typeof value === 'string' && names.includes(value.toLowerCase()))
}

interface Mention {
  readonly value: JsonValue
  readonly at: number
  readonly end: number
}

/**
 * The value that the prompt mentions and `accept` takes: the first not used by another property, else the
 * first. Marks it as used.
 */
export function choiceFromPrompt(
  values: readonly JsonValue[],
  naming: Naming,
  filling: Filling,
  accept: (value: JsonValue) => boolean,
): JsonValue | undefined {
  const { used, turn, facts } = filling
  if (facts.plain.length < 3) return undefined
  const operator = operatorAmong(values, filling)
  if (operator !== undefined && accept(operator)) return operator
  const method = methodAmong(values, filling)
  if (method !== undefined && accept(method)) return method
  const mentions = mentionsOf(values, naming, filling).filter(({ value }) => accept(value))
  const left = mentions.filter(({ value }) => !used.includes(markOf(value)))
  const chosen = left.length > 0 ? left[turn % left.length] : mentions[0]
  if (chosen === undefined) return undefined
  if (left.length > 0) used.push(markOf(chosen.value))
  return chosen.value
}

/** Whether the prompt speaks of one of the values, for choosing between alternatives. */
export function isMentioned(values: readonly JsonValue[], filling: Filling): boolean {
  return mentionsOf(values, { words: [], kind: undefined }, filling).length > 0
}

const markOf = (value: JsonValue): string => `=${String(value).toLowerCase()}`

function mentionsOf(values: readonly JsonValue[], { words }: Naming, { facts }: Filling): Mention[] {
  const { plain } = facts
  const mentions: Mention[] = []
  // A long list is filtered by the first word before each value is searched for.
  const known = values.length > 50 ? new Set(facts.words) : undefined
  for (const value of values) {
    if (typeof value === 'number') {
      const index = facts.numbers.findIndex((fact) => fact.value === value)
      if (index >= 0) mentions.push({ value, at: index, end: index })
    }
    if (typeof value !== 'string' || value.length > 80) continue
    if (known !== undefined && !Object.hasOwn(MEANT, value) && !known.has(promptWords(value)[0] ?? ''))
      continue
    const phrase = phraseOf(value)
    const at = phrase === '' ? switched(plain, value) : find(plain, phrase)
    if (at < 0 || DENIALS.test(plain.slice(Math.max(0, at - 20), at + 1))) continue
    // "to French" does not name the source language.
    const before = plain.slice(0, at).split(' ').at(-1) ?? ''
    if (words.some((word) => word === 'source' || word === 'from') && (before === 'to' || before === 'into'))
      continue
    if (words.some((word) => word === 'target' || word === 'to') && before === 'from') continue
    // A value that the prompt has word for word comes before one that another word speaks for.
    const isMeant = !plain.startsWith(` ${phrase}`, at)
    mentions.push({ value, at: isMeant ? at + plain.length : at, end: at + phrase.length })
  }
  // "dark red" is not "red".
  const apart = mentions.filter(
    (one) =>
      !mentions.some(
        (other) =>
          other !== one &&
          other.at <= one.at &&
          other.end >= one.end &&
          other.end - other.at > one.end - one.at,
      ),
  )
  return apart.sort((a, b) => a.at - b.at)
}

function phraseOf(value: string): string {
  const phrase = (
    value
      .replace(/['’]/gu, '')
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ')
  if (Object.hasOwn(SPELLED, phrase)) return SPELLED[phrase] as string
  return COMMON.has(phrase) || /^\p{L}$/u.test(phrase) ? '' : phrase
}

/** "Turn the light on": the one use of a common word that says which value is meant. */
function switched(plain: string, value: string): number {
  return value === 'on' && / (?:turn|switch|put|power) /u.test(plain)
    ? (/ (?:turn|switch|put|power) on | on $/u.exec(plain)?.index ?? -1)
    : -1
}

function find(plain: string, phrase: string): number {
  for (const form of [
    phrase,
    `${phrase}s`,
    `${phrase}es`,
    phrase.replace(/y$/u, 'ies'),
    promptWords(phrase).join(' '),
  ]) {
    const at = plain.indexOf(` ${form} `)
    if (at >= 0) return at
  }
  for (const word of Object.hasOwn(MEANT, phrase) ? (MEANT[phrase] as string).split(' ') : []) {
    const at = plain.indexOf(` ${word} `)
    if (at >= 0) return at
  }
  return -1
}
