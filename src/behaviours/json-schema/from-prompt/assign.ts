/** Gives each field what fits it best of what a text offers, by one score. */
import { calculationsIn } from '../../prompt/arithmetic.ts'
import type { PromptFacts } from '../../prompt/facts.ts'
import { dateOf, lengthsIn, type Moment, secondsOf } from '../../prompt/moments.ts'
import type { Reading } from '../../prompt/reading.ts'
import { promptWords, stemOf } from '../../prompt/words.ts'
import type { JsonValue } from '../json-value.ts'
import { type Field, isId } from './fields.ts'
import { type Offer, offersFor } from './things.ts'

export interface Taken {
  readonly value: JsonValue
  readonly offer: Offer
}

export interface Assigning {
  readonly from: Reading
  readonly facts: PromptFacts
  /** Leave out what is only likely. */
  readonly sure: boolean
  fits(field: Field, value: JsonValue): boolean
  isTaken(offer: Offer, field: Field): boolean
  take(field: Field, taken: Taken): void
}

interface Pair extends Taken {
  readonly field: Field
  readonly score: number
  readonly order: number
}

/** Assigns the best pairs of fields and things first. */
export function assign(
  fields: readonly Field[],
  assigning: Assigning,
  siblings: readonly Field[] = fields,
): void {
  const done = new Set<Field>()
  operands(fields, assigning, done)
  const pairs: Pair[] = []
  for (const [index, field] of fields.entries()) {
    if (done.has(field) || (!field.isText && !field.isNumber)) continue
    let rank = 0
    for (const offer of offersFor(field, assigning.from, assigning.facts)) {
      const value = writtenFor(field, offer, assigning.from, siblings, assigning.facts.sparing)
      if (value === undefined || !assigning.fits(field, value)) continue
      const score = scoreOf(field, offer, assigning.from, siblings, assigning.facts.toolStems) - rank / 50
      if (score >= thresholdOf(field, offer, assigning))
        pairs.push({ field, offer, value, score, order: index * 100 + rank })
      rank++
    }
  }
  for (const { field, offer, value } of pairs.sort((a, b) => b.score - a.score || a.order - b.order)) {
    if (done.has(field) || assigning.isTaken(offer, field)) continue
    done.add(field)
    assigning.take(field, { value, offer })
  }
}

/** What is only likely needs a field that must be given; a plain number is not for every option. */
function thresholdOf(field: Field, { kind }: Offer, { sure, facts }: Assigning): number {
  const isFree = kind === 'object' || kind === 'sought'
  if (sure && (isFree || (kind === 'phrase' && /^(?:title|body|query)$/.test(field.is)))) return Infinity
  if (isFree && !facts.sparing && !/^(?:title|subject|topic|query|question|dish|product)$/.test(field.kind))
    return Infinity
  if (field.required) return kind === 'phrase' && sure ? 4 : 1
  if (kind === 'phrase' && field.is === 'other') return Infinity
  return field.isNumber ? 3.5 : facts.sparing || isFree ? 4.8 : 3
}

/** The operands of a calculation, in its order. */
function operands(fields: readonly Field[], { from, facts, fits, take }: Assigning, done: Set<Field>): void {
  const places = fields.filter(
    ({ kind, isNumber }) => isNumber && (kind === 'operand' || kind === 'latitude' || kind === 'longitude'),
  )
  if (places.length === 0) return
  const [asked] = calculationsIn(from.text, facts.lastNumber)
  const [point] = from.of('point')
  const [latitude, longitude] = (point?.text ?? '').split(',').map((part) => Number.parseFloat(part))
  const numbers = places.filter(({ kind }) => kind === 'operand')
  for (const field of places) {
    const at = numbers.indexOf(field)
    const value =
      field.kind === 'latitude' ? latitude : field.kind === 'longitude' ? longitude : asked?.operands[at]
    if (
      value === undefined ||
      Number.isNaN(value) ||
      !fits(field, value) ||
      (at >= 0 && asked?.operands.length !== numbers.length && numbers.length > 1)
    )
      continue
    done.add(field)
    take(field, { value, offer: point ?? { kind: 'sum', at: -1, end: -1, text: '' } })
  }
}

