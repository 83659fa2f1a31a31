/** What the fields of a schema are, by name, format and description, and what they take of a prompt. */
import { plainOf, type Reading } from '../../prompt/reading.ts'
import { stemOf } from '../../prompt/words.ts'
import type { ObjectShape, Property, SchemaNode, StringShape, ValueShape } from '../clause.ts'
import type { FillSite } from '../filling.ts'
import { type JsonValue, TYPE } from '../json-value.ts'
import { NAMED } from '../property-naming.ts'

/** A property as far as a prompt can speak of it. */
export interface Field {
  readonly name: string
  readonly words: readonly string[]
  readonly kind: string
  readonly format: string
  /** The description, in lower case. */
  readonly hint: string
  readonly node: SchemaNode
  readonly shape: ValueShape | undefined
  readonly required: boolean
  readonly nullable: boolean
  readonly isText: boolean
  readonly isNumber: boolean
  /** What it is, the kinds of things that it takes, and the words in front of them, each best first. */
  readonly is: string
  readonly takes: readonly string[]
  readonly preps: readonly string[]
  /** The stems of the words that speak of it: those of its name that tell something, and their synonyms. */
  readonly stems: ReadonlySet<string>
  /** Where it stands in a range: the end, the start, or neither. */
  readonly side: 'end' | 'start' | undefined
  /** The field of one of its items, and what its number counts: once they were needed. */
  item?: Field
  counts?: Counts
}

/** What the name and the description of a number say that it counts. */
interface Counts {
  readonly time: boolean
  readonly days: boolean
  readonly money: boolean
  readonly percent: boolean
  readonly things: boolean
  readonly limit: boolean
  /** Whether it is the most, or the least, of something. */
  readonly upper: boolean
  readonly lower: boolean
}

/**
 * What a field is: how it shows (`@` is a word of its name), what it takes, behind which words. The first
 * that shows counts.
 */
const table = String.raw`
email | format=(idn-)?email|kind=email|words=(to|cc|bcc|recipient)\b.*hint=.*mail | email | to for with
url | format=(uri|url|iri)|kind=(image_)?url | url | from to at
sql | @(sql|statement)\b|hint=.*\bsql\b | sql quote |
moment | format=(date|time|date-time)\b|kind=(date|datetime|time|weekday)\b | moment |
moment | hint=.*(8601|3339|yyyy|hh:mm) | moment |
sum | kind=expression|hint=.*(\bmath|arithmetic|equation|formula) | sum |
currency | kind=currency|hint=.*(currenc|4217) | currency |
currency | max=3 .*words=(from|to|base|target)\b | currency |
language | kind=(language|locale)\b | language |
zone | kind=timezone | zone |
old | words=old\b | swap quote |
new | words=new (string|text|value|name)\b|@replacement\b | swap quote |
unit | kind=unit|words=(from|to) unit | word phrase |
command | @(command|cmd)\b|hint=.*\b(shell|bash) | command quote |
path | kind=(path|file)\b|@(folder|dir|directory|cwd)\b | path called quote | in from at of
path | hint=.*\b(path|file ?name|to save) | path called quote | in from at of
phone | kind=phone|hint=.*(e\.164|phone number) | phone |
host | kind=(ip|domain)\b|format=(ipv4|ipv6|hostname) | host |
address | kind=(street|zip|state|address)\b | address phrase | to at in near around of
symbol | kind=(symbol|airport)\b|hint=.*(\bticker|\biata\b) | capitals phrase | 
slug | @(owner|repo|repository|org)\b | slug | in of
branch | @(branch|ref)\b | path word code phrase | on from to of into off
id | kind=(id|uuid|hash)\b|@(id|sha|key|code|sku|last4|number) fo|hint=.*(\bid\b|identif) | code number told |
from | words=(from|origin|source|start|pickup|sender)\b | email path address name currency phrase | from
to | words=(to|target|dest\w*|base|dropoff)\b | email path address called name currency phrase | to for
room | @(room|zone|table|list|calendar|speaker|player)\b | word phrase quote name object | in on to at of from
by | @(artist|author|director|brand)\b | name quote phrase | by from of
place | kind=(city|location|country|region)\b | name phrase | in at near for to from of visit
place | hint=.*\b(city|town|station)\b | name phrase | in at near for to from of visit
person | kind=(person|first_name|last_name|username)\b | name word phrase | to for with by named am is of
company | kind=company | name quote phrase | at from for of by
room | @(channel|board|device|door|shop)\b | word code phrase quote name object | in on at of from into
query | kind=(query|question|topic|pattern)\b|@(search|keyword|term|topic|q)\b | quote sought | about for on
body | kind=(message|description|summary|explanation|answer|input)\b | clause quote phrase object | for about
name | kind=name\b | called word quote name object | is am called named
title | kind=(title|subject|step|product|dish|movie|book|song) | word called quote object phrase name | as
reason | @(reason|purpose)\b | clause phrase | because for
other | | word called quote phrase name code object | in on for to as with of
number | never | number money length code moment |`

