/** The texts in a prompt that have the form of a format or kind: addresses, dates, currencies, codes. */

import { valuesBeside } from '../../prompt/beside.ts'
import type { PromptFacts } from '../../prompt/facts.ts'
import { roomsIn } from '../../prompt/rooms.ts'
import type { TextFact } from '../../prompt/surroundings.ts'
import { type Filling, fresh, inTurn } from '../filling.ts'
import { hasFormat } from '../formats.ts'
import { kindOf, type Naming, tellingWords } from '../property-naming.ts'
import { capitalize, currencies, languagesFor, timezone, unitsFor, zonesOf } from './conventions.ts'
import { ORIGIN, TARGET } from './directions.ts'
import { expressionsOf } from './expressions.ts'
import { linksOf, pathsFor } from './paths.ts'

const MAILED: ReadonlySet<string> = new Set(
  'to from cc bcc recipient sender reply attendee participant invitee'.split(' '),
)

export function textsOfFormat(
  formats: readonly string[],
  { facts, used }: Filling,
): readonly string[] | undefined {
  for (const format of formats) {
    if (format === 'email' || format === 'idn-email') return fresh(facts.emails, used)
    if (format === 'uri' || format === 'url' || format === 'iri')
      return [...fresh(facts.urls, used), ...linksOf(facts.tokens)]
    if (format === 'uuid') return fresh(facts.codes, used)
    if (format === 'date') return fresh(facts.dates, used)
    if (format === 'time') return fresh(facts.times, used).map((time) => `${time}:00Z`)
    if (format === 'date-time') return moments(facts.dates, facts.times, used)
    // No supported format accepts a NUL character, so these are the supported ones.
    if (!hasFormat(format, '\u0000'))
      return facts.tokens.filter((token) => /[.:\d]/u.test(token) && hasFormat(format, token))
  }
  return undefined
}

/** Whether a name says no more than where something comes from or goes to. */
const isDirection = ({ words }: Naming): boolean =>
  words.length > 0 && words.every((word) => ORIGIN.has(word) || TARGET.has(word) || MEASURES.has(word))
const MEASURES: ReadonlySet<string> = new Set('unit currency language path file code'.split(' '))

const PLACES = { zip: 'zips', state: 'states', address: 'addresses', street: 'streets' } as const

export function textsOfKind(
  kind: string | undefined,
  naming: Naming,
  filling: Filling,
  description: string | undefined,
): readonly string[] | undefined {
  const { facts, used } = filling
  const some = (list: readonly string[]): readonly string[] | undefined =>
    list.length === 0 ? undefined : list
  if (naming.words.some((word) => MAILED.has(word)) && facts.emails.length > 0 && kind !== 'date') {
    const mails = fresh(facts.emails, used)
    if (mails.length > 0) return mails
  }
  if (isDirection(naming) && (kind === undefined || kind === 'location')) {
    const paths = fresh(facts.paths, used).length > 0 ? pathsFor(naming, filling) : []
    if (paths.length > 0) return paths
    const measures = [
      currencies(naming, facts, used),
      unitsFor(naming, filling),
      languagesFor(naming, filling, description),
    ].find((list) => list.length > 0)
    if (facts.names.every(({ before }) => !/^(?:from|to|in)$/u.test(before[0] ?? ''))) return measures
  }
  switch (kind) {
    case 'email':
      return fresh(facts.emails, used)
    case 'url':
    case 'image_url':
      return [...fresh(facts.urls, used), ...linksOf(facts.tokens)]
    case 'expression':
      return expressions(facts, filling.turn, description)
    case 'path':
    case 'file':
      return some(pathsFor(naming, filling))
    case 'zip':
    case 'state':
    case 'address':
    case 'street':
      return some(inTurn(facts.places[PLACES[kind]], filling))
    case 'room':
      return some(inTurn(roomsIn(facts.text), filling))
    case 'timezone':
      return some(
        [...facts.tokens.filter((token) => timezone.test(token)), ...zonesOf(facts.names)].filter(
          (zone) => !used.includes(zone),
        ),
      )
    case 'unit':
      return some(unitsFor(naming, filling))
    case 'language':
      return some(languagesFor(naming, filling, description))
    case 'phone':
      return fresh(facts.phones, used)
    case 'date':
      return some(fresh(facts.dates, used))
    case 'datetime':
      return some(moments(facts.dates, facts.times, used))
    case 'ip':
      return facts.tokens.filter((token) => hasFormat('ipv4', token))
    case 'domain':
      return facts.tokens.filter(
        (token) => token.includes('.') && /[a-z]{2}$/iu.test(token) && hasFormat('hostname', token),
      )
    case 'dish':
      return some(dishes(facts.text))
    case 'time':
      return some(fresh(facts.times, used))
    case 'currency':
      return currencies(naming, facts, used)
    case 'symbol':
      return facts.tokens
        .filter((token) => /^\$?[A-Z]{1,5}$/u.test(token) && token.length > 1)
        .map((token) => token.replace('$', ''))
    case 'id':
      return some(idsFor(naming, filling))
    default:
      return undefined
  }
}