// --- how well something fits ---

const points =
  'patterned 9,clause 5,called 8,word 7,quote 5,sought 3,object 2,phrase 1.5,name 4,number 1,length ' +
  '1,money 1,code 5,' +
  'capitals 2,path 3,currency 4'
const base: ReadonlyMap<string, number> = new Map(
  points.split(',').map((pair) => [pair.split(' ')[0] as string, Number(pair.split(' ')[1])]),
)
const telling =
  /^(?:max|min|maximum|minimum|number|num|count|total|amount|value|of|in|per|to|from|a|id|no|new)$/
const synonyms: Readonly<Record<string, string>> = {
  guest: 'people person adult us',
  passenger: 'people person adult traveler ticket',
  party: 'people person guest us',
  people: 'person guest adult',
  traveler: 'people person adult',
  adult: 'people person',
  limit: 'result top first last item',
  top: 'first',
  rows: 'row first',
  row: 'first',
  age: 'old aged',
  celsius: 'degree °c c',
  fahrenheit: 'degree °f f',
  temperature: 'degree °',
  seat: 'people ticket',
  copy: 'time',
  rating: 'star',
  count: 'time first last',
  bedroom: 'bed',
}
const upper = /^(?:under|below|maximum|max|most|within|than|less|to|up|until)$/
const lower = /^(?:over|above|minimum|min|least|more|from|between)$/

function scoreOf(
  field: Field,
  offer: Offer,
  from: Reading,
  fields: readonly Field[],
  toolStems: ReadonlySet<string>,
): number {
  const { takes, preps, words, required } = field
  const place = takes.indexOf(offer.kind)
  let score =
    (field.isNumber && !isId(field) ? 1 : (base.get(offer.kind) ?? 8)) -
    (place > 0 && !field.isNumber ? place / 4 : 0)
  if (offer.at < 0) return score
  const before = from.before(offer.at)
  const front =
    offer.prep ?? before.find((word) => !/^(?:the|a|an|my|our|and|room|file|city)$/.test(word)) ?? ''
  const heard = [
    ...before.slice(0, 2).map((word) => promptWords(word)[0] ?? word),
    ...wordsAfter(offer, from),
  ].map(stemOf)
  const own = words.filter((word) => !telling.test(word))
  const near = own.some(
    (word) =>
      heard.includes(stemOf(word)) ||
      (Object.hasOwn(synonyms, word) ? (synonyms[word] as string) : '')
        .split(' ')
        .some((one) => one !== '' && heard.includes(stemOf(one))),
  )
  const isPerson = field.is === 'person' || (field.kind === 'name' && toolStems.has('#person'))
  const isOther = (other: Field): boolean => other !== field && (other.isText || other.isNumber) && !near
  if (near) score += /^(?:word|phrase|object)$/.test(offer.kind) ? 0 : 4
  else if (
    heard
      .slice(0, 1)
      .some((word) =>
        fields.some(
          (other) => isOther(other) && other.words.some((one) => !telling.test(one) && stemOf(one) === word),
        ),
      )
  )
    score -= 4
  if (offer.kind === 'quote' && fields.some(({ name }) => name === offer.text)) score -= 9
  if (!field.isNumber || isId(field)) {
    const at = preps.indexOf(front)
    if (at >= 0) score += 4 - at / 8
    else if (
      front !== '' &&
      fields.some((other) => isOther(other) && other.isText && other.preps[0] === front)
    )
      score -= 4
    if (
      offer.kind === 'name' &&
      at < 0 &&
      !isPerson &&
      /^(?:title|query|other|body)$/.test(field.is) &&
      /^(?:to|for|from|in|at|with|by|of|on)$/.test(front)
    )
      score -= 4
    if (isPerson && offer.kind === 'quote' && /,.*\d|\d.*,|(?:\S+ ){4}/.test(offer.text)) score -= 6
    if (isPerson && offer.kind === 'name') score += 2
    if (offer.kind === 'name' && field.is !== 'person' && /^(?:by|mr|mrs|ms|dr)$/.test(front) && at < 0)
      score -= 3
    return score + formScore(field, offer, from, fields)
  }
  return (
    score +
    (required && fields.filter((one) => one.required && one.isNumber && !isId(one)).length === 1 ? 1 : 0) +
    numberScore(field, offer, before, heard)
  )
}

