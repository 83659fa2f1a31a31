/** Gives each field what fits it best of what a text offers, by one score, in the field's own notation. */
import { PromptFacts } from '../../prompt/facts.ts'
import { DAY, dateOf, dayOf, lengthsIn, type Moment, secondsOf } from '../../prompt/quantities.ts'
import type { Reading } from '../../prompt/reading.ts'
import type { JsonValue } from '../json-value.ts'
import { countsOf, type Field, isId, timeUnit } from './fields.ts'
import { type Offer, offersFor } from './offers.ts'

export interface Taken {
  readonly value: JsonValue
  readonly offer: Offer
}

/** A value that an offer has for a field, and how well it fits. */
interface Candidate extends Taken {
  readonly score: number
}

export interface Assigning {
  readonly from: Reading
  readonly facts: PromptFacts
  /** Leave out what is only likely. */
  readonly sure: boolean
  /** All fields of the object, with those that have a value already. */
  readonly siblings: readonly Field[]
  /** What the text offers to each field, as far as it was looked for before. */
  readonly known: Map<Field, readonly Candidate[]>
  fits(field: Field, value: JsonValue): boolean
  isTaken(offer: Offer, field: Field): boolean
  take(field: Field, taken: Taken): void
}

/** Assigns the best pairs of fields and things first. */
export function assign(fields: readonly Field[], assigning: Assigning): void {
  const { isTaken, take } = assigning
  const done = operands(fields, assigning)
  const pairs: { readonly one: Candidate; readonly field: Field; readonly order: number }[] = []
  for (const [index, field] of fields.entries())
    if (!done.has(field) && (field.isText || field.isNumber))
      for (const [rank, one] of candidatesFor(field, assigning).entries())
        if (one.score >= thresholdOf(field, one.offer, assigning))
          pairs.push({ one, field, order: index * 100 + rank })
  for (const { field, one } of pairs.sort((a, b) => b.one.score - a.one.score || a.order - b.order)) {
    if (done.has(field) || isTaken(one.offer, field)) continue
    done.add(field)
    take(field, one)
  }
}

/** What the text offers to a field, worked out once. */
function candidatesFor(field: Field, assigning: Assigning): readonly Candidate[] {
  const { from, facts, known, fits } = assigning
  const before = known.get(field)
  if (before !== undefined) return before
  const all: Candidate[] = []
  for (const offer of offersFor(field, from, facts)) {
    const value = writtenFor(field, offer, assigning)
    if (value !== undefined && fits(field, value))
      all.push({ offer, value, score: scoreOf(field, offer, assigning) - all.length / 50 })
  }
  known.set(field, all)
  return all
}

/** What is only likely needs a field that must be given; a plain number is not for every option. */
function thresholdOf(field: Field, { kind }: Offer, { sure, facts, siblings }: Assigning): number {
  const isFree = kind === 'object' || kind === 'sought'
  if (sure && (isFree || (kind === 'phrase' && /^(?:title|body|query)$/.test(field.is)))) return Infinity
  if (isFree && !facts.sparing && !/^(?:title|subject|topic|query|question|dish|product)$/.test(field.kind))
    return Infinity
  // What a search looks for is given, though it need not be.
  const isMain = field.is === 'query' && !siblings.some(({ required }) => required)
  if (kind === 'phrase' && /^(?:from|to|branch)$/.test(field.is)) return field.required && !sure ? 1 : 4
  if (field.required || isMain) return kind === 'phrase' && sure ? 4 : 1
  return field.isNumber ? 3.5 : facts.sparing || isFree ? 4.8 : 3
}

/** The operands of a calculation, in its order, and the two parts of a point. */
function operands(fields: readonly Field[], { from, facts, fits, take }: Assigning): Set<Field> {
  const done = new Set<Field>()
  const places = fields.filter((one) => one.isNumber && /^(?:operand|latitude|longitude)$/.test(one.kind))
  if (places.length === 0) return done
  const [point] = from.of('point')
  const [latitude, longitude] = (point?.text ?? '').split(',').map((part) => Number.parseFloat(part))
  const numbers = places.filter(({ kind }) => kind === 'operand')
  const asked = numbers.length === 0 ? [] : (from.calculations(facts.results.lastNumber)[0]?.operands ?? [])
  const isWhole = asked.length === numbers.length || numbers.length === 1
  for (const field of places) {
    const operand = isWhole ? asked[numbers.indexOf(field)] : undefined
    const value = field.kind === 'latitude' ? latitude : field.kind === 'longitude' ? longitude : operand
    if (value === undefined || Number.isNaN(value) || !fits(field, value)) continue
    done.add(field)
    take(field, { value, offer: point ?? { kind: 'sum', at: -1, end: -1, text: '' } })
  }
  return done
}

