/** The units, currencies, languages and time zones that a property asks for. */
import type { PromptFacts } from '../../prompt/facts.ts'
import type { TextFact } from '../../prompt/surroundings.ts'
import type { Filling } from '../filling.ts'
import type { Naming } from '../property-naming.ts'
import { ORIGIN, TARGET } from './directions.ts'

/** Words with a special spelling. */
const SPELLING: Readonly<Record<string, string>> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  sql: 'SQL',
  php: 'PHP',
}

export const capitalize = (text: string): string =>
  SPELLING[text] ?? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

const CURRENCIES: ReadonlyMap<string, string> = new Map([
  ...'USD EUR GBP JPY CHF CAD AUD NZD INR CNY SEK NOK DKK PLN CZK HUF TRY ZAR MXN BRL SGD HKD KRW ILS AED THB'
    .split(' ')
    .map((code): [string, string] => [code.toLowerCase(), code]),
  ['dollar', 'USD'],
  ['buck', 'USD'],
  ['euro', 'EUR'],
  ['pound', 'GBP'],
  ['sterling', 'GBP'],
  ['yen', 'JPY'],
  ['franc', 'CHF'],
  ['rupee', 'INR'],
  ['yuan', 'CNY'],
  ['zloty', 'PLN'],
  ['lira', 'TRY'],
])

/** The currencies in the order of the prompt, those first that are said to be converted from, or to. */
export function currencies(
  { words }: Naming,
  { numbers, words: said }: PromptFacts,
  used: readonly string[],
): readonly string[] {
  const isFrom = words.some((word) => ORIGIN.has(word))
  const isTo = words.some((word) => TARGET.has(word))
  const signs = numbers.flatMap(({ before, after }) => {
    const code = CURRENCIES.get(before[0] ?? '') ?? CURRENCIES.get(after[0] ?? '')
    return code === undefined ? [] : [{ code, given: true, aimed: false }]
  })
  const found = said.flatMap((word, at) => {
    const code = CURRENCIES.get(word)
    if (code === undefined) return []
    // Of "in US dollars", "in".
    const [near, far] = [said[at - 1] ?? '', said[at - 2] ?? '']
    const before = near === 'us' || near === 'swiss' || near === 'the' ? far : near
    return [{ code, given: before === 'from', aimed: /^(?:to|into|in|many|much)$/u.test(before) }]
  })
  const all = isFrom ? [...signs, ...found.filter(({ aimed }) => !aimed)] : [...found, ...signs]
  const first = isFrom
    ? all.filter(({ given }) => given)
    : isTo
      ? [...all.filter(({ aimed }) => aimed), ...all.filter(({ given }) => !given)]
      : []
  return [...new Set([...first, ...all].map(({ code }) => code))].filter((code) => !used.includes(code))
}

export const timezone =
  /^(?:[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z_-]+){1,2}|UTC(?:[+-]\d{1,2})?|GMT|EST|PST|CET|JST)$/u
// City, as the zone spells it.
const ZONES = `
  Europe/London Europe/Paris Europe/Berlin Europe/Madrid Europe/Rome Europe/Amsterdam Europe/Vienna
  Europe/Oslo Europe/Stockholm Europe/Copenhagen Europe/Helsinki Europe/Dublin Europe/Lisbon
  Europe/Athens Europe/Istanbul Europe/Moscow Europe/Zurich Europe/Prague Europe/Warsaw
  America/New_York America/Los_Angeles America/Chicago America/Denver America/Toronto America/Sao_Paulo
  America/Mexico_City America/Lima America/Bogota Asia/Tokyo Asia/Seoul Asia/Shanghai Asia/Hong_Kong
  Asia/Singapore Asia/Dubai Asia/Kolkata Asia/Bangkok Asia/Jakarta Australia/Sydney Australia/Melbourne
  Africa/Cairo Africa/Nairobi Africa/Johannesburg Pacific/Auckland
`
  .trim()
  .split(/\s+/)

export function zonesOf(names: readonly TextFact[]): readonly string[] {
  return names.flatMap(({ value }) => {
    const city = value === 'San Francisco' ? 'Los_Angeles' : value.replaceAll(' ', '_')
    return ZONES.filter((zone) => zone.endsWith(`/${city}`))
  })
}

const UNITS: ReadonlySet<string> = new Set(
  `
  celsius fahrenheit kelvin kg kilogram gram pound lb ounce oz ton tonne stone km kilometer kilometre
  mile meter metre cm centimeter centimetre mm millimeter inch foot feet yard liter litre ml gallon cup
  pint quart tablespoon teaspoon second minute hour day week month year byte kb mb gb tb kph mph knot
  acre hectare joule watt calorie radian
  `
    .trim()
    .split(/\s+/),
)

/** Units as written; the one behind a number is that which is converted from. */
export function unitsFor({ words }: Naming, { facts: { spans }, used }: Filling): readonly string[] {
  const isTarget = words.some((word) => TARGET.has(word))
  const found = spans.flatMap(({ text, words: said }, at) =>
    said.length === 1 && UNITS.has(said[0] as string)
      ? [{ text: text.toLowerCase(), isGiven: /\d$/u.test(spans[at - 1]?.text ?? '') }]
      : [],
  )
  const ranked = [...found].sort((one, other) => Number(other.isGiven) - Number(one.isGiven))
  return [...new Set((isTarget ? ranked.reverse() : ranked).map(({ text }) => text))].filter(
    (unit) => !used.includes(unit),
  )
}

const LANGUAGES: Readonly<Record<string, string>> = {
  english: 'en',
  french: 'fr',
  german: 'de',
  spanish: 'es',
  italian: 'it',
  portuguese: 'pt',
  dutch: 'nl',
  russian: 'ru',
  chinese: 'zh',
  mandarin: 'zh',
  japanese: 'ja',
  korean: 'ko',
  arabic: 'ar',
  hindi: 'hi',
  turkish: 'tr',
  polish: 'pl',
  swedish: 'sv',
  greek: 'el',
  ukrainian: 'uk',
  danish: 'da',
  norwegian: 'no',
  finnish: 'fi',
  czech: 'cs',
  vietnamese: 'vi',
}

/** Languages by name, or by code where the description or the name asks for one. */
export function languagesFor(
  { words }: Naming,
  { facts, used }: Filling,
  description: string | undefined,
): readonly string[] {
  const wantsCode =
    words.includes('code') || /\biso\b|\bcodes?\b|\be\.g\.,? ["'`]?[a-z]{2}\b/iu.test(description ?? '')
  const spoken = facts.words.filter((word) => Object.hasOwn(LANGUAGES, word))
  // "to French" does not name the source language.
  const isSource = words.some((word) => ORIGIN.has(word))
  return spoken
    .filter((word) => !isSource || !/^(?:to|into)$/u.test(facts.words[facts.words.indexOf(word) - 1] ?? ''))
    .filter((word) => ![capitalize(word), LANGUAGES[word] as string].some((one) => used.includes(one)))
    .flatMap((word) => {
      const [name, code] = [capitalize(word), LANGUAGES[word] as string]
      return wantsCode ? [code, name] : [name, code]
    })
}