const wordsAfter = ({ end, thing }: Offer, from: Reading): readonly string[] => {
  const behind =
    from.text
      .slice(end, end + 40)
      .toLowerCase()
      .match(/^[^.!?\n;,]*/)?.[0]
      .match(/[\p{L}%°]+/gu) ?? []
  return [...promptWords(thing?.unit ?? ''), ...behind.slice(0, 2).flatMap((word) => promptWords(word))]
}

/** Codes, paths and moments: whose they are by their form or role. */
function formScore(
  field: Field,
  { kind, text, at, thing }: Offer,
  from: Reading,
  fields: readonly Field[],
): number {
  if (kind === 'code' || (kind === 'number' && isId(field))) {
    const letters = /^[a-z]+(?=[-_\d])/i.exec(text)?.[0]?.toLowerCase() ?? ''
    const isFor = ({ words }: Field): boolean =>
      words.some((word) => word.length > 2 && isShortFor(letters, word))
    if (isFor(field)) return 3
    return fields.some((other) => other !== field && isId(other) && isFor(other))
      ? -6
      : kind === 'number'
        ? 1
        : 0
  }
  if (kind === 'path')
    return (
      (field.is === 'path' ? 4 : 0) +
      (/^(?:cwd|dir|directory|folder)$/.test(field.words.at(-1) ?? '') === /\.\w{1,5}$/.test(text) ? -2 : 0)
    )
  if (kind !== 'moment' || thing === undefined) return 0
  const [front = ''] = from.before(at)
  const says = /^(?:to|until|till|through|before|by)$/.test(front)
    ? 1
    : /^(?:from|since|after|between)$/.test(front)
      ? -1
      : 0
  return isEnd(field) ? says * 4 - 1 : isStart(field) && says > 0 ? -4 : 0
}

/** ORD-1234 is an order, TCK-3 a ticket, evt_9 an event. */
function isShortFor(code: string, thing: string): boolean {
  if (code.length < 2 || code[0] !== thing[0]) return false
  let at = 0
  for (const letter of thing) if (letter === code[at]) at++
  return at === code.length
}

const timeUnit = /^(?:ms|millisecond|second|sec|minute|min|hour|day|night|week|month|year)$/

