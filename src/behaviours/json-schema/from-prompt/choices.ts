/** Enumerations, flags and numbers that a prompt speaks of. */
import { plainOf, type Reading } from '../../prompt/reading.ts'
import { stemOf } from '../../prompt/words.ts'
import type { JsonValue } from '../json-value.ts'

/** Other words that speak for a value. */
const meant = wordsBy(`
  c: celsius, f: fahrenheit, k: kelvin, celsius: c °c metric, fahrenheit: f °f imperial,
  metric: celsius c kilometers °c, imperial: fahrenheit f miles °f, km: kilometers kilometres kilometer,
  mi: miles mile, kg: kilograms kilos kilogram, lb: pounds lbs pound, en: english, de: german, fr: french,
  es: spanish, it: italian, pt: portuguese, ja: japanese, zh: chinese, add: plus sum addition,
  subtract: minus difference subtraction, multiply: times multiplied product, divide: divided division,
  mean: average, positive: love great good excellent happy amazing awesome wonderful best perfect,
  negative: hate bad terrible awful worst angry broken disappointing horrible never,
  usd: $ dollars dollar bucks, eur: € euros euro, gbp: £ pounds pound sterling, jpy: ¥ yen, chf: francs franc,
  urgent: asap immediately emergency critical, critical: urgent emergency outage,
  high: urgent critical asap important severe immediately, low: minor trivial unimportant whenever,
  medium: normal moderate, normal: medium regular, large: big huge, small: little tiny,
  price_asc: cheapest lowest, price_desc: expensive priciest highest, date_desc: newest latest,
  asc: ascending cheapest lowest oldest earliest alphabetical, desc: descending newest latest highest biggest most,
  damaged: broken defective cracked torn, defective: broken, bicycling: bike bicycle cycle, cycling: bike bicycle,
  bike: cycling, walking: walk foot, walk: foot, driving: drive car, drive: car, transit: bus train subway transport,
  meals: lunch dinner breakfast meal, food: lunch dinner groceries, transport: taxi bus train uber,
  yes: accept accepted, no: decline declined, accepted: accept, declined: decline,
  done: finished completed complete, completed: done finished, resolved: solved fixed,
  in_progress: started working, closed: close shut, locked: lock, on: enable, off: disable, economy: coach,
  mon: monday, tue: tuesday, wed: wednesday, thu: thursday, fri: friday, sat: saturday, sun: sunday
`)

/** The words of a table: `value: words, value: words`. */
function wordsBy(table: string): ReadonlyMap<string, readonly string[]> {
  const rows = table.trim().split(/,\s+/)
  return new Map(
    rows.map((row) => row.split(': ')).map(([value = '', words = '']) => [value, words.split(' ')]),
  )
}

const denied = / (?:not|no|without|except|isnt|dont|never|nor)(?: an?| the| in| want)? $/u
const common = /^(?:a|i|an|the|in|to|of|at|is|it|and|or|as|by|be|for|do|if|so|we|me|my|us|am|no|not)$/