/** What the prompt gives as the id of such a thing: by its name, beside its noun, or by its form alone. */
function idsFor(naming: Naming, { facts, used }: Filling): readonly string[] {
  const noun = tellingWords(naming)
  const isBare = naming.words.length === 1
  const beside = valuesBeside(noun, facts.spans)
    .map((value) => value.replace(/^#/u, ''))
    .filter((value) => !used.includes(value) && (isBare || /[\d_-]/u.test(value)))
  const labels = facts.labels.filter(({ words }) => words.length > 0)
  const own = labels.filter(({ words }) => words.join(' ') === naming.words.join(' '))
  const alike = labels.filter(({ words }) => kindOf(words) === 'id')
  const near = (fact: TextFact): boolean =>
    fact.before.slice(0, 3).some((word) => naming.words.includes(word))
  const numbers = facts.numbers
    .filter(
      ({ value, before }) => value > 99 && before.slice(0, 2).some((word) => naming.words.includes(word)),
    )
    .map(({ value }) => String(value))
  // "9780306406157" and "978-0-306-40615-7" are codes where one is asked for.
  const long = facts.tokens.filter(
    (token) => /^\d[\d-]{6,40}\d$/u.test(token) && !/^\d{4}-\d\d-\d\d$/u.test(token),
  )
  return [
    ...fresh(own, used),
    ...fresh(facts.codes.filter(near), used),
    ...beside,
    ...numbers,
    ...fresh(alike, used),
    ...fresh(facts.codes, used),
    ...long.filter((token) => !used.includes(token)),
    ...facts.tokens.filter((token) => isCode(token) && !used.includes(token)),
  ]
}

/** Whether a word is a code by its capitals and digits: "SUMMER25", "1HGCM82633A004352". */
const isCode = (token: string): boolean =>
  /^[A-Z\d][A-Z\d-]{3,40}$/u.test(token) && /\d/u.test(token) && /[A-Z]/u.test(token)

/** What a tool can evaluate; unknowns are left as they are. */
function expressions(
  { calculations, text }: PromptFacts,
  turn: number,
  description: string | undefined,
): readonly string[] | undefined {
  const asked = calculations[turn % Math.max(1, calculations.length)]
  if (asked !== undefined) return expressionsOf(asked, description)
  const written = withUnknowns.exec(text.slice(-2000))?.[0].trim()
  return written === undefined ? undefined : [written]
}
// Every space belongs to one part alone: else a row of parentheses takes for ever.
const withUnknowns = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.])(?:[\d.]{1,10}[a-z]?(?!\p{L})|[a-z](?!\p{L})|\()` +
    String.raw`(?: ?(?:\*\*|[-+*/^=()])(?: ?(?:[\d.]{1,10}[a-z]?(?!\p{L})|[a-z](?!\p{L})))?){1,40}(?<=[\w)])`,
  'u',
)

/** The dish alone, of "A lasagna recipe", "how to bake bread" or "How long does shakshuka take?". */
function dishes(text: string): readonly string[] {
  const dish = dishPatterns.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined)
  const plain = dish?.replace(/^.*\b(?:an?|the|my|for|of|in|some|good|easy|simple|quick|best|me)\s/iu, '')
  return plain === undefined || plain === '' ? [] : [capitalize(plain)]
}
const dishPatterns = [
  new RegExp(
    String.raw`\b(?:recipe (?:for|of)|ingredients (?:for|of|in)|make|cook|bake) (?:me )?` +
      String.raw`(?:an? |the |some )?([^,.?!]{2,40}?)(?= with | using | for |[,.?!\n]|$)`,
    'iu',
  ),
  /([\p{L} -]{3,60}) recipe/iu,
  /\b(?:does|do|is|are|should|must) (?:an? |the )?([\p{L} -]{3,40}?) (?:take|need|cook|bake|have)\b/iu,
]

function moments(
  dates: readonly TextFact[],
  times: readonly TextFact[],
  used: readonly string[],
): readonly string[] {
  return dates
    .map(({ value }, index) => `${value}T${times[index]?.value ?? times[0]?.value ?? '00:00'}:00Z`)
    .filter((value) => !used.includes(value))
}