const rows = table
  .trim()
  .split('\n')
  .map((line) => {
    const [is = '', shows = '', takes = '', preps = ''] = line.split(' |').map((part) => part.trim())
    return {
      is,
      shows: new RegExp(shows.replaceAll('@', String.raw`words=[^=]*\b`)),
      takes: takes.split(' '),
      preps: preps.split(' ').filter(Boolean),
    }
  })
type Row = (typeof rows)[number]
const [otherRow, numberRow] = rows.slice(-2) as [Row, Row]

const measures: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:to|target|quote|into|dest)\b/, ['to', 'into', 'in', 'many', 'are']],
  [/\b(?:from|source|base|origin)\b/, ['from', 'of', 'is', 'a', 'one']],
  [/$/, ['in', 'to']],
]
const endWords = /^(?:end|to|until|till|return|checkout|out|dropoff|before|through|finish|arrival|latest)$/
const startWords = /^(?:start|from|since|after|begin|departure|checkin|in|pickup|earliest)$/

const telling =
  /^(?:max|min|maximum|minimum|number|num|count|total|amount|value|of|in|at|on|by|per|to|from|a|id|no|new)$/
const synonyms: ReadonlyMap<string, readonly string[]> = new Map(
  `guest: people person adult us, passenger: people person adult traveler ticket seat, people: person guest
  adult friend, party: people person guest us, traveler: people person adult, adult: people person, top:
  first, rows: row first, limit: result top first last item, row: first, age: old aged, celsius: degree
  °c c, fahrenheit: degree °f f, temperature: degree °, seat: people ticket, copy: time, rating: star,
  count: time first last, bedroom: bed, result: latest newest first top last, level: percent`
    .replace(/\s+/g, ' ')
    .split(', ')
    .map((row) => row.split(': '))
    .map(([word = '', words = '']) => [word, words.split(' ')]),
)

const stemsOf = (words: readonly string[]): ReadonlySet<string> =>
  new Set(
    words
      .flatMap((word) => [...(telling.test(word) ? [] : [word]), ...(synonyms.get(word) ?? [])])
      .map(stemOf),
  )

/** The fields of an object, worked out once. */
export function fieldsOf(object: ObjectShape): readonly Field[] {
  if (object.fields === undefined) {
    const fields = object.properties.slice(0, 60).map(fieldOf)
    // A repository without a field for its owner is named in full.
    const slugs = fields.filter(({ is }) => is === 'slug')
    object.fields = fields.map((field) =>
      slugs.length === 1 && slugs[0] === field ? { ...field, kind: 'full' } : field,
    )
  }
  return object.fields as readonly Field[]
}

export function fieldOf({ name, node, naming, required }: Property): Field {
  const isNull = ({ types, values }: ValueShape): boolean =>
    values === undefined && types.every((type) => type === TYPE.null)
  const shapes = node.shapes.filter((shape) => !isNull(shape))
  const [shape] = shapes
  const { words, kind = '' } = naming
  const format = shape?.string?.formats[0] ?? ''
  const hint = (shape?.description ?? node.shapes[0]?.description ?? '').toLowerCase().slice(0, 300)
  const isText = shape?.string !== undefined && shape.values === undefined
  const isNumber = shape?.number !== undefined && shape.values === undefined && !isText
  const most = shape?.string?.maxLength ?? ''
  const said = `max=${most} kind=${kind} words=${words.join(' ')} format=${format} hint=${hint}`
  const row = words.join() === 'key' ? otherRow : (rows.find(({ shows }) => shows.test(said)) as Row)
  const { is, takes, preps } = isNumber && row.is !== 'id' ? numberRow : row
  const measured = /^(?:currency|language|unit|symbol)$/.test(is)
  const isEnd = words.some((word) => endWords.test(word))
  return {
    name,
    words,
    kind,
    format,
    hint,
    node,
    shape,
    required,
    isText,
    isNumber,
    is,
    takes,
    nullable:
      shapes.length < node.shapes.length ||
      node.shapes.some(({ types, values }) => types.includes(TYPE.null) || values?.includes(null) === true),
    preps: (measured ? measures.find(([sign]) => sign.test(words.join(' ')))?.[1] : undefined) ?? preps,
    stems: stemsOf(words),
    side: isEnd ? 'end' : words.some((word) => startWords.test(word)) ? 'start' : undefined,
  }
}

export const timeUnit = /^(?:ms|millisecond|second|sec|minute|min|hour|day|night|week|month|year)$/
const timeWords = /^(?:duration|timeout|delay|length)$/
const moneyWords = new RegExp(
  'price|amount|cost|budget|fee|total|salary|balance|payment|usd|eur|dollar|cent|loan|deposit|' +
    'income|tip|bill|fare|spend',
)

export function countsOf(field: Field): Counts {
  const { words, hint, kind } = field
  const said = `${words.join(' ')} ${hint} ${kind}`
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word))
  field.counts ??= {
    time: has(timeUnit) || has(timeWords) || /\bminutes\b|\bseconds\b/.test(hint),
    days: words.includes('day'),
    money: moneyWords.test(said),
    percent: /percent|rate|level|brightness|volume|discount|share|tip/.test(said),
    things: /^(?:quantity|qty)$/.test(words.at(-1) ?? ''),
    limit: /budget|limit/.test(said),
    upper: has(/^(?:max|maximum|most|limit|high|end)$/),
    lower: has(/^(?:min|minimum|least|low|start)$/),
  }
  return field.counts
}