function numberScore(
  { words, hint, kind }: Field,
  offer: Offer,
  before: readonly string[],
  heard: readonly string[],
): number {
  const said = `${words.join(' ')} ${hint}`
  const thing = offer.thing
  let score = 0
  if (offer.kind === 'money')
    score += new RegExp(
      'price|amount|cost|budget|fee|total|salary|balance|payment|principal|usd|eur|dollar|' +
        'cent|loan|deposit|income|tip|bill|fare|spend',
    ).test(`${said} ${kind}`)
      ? 5
      : -6
  const isTime =
    words.some((word) => timeUnit.test(word) || /^(?:duration|timeout|delay|length)$/.test(word)) ||
    /\bminutes\b|\bseconds\b/.test(hint)
  if (offer.kind === 'moment') return isTime && /^in \S+ (?:min|hour|sec|day)/i.test(offer.text) ? 4 : -9
  if (offer.kind === 'length')
    score += heard.some((word) => words.map(stemOf).includes(word))
      ? 2
      : isTime && !words.includes('day')
        ? 4
        : -4
  else if (isTime && (thing?.unit ?? '') !== '') score -= 2
  if (thing?.unit === '%')
    score += /percent|rate|level|brightness|volume|discount|share|position|interest|tip/.test(said) ? 4 : -1
  if (heard.includes('degree') || /^°/.test(thing?.unit ?? ''))
    score += /temperature|degree|celsius|fahrenheit/.test(said) ? 4 : -4
  const isUpper = words.some((word) => /^(?:max|maximum|most|limit|high|end)$/.test(word))
  const isLower = words.some((word) => /^(?:min|minimum|least|low|start)$/.test(word))
  const bound =
    before.slice(0, 2).some((word) => upper.test(word)) || (before[0] === 'and' && before.includes('between'))
      ? 1
      : before.slice(0, 2).some((word) => lower.test(word))
        ? -1
        : 0
  if (
    before.slice(0, 2).some((word) => /^(?:under|below|within|than)$/.test(word)) &&
    offer.kind === 'money' &&
    !isUpper &&
    !isLower &&
    !/budget|limit/.test(said)
  )
    score -= 9
  if (isUpper) score += 3 * bound
  if (isLower) score -= 3 * bound
  if (/^(?:quantity|qty)$/.test(words.at(-1) ?? '') && offer.kind === 'number') score += 4
  return score - (offer.kind !== 'code' ? 0 : /^\d+$/.test(offer.text) ? 0.5 : 6)
}

// --- how it is written ---

const isEnd = ({ words }: Field): boolean =>
  words.some((word) =>
    /^(?:end|to|until|till|return|checkout|out|dropoff|before|through|finish|arrival|latest)$/.test(word),
  )
const isStart = ({ words }: Field): boolean =>
  words.some((word) => /^(?:start|from|since|after|begin|departure|checkin|in|pickup|earliest)$/.test(word))
const two = (value: number): string => String(value).padStart(2, '0')
const DAY = 86_400_000