// --- how well something fits ---

const base: Readonly<Record<string, number>> = {
  ...{ patterned: 9, called: 8, word: 7, clause: 5, quote: 5.5, code: 5, name: 4, currency: 4 },
  ...{ sought: 3, path: 3, object: 2, capitals: 2, phrase: 1.5, number: 1, length: 1, money: 1 },
}
const titles = new Set(['title', 'query', 'other', 'body'])
const skipped = new Set('the a an my our and room file city channel'.split(' '))

function scoreOf(field: Field, offer: Offer, { from, siblings, facts: { toolStems } }: Assigning): number {
  const { takes, stems, required, is, isNumber } = field
  const { kind, at, end, thing } = offer
  const isCount = isNumber && !isId(field)
  let score = isCount ? 1 : (base[kind] ?? 8) - Math.max(0, takes.indexOf(kind)) / 4
  if (at < 0) return score
  const { before, heard } = from.around(at, end, thing?.unit)
  const near = heard.some((word) => stems.has(word))
  if (near) score += kind === 'word' || kind === 'phrase' || kind === 'object' ? 0 : 4
  else if (kind === 'code' && is === 'other') score -= required ? 2 : 4
  else if (isOthers(heard[0] ?? '', field, siblings)) score -= 4
  if (isCount) {
    const isOnly = required && !siblings.some((one) => one !== field && isRequiredCount(one))
    return score + (isOnly ? 1 : 0) + numberScore(field, offer, before, heard)
  }
  if (kind === 'quote' && required && titles.has(is)) score += 0.6
  if (kind === 'name' && (is === 'person' || (field.kind === 'name' && toolStems.has('#person')))) score += 2
  return score + frontScore(field, offer, before, near ? [] : siblings) + formScore(field, offer, from)
}

const isOthers = (stem: string, field: Field, siblings: readonly Field[]): boolean =>
  siblings.some((one) => one !== field && (one.isText || one.isNumber) && one.stems.has(stem))
const isRequiredCount = (field: Field): boolean => field.required && field.isNumber && !isId(field)

/** What the word in front of a thing says for a field: "to" for a destination. */
function frontScore(
  field: Field,
  { kind, prep }: Offer,
  before: readonly string[],
  others: readonly Field[],
): number {
  const { is, preps } = field
  const front = prep ?? before.find((word) => !skipped.has(word)) ?? ''
  const at = preps.indexOf(front)
  if (at >= 0) return 4 - at / 8
  const isOther = (one: Field): boolean => one !== field && one.isText && one.preps[0] === front
  let score = front !== '' && others.some(isOther) ? -4 : 0
  if (kind !== 'name') return score
  if (is === 'title') score -= 2.5
  if (titles.has(is) && /^(?:to|for|from|in|at|with|by|of|on)$/.test(front)) score -= 4
  return score
}

/** Codes, paths and moments: whose they are by their form or role. */
function formScore(field: Field, { kind, text, at }: Offer, from: Reading): number {
  if (kind === 'code' || (kind === 'number' && isId(field))) {
    const letters = /^[a-z]+(?=[-_\d])/i.exec(text)?.[0]?.toLowerCase() ?? ''
    const isFor = ({ words }: Field): boolean =>
      words.some((word) => word.length > 2 && isShortFor(letters, word))
    return isFor(field) ? 3 : kind === 'number' ? 1 : 0
  }
  if (kind === 'path') return field.is === 'path' ? 4 : 0
  if (kind !== 'moment') return 0
  const [front = '', ...more] = from.before(at)
  const moments = from.of('moment')
  const several = moments.length > 1
  // "Move it to Friday" says when it starts.
  const isLate =
    (front === 'to' && several) ||
    /^(?:until|till|through|before|by)$/.test(front) ||
    [front, ...more].some((word) => /^(?:back|return(?:ing)?)$/.test(word))
  const isTimed = moments.find((one) => one.at === at)?.moment?.minute !== undefined
  const whole = /date-?time/.test(`${field.format} ${field.kind}`) && isTimed ? 0.5 : 0
  if (field.side === 'end') {
    const isEarly = /^(?:from|since|after|between|leaving)$/.test(front)
    return (isLate ? 3 : isEarly ? -5 : -1) + (several && moments.at(-1)?.at === at ? 2 : 0) + whole
  }
  if (field.side !== 'start') return whole
  return (isLate ? -4 : 0) + (several && moments[0]?.at === at ? 0.4 : 0) + whole
}