/** The values of a list that a text mentions, in the order of the text; "all" stands behind others. */
export function mentionedIn(values: readonly JsonValue[], from: Reading, loose = true): readonly JsonValue[] {
  const { plain, stems } = from.heard
  const found: { value: JsonValue; at: number; rank: number }[] = []
  for (const value of values.slice(0, 500)) {
    if (typeof value === 'number') {
      const thing = from.of('number', 'money', 'length').find(({ number }) => number === value)
      if (thing !== undefined) found.push({ value, at: thing.at, rank: 0 })
    }
    if (typeof value !== 'string' || value.length > 80) continue
    const phrase = promptWordsPlain(value)
    let at =
      phrase === '' || common.test(phrase) || /^\p{L}$/u.test(phrase) ? -1 : plain.indexOf(` ${phrase} `)
    let rank = 0
    if (at < 0 && /^(?:on|off)$/.test(phrase))
      at = plain.search(new RegExp(` (?:turn|switch|put|power|set|go|be) (?:\\w+ ){0,4}${phrase} `))
    if (at < 0 && phrase.length > 3 && !phrase.includes(' ')) {
      at = stems.get(stemOf(phrase)) ?? -1
      rank = 1
    }
    if (at < 0 && phrase.includes(' ') && loose) {
      const parts = phrase.split(' ').filter((word) => word.length > 2)
      const places = parts.map((word) => stems.get(stemOf(word)) ?? -1)
      if (places.length > 0 && places.every((place) => place >= 0)) at = Math.min(...places)
      rank = 1
    }
    if (at < 0 && loose)
      for (const word of meant.get(value.toLowerCase()) ?? []) {
        const place = plain.indexOf(` ${word} `)
        if (place >= 0 && (at < 0 || place < at)) at = place
        rank = 2
      }
    if (at < 0 || denied.test(plain.slice(Math.max(0, at - 20), at + 1))) continue
    if (/^(?:all|any|other|none|default)$/.test(phrase)) rank += 3
    found.push({ value, at, rank })
  }
  return found.sort((a, b) => a.rank - b.rank || a.at - b.at).map(({ value }) => value)
}
const promptWordsPlain = (value: string): string =>
  plainOf(value.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')).trim()

const operators = wordsBy(`
  +: + add addition plus sum, -: - subtract subtraction minus difference, *: * multiply multiplication times product,
  /: / divide division quotient, %: % mod modulo remainder, **: ** ^ pow power, sqrt: sqrt square_root
`)
const among = (values: readonly JsonValue[], names: readonly string[]): JsonValue | undefined =>
  values.find((value) => typeof value === 'string' && names.includes(value.toLowerCase()))

/** The operator of a calculation among values such as "add" or "+". */
export const operatorAmong = (values: readonly JsonValue[], operator = ''): JsonValue | undefined =>
  among(values, operators.get(operator) ?? [])

const methods: readonly (readonly [string, RegExp])[] = [
  ['delete', /\b(?:get rid of|remove|erase|delete)\b/i],
  ['patch', /\b(?:patch|modify|amend)\b/i],
  ['put', /\b(?:put|replace|update|change)\b/i],
  ['post', /\b(?:post|submit|send|create|push|trigger|notify|upload|add|register|publish)\b/i],
]
/** The method of HTTP that a text with a link asks for. */
export function methodAmong(values: readonly JsonValue[], from: Reading): JsonValue | undefined {
  if (among(values, ['get']) === undefined || values.length < 2 || from.of('url').length === 0)
    return undefined
  const written = from.text.match(/\b[A-Z]{3,7}\b/g)?.map((word) => among(values, [word.toLowerCase()]))
  const meant = methods.find(([name, verbs]) => among(values, [name]) !== undefined && verbs.test(from.plain))
  return written?.find((one) => one !== undefined) ?? among(values, [meant?.[0] ?? 'get'])
}

const flagWords =
  /^(?:is|has|have|should|do|does|include|included|with|enable|enabled|allow|allowed|want|need|can|use|flag|require|required|only|all|and|any|a|the|to|of|on|show|return)$/
const opposites = wordsBy(`
  on: off disable disabled, enabled: off disable disabled, active: inactive, open: close closed shut,
  public: private, private: public, outdoor: indoor indoors inside,
  indoor: outdoor outdoors outside terrace, visible: hide hidden, urgent: whenever,
  locked: unlock unlocked, unread: read, loud: quiet
`)
const alike = wordsBy(`
  outdoor: outside outdoors terrace, indoor: inside indoors, recursive: recursively subfolders,
  on: on enable, shuffle: shuffled random, case: insensitive, ignore: insensitive
`)
const against =
  /^(?:no|not|dont|doesnt|without|never|isnt|arent|wont|cant|exclude|excluding|skip|omit|avoid|except|nor|non)$/

/** Whether a text affirms or denies a flag; undefined when it speaks of neither. */
export function flagIn(words: readonly string[], from: Reading): boolean | undefined {
  const said = plainOf(from.text).trim().split(' ')
  const label = new RegExp(String.raw`${words.join('[ _-]?')}\s*[:=]?\s*(?:is )?(true|false|yes|no)\b`, 'i')
  const given = label.exec(from.text)?.[1]
  if (given !== undefined) return /^(?:true|yes)$/i.test(given)
  const telling = words.filter((word) => !flagWords.test(word) || words.length === 1)
  const isOpposite = (one: string): boolean =>
    telling.some(
      (word) =>
        opposites.get(word)?.includes(one) === true ||
        (word.length > 3 && one === `un${word.replace(/ed$/, '')}`),
    )
  if (said.some(isOpposite)) return false
  const isSame = (one: string): boolean =>
    telling.some(
      (word) =>
        one === word ||
        (word.length > 3 && stemOf(one) === stemOf(word)) ||
        alike.get(word)?.includes(one) === true,
    )
  const at = said.findIndex(isSame)
  if (at < 0) return undefined
  const before = said.slice(Math.max(0, at - 4), at)
  return !before.slice(before.lastIndexOf('but') + 1).some((one) => against.test(one))
}