/** What a field is given of a thing, in its own type, unit and notation. */
function writtenFor(
  field: Field,
  offer: Offer,
  from: Reading,
  fields: readonly Field[],
  sparing: boolean,
): JsonValue | undefined {
  const { thing, text } = offer
  if (field.is === 'moment' && thing?.moment !== undefined)
    return momentText(field, thing.moment, thing.text, from, fields, sparing)
  if (isId(field)) {
    const code = text.replace(/^#/, '')
    return field.isNumber
      ? /^\d{1,15}$/.test(code)
        ? Number(code)
        : undefined
      : offer.kind === 'number' && !/^\d/.test(code)
        ? undefined
        : code
  }
  if (!field.isNumber)
    return field.is === 'url' && text.startsWith('www.')
      ? `https://${text}`
      : field.kind === 'first_name'
        ? text.split(' ')[0]
        : field.kind === 'last_name'
          ? text.split(' ').slice(1).at(-1)
          : offer.kind === 'name' && field.kind === 'location'
            ? text + (/^, [A-Z]{2}(?!\p{L})/u.exec(from.text.slice(offer.end))?.[0] ?? '')
            : text
  const { words, hint } = field
  const count = thing?.number ?? Number(text)
  const unit =
    words.find((word) => timeUnit.test(word)) ??
    /\b(milliseconds?|seconds?|minutes?|hours?|days?|weeks?)\b/.exec(hint)?.[1]
  if (thing?.length !== undefined && unit !== undefined)
    return Number((thing.length.seconds / secondsOf(unit)).toPrecision(12))
  if (thing?.moment !== undefined) {
    const [length] = lengthsIn(text)
    return length === undefined || unit === undefined ? undefined : length.seconds / secondsOf(unit)
  }
  const inCents = words.includes('cent') || /\bcents?\b|minor units?/.test(hint)
  if (offer.kind === 'money')
    return inCents === (thing?.unit === 'cent') ? count : inCents ? Math.round(count * 100) : count / 100
  return Number.isNaN(count)
    ? undefined
    : thing?.unit === '%' && /0 ?(?:-|to|and) ?1\b|fraction/.test(hint)
      ? count / 100
      : count
}

/** A moment as the field writes it: by its format, its description, else as it is said. */
function momentText(
  field: Field,
  moment: Moment,
  said: string,
  from: Reading,
  fields: readonly Field[],
  sparing: boolean,
): string | undefined {
  const { format, hint, kind } = field
  const isTime =
    format === 'time' || (format === '' && (kind === 'time' || /\bhh:?mm/.test(hint)) && !/yyyy/.test(hint))
  const isDate =
    format === 'date' ||
    (format === '' && (kind === 'date' || /yyyy-mm-dd/.test(hint)) && !/hh|t?time|8601(?!.*date)/.test(hint))
  const moments = from.of('moment')
  const { day, minute } = isEnd(field) ? endOf(moment, moments.length, field, from, fields) : moment
  if (isEnd(field) && day === undefined && minute === undefined) return undefined
  const time = minute === undefined ? undefined : `${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}`
  if (isTime) return time === undefined ? undefined : format === 'time' ? `${time}:00Z` : time
  const other =
    day ??
    moments.find((one) => one.moment?.day !== undefined)?.moment?.day ??
    Math.floor(from.now / DAY) * DAY
  const isPlain = format === '' && !/yyyy|8601|hh/.test(hint)
  if (isPlain && (kind === 'weekday' || field.words.at(-1) === 'when' || (!sparing && !/\d/.test(said))))
    return said
  if (isDate) return day === undefined && !field.required ? undefined : dateOf(other)
  return format === '' && !/8601|3339|yyyy|date.?time|timestamp/.test(hint) && kind !== 'datetime'
    ? said
    : `${dateOf(other)}T${time ?? '00:00'}:00Z`
}

/** The end of a range, or of what begins at a moment and lasts so long. */
function endOf(moment: Moment, count: number, field: Field, from: Reading, fields: readonly Field[]): Moment {
  if (moment.lastDay !== undefined || moment.lastMinute !== undefined)
    return {
      ...dayOf(moment.lastDay ?? moment.day),
      ...(moment.lastMinute === undefined ? {} : { minute: moment.lastMinute }),
    }
  if (count > 1 || !fields.some((one) => isStart(one) || /^(?:date|when|time)$/.test(one.name))) return moment
  const length = from.of('length')[0]?.length
  if (length === undefined && (!field.required || field.nullable)) return {}
  const begun = (moment.day ?? Math.floor(from.now / DAY) * DAY) + (moment.minute ?? 0) * 60_000
  const time = begun + 1000 * (length?.seconds ?? (moment.minute === undefined ? 86_400 : 3600))
  return {
    day: Math.floor(time / DAY) * DAY,
    ...(moment.minute === undefined ? {} : { minute: Math.floor((time % DAY) / 60_000) }),
  }
}
const dayOf = (day: number | undefined): Pick<Moment, 'day'> => (day === undefined ? {} : { day })

/** All values that a text offers to a field, in the order of the text. */
export function valuesOf(field: Field, from: Reading, facts: PromptFacts): readonly JsonValue[] {
  return [...offersFor(field, from, facts)]
    .filter(({ kind }) => !/^(?:object|sought|phrase|clause|word)$/.test(kind))
    .flatMap((offer) => writtenFor(field, offer, from, [field], facts.sparing) ?? [])
}

/** Whether a text has what a field needs, in a form of its own. */
export function isOffered(
  field: Field,
  siblings: readonly Field[],
  from: Reading,
  facts: PromptFacts,
): boolean {
  let found = false
  const take = (_: Field, { offer }: Taken): void => {
    found ||= !/^(?:name|word|phrase)$/.test(offer.kind)
  }
  assign([field], { from, facts, sure: true, fits: () => true, isTaken: () => false, take }, siblings)
  return found
}