/** ORD-1234 is an order, TCK-3 a ticket, evt_9 an event. */
function isShortFor(code: string, thing: string): boolean {
  if (code.length < 2 || code[0] !== thing[0]) return false
  let at = 0
  for (const letter of thing) if (letter === code[at]) at++
  return at === code.length
}

const upper = /^(?:under|below|maximum|max|most|within|than|less|to|up|until)$/
const lower = /^(?:over|above|minimum|min|least|more|from|between)$/

function numberScore(
  field: Field,
  { kind: is, text, thing }: Offer,
  before: readonly string[],
  heard: readonly string[],
): number {
  const counts = field.counts ?? countsOf(field)
  if (is === 'moment') return counts.time && /^in \S+ (?:min|hour|sec|day)/i.test(text) ? 4 : -9
  let score = is === 'code' ? (/^\d+$/.test(text) ? -0.5 : -6) : 0
  if (is === 'money') score += counts.money ? 5 : -6
  if (is === 'length')
    score += heard.some((word) => field.stems.has(word)) ? 2 : counts.time && !counts.days ? 4 : -4
  else if (counts.time && (thing?.unit ?? '') !== '') score -= 2
  if (thing?.unit === '%') score += counts.percent ? 4 : -1
  const near = before.slice(0, 2)
  const isBetween = before[0] === 'and' && before.includes('between')
  const bound =
    near.some((word) => upper.test(word)) || isBetween ? 1 : near.some((word) => lower.test(word)) ? -1 : 0
  const isLimit = is === 'money' && near.some((word) => /^(?:under|below|within|than)$/.test(word))
  if (isLimit && !counts.upper && !counts.lower && !counts.limit) score -= 9
  score += counts.upper ? 3 * bound : counts.lower ? -3 * bound : 0
  return score + (counts.things && is === 'number' ? 4 : 0)
}

// --- how it is written ---