export const isId = ({ is, isText, isNumber }: Field): boolean => is === 'id' && (isText || isNumber)

const direction = /^(?:from|to|base|target|source|quote|origin|dest|destination)$/

/** The kind of a name that is ambiguous alone: the `name` of a product is not that of a person. */
export function kindAt(
  { naming, parent }: FillSite,
  { formats, maxLength }: StringShape,
  kinds: ReadonlySet<string>,
  description: string = '',
): string | undefined {
  const { kind, words } = naming
  if (formats.includes('email')) return 'email'
  const isMoney = maxLength === 3 ? kinds.has('amount') : /\bcurrenc|\bISO[ -]?4217\b/iu.test(description)
  if (isMoney && words.every((word) => direction.test(word))) return 'currency'
  if (kind === 'operand') return undefined
  if (words.join(' ') === 'code' && kinds.has('language')) return 'code_text'
  const isOf = (kind === 'name' || kind === 'title') && words.length === 1 && NAMED.has(parent.kind ?? '')
  return isOf ? parent.kind : kind
}

// --- the values of enumerations, and flags ---

/** Other words that speak for a value. */
const meant = wordsBy(`
  c: celsius, f: fahrenheit, k: kelvin, celsius: c °c metric, fahrenheit: f °f imperial,   metric: celsius
  c kilometers °c, imperial: fahrenheit f miles °f, km: kilometers kilometres kilometer,   mi: miles mile,
  kg: kilograms kilos kilogram, lb: pounds lbs pound, en: english, de: german, fr: french,   es: spanish,
  it: italian, pt: portuguese, ja: japanese, zh: chinese, add: plus sum addition,   subtract: minus
  difference subtraction, multiply: times multiplied product, divide: divided division,   mean: average,
  positive: love great good excellent happy amazing awesome wonderful best perfect,   negative: hate bad
  terrible awful worst angry broken disappointing horrible never,   usd: $ dollars dollar bucks, eur: €
  euros euro, gbp: £ pounds pound sterling, jpy: ¥ yen, chf: francs franc,   urgent: asap immediately
  emergency critical, critical: urgent emergency outage,   high: urgent critical asap important severe
  immediately, low: minor trivial unimportant whenever,   medium: normal moderate, normal: medium regular,
  large: big huge, small: little tiny,   price_asc: cheapest lowest, price_desc: expensive priciest
  highest, date_desc: newest latest,   asc: ascending cheapest lowest oldest earliest alphabetical, desc:
  descending newest latest highest biggest most,   damaged: broken defective cracked torn, defective:
  broken, bicycling: bike bicycle cycle, cycling: bike bicycle,   bike: cycling, walking: walk foot, walk:
  foot, driving: drive car, drive: car, transit: bus train subway transport,   meals: lunch dinner
  breakfast meal, food: lunch dinner groceries, transport: taxi bus train uber,   yes: accept accepted,
  no: decline declined, accepted: accept, declined: decline,   done: finished completed complete,
  completed: done finished, resolved: solved fixed,   in_progress: started working, closed: close shut,
  locked: lock, on: enable, off: disable, economy: coach,   mon: monday, tue: tuesday, wed: wednesday,
  thu: thursday, fri: friday, sat: saturday, sun: sunday
`)

/** The words of a table: `value: words, value: words`. */
function wordsBy(table: string): ReadonlyMap<string, readonly string[]> {
  const rows = table.trim().replace(/\s+/g, ' ').split(', ')
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
  /^[a-z]+$/.test(value) ? value : plainOf(value.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')).trim()

const operators = wordsBy(`
  +: + add addition plus sum, -: - subtract subtraction minus difference, *: * multiply multiplication
  times product, /: / divide division quotient, %: % mod modulo remainder, **: ** ^ pow power, sqrt: sqrt
  square_root
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

const flagWords = new RegExp(
  '^(?:is|has|have|should|do|does|include|included|with|enable|enabled|allow|allowed|want|need|can|' +
    'use|flag|require|required|only|all|and|any|a|the|to|of|on|show|return)$',
)
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
const against = new RegExp(
  '^(?:no|not|dont|doesnt|without|never|isnt|arent|wont|cant|exclude|excluding|skip|omit|avoid|' +
    'except|nor|non)$',
)

const affirms = /(?:true|false|yes|no)\b/i

/** Whether a text affirms or denies a flag; undefined when it speaks of neither. */
export function flagIn(words: readonly string[], from: Reading): boolean | undefined {
  const said = plainOf(from.text).trim().split(' ')
  const label = String.raw`${words.join('[ _-]?')}\s*[:=]?\s*(?:is )?(true|false|yes|no)\b`
  const given = affirms.test(from.text) ? new RegExp(label, 'i').exec(from.text)?.[1] : undefined
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