/** What a field is given of a thing, in its own type, unit and notation. */
function writtenFor(field: Field, offer: Offer, assigning: Assigning): JsonValue | undefined {
  const { thing, text, kind, end } = offer
  if (field.is === 'moment' && thing?.moment !== undefined)
    return momentText(field, thing.moment, thing.text, assigning)
  if (isId(field)) {
    const code = text.replace(/^#/, '')
    if (field.isNumber) return /^\d{1,15}$/.test(code) ? Number(code) : undefined
    return kind === 'number' && (!/^\d/.test(code) || thing?.unit !== '') ? undefined : code
  }
  if (field.isNumber) return numberFor(field, offer)
  if (field.kind === 'first_name') return text.split(' ')[0]
  if (field.kind === 'last_name') return kind === 'word' ? text : text.split(' ').slice(1).at(-1)
  if (field.is === 'branch') return text.split(' ')[0]
  return kind === 'name' && field.kind === 'location'
    ? text + (/^, [A-Z]{2}(?!\p{L})/u.exec(assigning.from.text.slice(end))?.[0] ?? '')
    : text
}

function numberFor(field: Field, { thing, text, kind }: Offer): number | undefined {
  const { words, hint } = field
  if (/^(?:latitude|longitude)$/.test(field.kind)) return undefined
  const count = thing?.number ?? Number(text)
  const unit =
    words.find((word) => timeUnit.test(word)) ??
    /\b(milliseconds?|ms|seconds?|minutes?|hours?|days?|weeks?)\b/.exec(hint)?.[1]
  const length = thing?.length ?? (thing?.moment === undefined ? undefined : lengthsIn(text)[0])
  if (length !== undefined && unit !== undefined)
    return Number((length.seconds / secondsOf(unit)).toPrecision(12))
  if (thing?.moment !== undefined) return undefined
  const inCents = words.includes('cent') || /\bcents?\b|minor units?/.test(hint)
  if (kind === 'money') {
    const isCent = thing?.unit === 'cent'
    return inCents === isCent ? count : inCents ? Math.round(count * 100) : count / 100
  }
  if (Number.isNaN(count)) return undefined
  return thing?.unit === '%' && /0 ?(?:-|to|and) ?1\b|fraction/.test(hint) ? count / 100 : count
}

const two = (value: number): string => String(value).padStart(2, '0')

/** A moment as the field writes it: by its format, its description, else as it is said. */
function momentText(field: Field, moment: Moment, said: string, assigning: Assigning): string | undefined {
  const { format, hint, kind, words, required, side } = field
  const { from, facts } = assigning
  const isOwn = format === ''
  const isTime =
    format === 'time' || (isOwn && (kind === 'time' || /\bhh:?mm/.test(hint)) && !/yyyy/.test(hint))
  const isDate =
    format === 'date' ||
    (isOwn && (kind === 'date' || /yyyy-mm-dd/.test(hint)) && !/hh|t?time|8601(?!.*date)/.test(hint))
  const moments = from.of('moment')
  // "Wednesdays at 10:00, starting on the 7th": a day and a time apart are one moment.
  const times = moments.flatMap((one) => (one.moment?.day === undefined ? (one.moment?.minute ?? []) : []))
  const apart = side === undefined || side === 'start' ? times[0] : undefined
  const { day, minute = apart } = side === 'end' ? endOf(moment, field, assigning) : moment
  if (side === 'end' && day === undefined && minute === undefined) return undefined
  const time = minute === undefined ? undefined : `${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}`
  if (isTime) return time === undefined ? undefined : format === 'time' ? `${time}:00Z` : time
  const isPlain = isOwn && !/yyyy|8601|hh/.test(hint)
  if (isPlain && (kind === 'weekday' || words.at(-1) === 'when' || (!facts.sparing && !/\d/.test(said))))
    return said
  const own = day ?? moments.find((one) => one.moment?.day !== undefined)?.moment?.day
  const date = dateOf(own ?? nextDay(from.now, minute))
  if (/yyyy-mm(?!-)/.test(hint)) return date.slice(0, 7)
  if (isDate) return own === undefined && !required ? undefined : date
  return isOwn && !/8601|3339|yyyy|date.?time|timestamp/.test(hint) && kind !== 'datetime'
    ? said
    : `${date}T${time ?? '00:00'}:00Z`
}

/** The day of a time of which no day is said: today, unless it is over. */
const nextDay = (now: number, minute = 1440): number =>
  dayOf(now) + (dayOf(now) + minute * 60_000 < now ? DAY : 0)

/** The end of a range, or of what begins at a moment and lasts so long. */
function endOf(moment: Moment, field: Field, { from, siblings }: Assigning): Moment {
  const { day, minute, lastDay, lastMinute } = moment
  const ends = (lastDay ?? day) as number
  if (lastDay !== undefined || lastMinute !== undefined)
    return {
      ...((lastDay ?? day) !== undefined && { day: ends }),
      ...(lastMinute !== undefined && { minute: lastMinute }),
    }
  const begins = siblings.some((one) => one.side === 'start' || /^(?:date|when|time)$/.test(one.name))
  if (from.of('moment').length > 1 || !begins) return moment
  const length = from.of('length')[0]?.length
  if (length === undefined && (!field.required || field.nullable)) return {}
  const begun = (day ?? dayOf(from.now)) + (minute ?? 0) * 60_000
  const time = begun + 1000 * (length?.seconds ?? (minute === undefined ? 86_400 : 3600))
  return { day: dayOf(time), ...(minute !== undefined && { minute: Math.floor((time % DAY) / 60_000) }) }
}

/** All values that a text offers to a field, in the order of the text. */
export function valuesOf(field: Field, from: Reading, facts: PromptFacts): readonly JsonValue[] {
  const assigning = { from, facts, sure: true, siblings: [field], known: new Map(), ...anything }
  return offersFor(field, from, facts)
    .filter(({ kind }) => !/^(?:object|sought|phrase|clause|word)$/.test(kind))
    .flatMap((offer) => writtenFor(field, offer, assigning) ?? [])
}
const anything = { fits: () => true, isTaken: () => false, take: () => {} }

/** Whether a text has what a field needs, in a form of its own. */
export function isOffered(field: Field, siblings: readonly Field[], from: Reading): boolean {
  let found = false
  const taken: Offer[] = []
  const take = (to: Field, { offer }: Taken): void => {
    taken.push(offer)
    found ||= to === field && !/^(?:name|word|phrase)$/.test(offer.kind)
  }
  assign(
    siblings.filter((one) => one === field || isId(one)),
    {
      fits: anything.fits,
      isTaken: ({ at, end }) => at >= 0 && taken.some((one) => one.at < end && at < one.end),
      from,
      facts: new PromptFacts(from, { sparing: true }),
      sure: true,
      known: new Map(),
      siblings,
      take,
    },
  )
  return found
}
