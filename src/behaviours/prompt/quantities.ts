/** Dates, times, durations and calculations in words: "next Tuesday at 9", "90 minutes", "15% of 80". */
import { matchesIn } from './matches.ts'
import { numberOf, numberPattern } from './words.ts'

/** A moment or a range. A day is midnight in UTC; a time is in minutes of the day. */
export interface Moment {
  readonly day?: number
  readonly minute?: number
  /** The last day of a range such as "next week". */
  readonly lastDay?: number
  /** The last minute of a range such as "2-3pm". */
  readonly lastMinute?: number
}

export interface FoundMoment extends Moment {
  readonly at: number
  readonly end: number
}

export const DAY = 86_400_000
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const month =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|' +
  'oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const nth = String.raw`(\d{1,2})(?:st|nd|rd|th)?`
const dash = String.raw`\s?(?:-|–|to|until|till|through|and)\s?`
const amount = `(an?|${numberPattern})`
const parts: Readonly<Record<string, number>> = { morning: 540, afternoon: 840, evening: 1140, night: 1260 }
const part = '(morning|afternoon|evening|night)'

export const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 10)
export const dayOf = (time: number): number => Math.floor(time / DAY) * DAY
const yearOf = (now: number): number => new Date(now).getUTCFullYear()

/** One or more days of a month, in the named year or else in the next possible year. */
function dayIn(now: number, name: string, day: string, year?: string, last?: string): Moment | undefined {
  const at = /\d/.test(name) ? Number(name) - 1 : months.indexOf(name.slice(0, 3).toLowerCase())
  const near = Date.UTC(yearOf(now), at, Number(day))
  const named = year === undefined ? undefined : Number(year.length === 2 ? `20${year}` : year)
  const isOver = near < dayOf(now) - 31 * DAY
  const time = Date.UTC(named ?? yearOf(now) + (isOver ? 1 : 0), at, Number(day))
  if (new Date(time).getUTCDate() !== Number(day)) return undefined
  const lastDay = last === undefined ? undefined : dayIn(now, name, last, year)?.day
  return lastDay === undefined ? { day: time } : { day: time, lastDay }
}

function weekdayAfter(now: number, name: string, which: string): Moment {
  const start = dayOf(now)
  const here = (new Date(start).getUTCDay() + 6) % 7
  const at = (weekdays.indexOf(name.slice(0, 3)) + 6) % 7
  if (/last|past|previous/.test(which)) return { day: start - (((here - at + 6) % 7) + 1) * DAY }
  // On a Thursday, "next Friday" is in the next week.
  if (which === 'next') return { day: start + (at - here + 7) * DAY }
  return { day: start + ((at - here + 7) % 7 || (which === 'this' ? 0 : 7)) * DAY }
}

function shifted(now: number, count: string, unit: string, sign = 1): Moment {
  const by = sign * (numberOf(count) ?? 1)
  if (/^(?:min|h)/i.test(unit)) {
    const time = now + by * (/^m/i.test(unit) ? 60_000 : 3_600_000)
    return { day: dayOf(time), minute: Math.floor((time % DAY) / 60_000) }
  }
  const date = new Date(dayOf(now))
  if (/^month/i.test(unit)) date.setUTCMonth(date.getUTCMonth() + by)
  else if (/^year/i.test(unit)) date.setUTCFullYear(date.getUTCFullYear() + by)
  else date.setUTCDate(date.getUTCDate() + by * (/^week/i.test(unit) ? 7 : 1))
  return { day: date.getTime() }
}

function period(now: number, which: string, unit: string): Moment {
  const shift = which === 'next' || which === 'coming' ? 1 : which === 'this' ? 0 : -1
  const monday = dayOf(now) - ((new Date(now).getUTCDay() + 6) % 7) * DAY + 7 * shift * DAY
  if (unit.startsWith('week'))
    return { day: monday + (unit === 'weekend' ? 5 * DAY : 0), lastDay: monday + 6 * DAY }
  const [year, at] = [yearOf(now), new Date(now).getUTCMonth() + shift]
  return unit === 'month'
    ? { day: Date.UTC(year, at, 1), lastDay: Date.UTC(year, at + 1, 0) }
    : { day: Date.UTC(year + shift, 0, 1), lastDay: Date.UTC(year + shift, 11, 31) }
}

/** A time of day in minutes. `half` is "am", "pm" or an equivalent. */
function timeOf(hour: string, minutes = '0', half = ''): number | undefined {
  const mark = half.toLowerCase().replace(/\./g, '')
  if (Number(hour) > 23 || Number(minutes) > 59 || (mark !== '' && Number(hour) > 12)) return undefined
  const isLate = mark === 'pm' || /evening|afternoon|night/.test(mark)
  const hours = isLate ? (Number(hour) % 12) + 12 : mark === 'am' ? Number(hour) % 12 : Number(hour)
  return hours * 60 + Number(minutes)
}

const clock = String.raw`(\d{1,2})(?:[:.h](\d\d))?`
const half = String.raw`(?:\s?([ap]\.?m\b\.?)|\s(?:o.?clock|in the (morning|afternoon|evening)|at (night)))`
const relative: Readonly<Record<string, number>> = { today: 0, tonight: 0, tomorrow: 1, yesterday: -1 }
const at = (minute: number | undefined): Moment | undefined => (minute === undefined ? minute : { minute })
// Negative values stand for a part of the day.
const partOf = (name: string | undefined): Moment =>
  name === undefined ? {} : { minute: -(parts[name.toLowerCase()] as number) }

type MomentReader = (found: readonly string[], now: number) => Moment | undefined
const named = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i
/**
 * The notations of moments, the most specific first: later rows do not see a text that an earlier row has
 * read. The first column is a quick test for the notation.
 */
const momentTable: readonly (readonly [RegExp, string, MomentReader])[] = [
  [
    /\d-\d/,
    String.raw`\b(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?`,
    ([, year, name = '', day = '', hour, minute], now) => {
      const found = dayIn(now, name, day, year)
      return found && hour !== undefined ? { ...found, minute: Number(hour) * 60 + Number(minute) } : found
    },
  ],
  [
    named,
    String.raw`\b${month}\.? ${nth}(?:(?:-|–| to )${nth})?(?!\s*(?:[ap]m|[:.]\d))\b(?:,? (\d{4})\b|` +
      String.raw`(?=${dash}${month} \d{1,2},? (\d{4}))|)`,
    ([, name = '', day = '', last, year, , later], now) => dayIn(now, name, day, year ?? later, last),
  ],
  [
    named,
    String.raw`\b(?:the )?${nth}(?:(?: ?[-–] ?| to )${nth})? (?:of )?${month}\b\.?(?:,? (\d{4}))?`,
    ([, day = '', last, name = '', year], now) => dayIn(now, name, day, year, last),
  ],
  [
    /\d[/.]\d/,
    String.raw`\b(\d{1,2})([/.])(\d{1,2})\2(\d{4}|\d\d)\b`,
    ([, a = '', sign, b = '', year], now) => (sign === '/' ? dayIn(now, a, b, year) : dayIn(now, b, a, year)),
  ],
  [/tomorrow/i, String.raw`\b(?:the )?day after tomorrow\b`, (_, now) => ({ day: dayOf(now) + 2 * DAY })],
  [
    /today|tonight|tomorrow|yesterday/i,
    String.raw`\b(today|tonight|tomorrow|yesterday)\b(?:['’]s)?(?:\s+(?:in the )?${part}\b)?`,
    ([, word = '', name], now) => ({
      day: dayOf(now) + (relative[word.toLowerCase()] as number) * DAY,
      ...partOf(name),
    }),
  ],
  [
    /day/i,
    String.raw`\b(?:(?:the )?(next|this|last|past|previous|coming) )?(sun|mon|tues|wednes|thurs|fri|` +
      String.raw`satur)day\b(?: ${part}\b)?`,
    ([, which = '', name = '', part], now) => ({
      ...weekdayAfter(now, name.toLowerCase(), which.toLowerCase()),
      ...partOf(part),
    }),
  ],
  [
    /in /i,
    String.raw`\bin (?:the next )?${amount} (minutes?|mins?|hours?|days?|weeks?|months?|years?)\b`,
    ([, count = '', unit = ''], now) => shifted(now, count, unit),
  ],
  [
    /ago|from/i,
    String.raw`\b${amount} (days?|weeks?|months?|years?) (ago|from now|from today)\b`,
    ([, count = '', unit = '', which], now) => shifted(now, count, unit, which === 'ago' ? -1 : 1),
  ],
  [
    /last|past/i,
    String.raw`\b(?:the )?(?:last|past) ${amount} (days?|weeks?|months?|years?)\b`,
    ([, count = '', unit = ''], now) => ({ ...shifted(now, count, unit, -1), lastDay: dayOf(now) }),
  ],
  [
    /week|month|year/i,
    String.raw`\b(next|this|last|past|coming) (weekend|week|month|year)\b`,
    ([, which = '', unit = ''], now) => period(now, which.toLowerCase(), unit.toLowerCase()),
  ],
  [
    /the \d/i,
    String.raw`(?<=\b(?:on|by|for|until|from|to) )the (\d{1,2})(?:st|nd|rd|th)\b`,
    ([, day = ''], now) => {
      const at = new Date(now).getUTCMonth() + (Number(day) < new Date(now).getUTCDate() ? 1 : 0)
      return { day: Date.UTC(yearOf(now), at, Number(day)) }
    },
  ],
  [
    named,
    String.raw`(?<=\b(?:in|during|of|for) )${month}\b(?: (\d{4}))?(?! \d)`,
    ([, name = '', year], now) => {
      const first = dayIn(now, name, '1', year)
      const day = new Date(first?.day ?? now)
      return first && { ...first, lastDay: Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0) }
    },
  ],
  [
    /(?:-|–|to|until|till|through|and)\s?\d/i,
    String.raw`(?<![\w.:])${clock}(?:\s?([ap]m))?${dash}${clock}(?:\s?([ap]\.?m)\b|(?<=:\d\d)(?!\w))`,
    ([, hour = '', minutes, first, last = '', lastMinutes, second]) => {
      const end = timeOf(last, lastMinutes, second)
      const start = timeOf(hour, minutes, first ?? second)
      if (start === undefined || end === undefined) return undefined
      if (start <= end) return { minute: start, lastMinute: end }
      if (second !== undefined) return { minute: timeOf(hour, minutes, 'am') ?? start, lastMinute: end }
      return { minute: start, lastMinute: end < 720 ? end + 720 : end }
    },
  ],
  [
    /[ap]\.?m|clock|in the|at night/i,
    String.raw`(?<![\w.])${clock}${half}`,
    ([, hour = '', minutes, mark, part, night]) => at(timeOf(hour, minutes, mark ?? part ?? night)),
  ],
  [
    /\d:\d/,
    String.raw`(?<![\w:.])([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?![\w:])`,
    ([, hour = '', minutes]) => at(timeOf(hour, minutes)),
  ],
  [
    /noon|mid/i,
    String.raw`\b(noon|midday|midnight)\b`,
    ([, word = '']) => ({ minute: /^midn/i.test(word) ? 0 : 720 }),
  ],
  [
    /(?:at|until|till) \d/i,
    String.raw`(?<=\b(?:at|until|till) )([1-9]|1[0-2])(?![\d%.:/-]|\s?\p{L}+-|\s(?:people|guests|%|degrees|` +
      String.raw`percent|minutes?|hours?|days?|weeks?|months?|years?|[ap]m))\b`,
    // Meetings are not at 3 in the night.
    ([, hour]) => ({ minute: (Number(hour) < 7 ? Number(hour) + 12 : Number(hour)) * 60 }),
  ],
]
const momentReaders = momentTable.map(
  ([sign, source, read]) => [sign, new RegExp(source, 'giu'), read] as const,
)

// A quick test: most texts have none of these words.
export const mayTellTime =
  /\d|day\b|tonight|tomorrow|week|month|year|noon|midnight|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i
const between = /^[\s,]*(?:at|on|from|around|by|after|before|between|starting|starting at|,)?\s*$/i

/** The moments in a text, in order. An adjacent day and time are one moment. */
export function momentsIn(text: string, now: number): readonly FoundMoment[] {
  if (!mayTellTime.test(text)) return []
  const found: FoundMoment[] = []
  let rest = text
  for (const [sign, pattern, read] of momentReaders) {
    if (!sign.test(rest)) continue
    rest = rest.replace(pattern, (...args: unknown[]) => {
      const written = args[0] as string
      const moment = read(args as string[], now)
      if (moment === undefined) return written
      const at = args.findLast((one) => typeof one === 'number') as number
      found.push({ ...moment, at, end: at + written.length })
      return ' '.repeat(written.length)
    })
  }
  const joined: FoundMoment[] = []
  for (const one of found.sort((a, b) => a.at - b.at)) {
    const last = joined.at(-1)
    const isPart =
      last !== undefined &&
      between.test(text.slice(last.end, one.at)) &&
      (last.day === undefined) !== (one.day === undefined) &&
      (last.minute ?? -1) < 0 !== (one.minute ?? -1) < 0
    if (isPart) {
      const minute = (one.minute ?? -1) < 0 ? last.minute : one.minute
      joined[joined.length - 1] = { ...one, ...last, ...at(minute), at: last.at, end: one.end }
    } else joined.push(one)
  }
  return joined.map((one) => inTheEvening(one, text))
}

/** "Tonight at 8", "dinner at 7". "Tomorrow morning" is nine o'clock. */
function inTheEvening(moment: FoundMoment, text: string): FoundMoment {
  const { minute = 720, at, end } = moment
  if (minute < 0) return { ...moment, minute: -minute }
  const isLate = minute < 720 && /\b(?:tonight|evening|dinner|night)\b/i.test(text)
  return isLate && !/[ap]\.?m\b|:|morning/i.test(text.slice(at, end))
    ? { ...moment, minute: minute + 720 }
    : moment
}

/** A duration in seconds. */
export interface FoundLength {
  readonly at: number
  readonly end: number
  readonly seconds: number
  readonly count: number
  /** The unit as written, singular: `night`, `hour`. */
  readonly unit: string
}

const unitSeconds: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milli)/, 0.001],
  [/^s/, 1],
  [/^mo/, 2_592_000],
  [/^m/, 60],
  [/^h/, 3600],
  [/^[dn]/, 86_400],
  [/^w/, 604_800],
  [/^y/, 31_536_000],
]
/** The number of seconds in a unit of time: `minutes`, `ms`. */
export const secondsOf = (unit: string): number =>
  unitSeconds.find(([pattern]) => pattern.test(unit.toLowerCase()))?.[1] ?? 1

const lengths = new RegExp(
  String.raw`\b(?:(half an|half(?=[ -]hour))|${amount}(?: and a (half))?)[ -]?(milliseconds?|ms|` +
    String.raw`seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|nights?|weeks?|months?|years?)\b( ` +
    String.raw`and a half)?(?: ?(?:and )?(\d{1,2}) ?(?:minutes?|mins?|m)\b)?`,
  'gi',
)

const mayLast = /[\d -]h\b|\ban?h\b|ms|milli|sec|min|hr|hour|day|night|week|month|year/i

export function lengthsIn(text: string): readonly FoundLength[] {
  if (!mayLast.test(text)) return []
  return matchesIn(text, lengths).map((found) => {
    const [written, halfOf, number = '', half, unit = '', behind, minutes = '0'] = found
    const count =
      halfOf === undefined ? (numberOf(number) ?? 1) + ((half ?? behind) === undefined ? 0 : 0.5) : 0.5
    return {
      at: found.index,
      end: found.index + written.length,
      seconds: count * secondsOf(unit) + 60 * Number(minutes),
      count,
      unit: unit.toLowerCase().replace(/s$/, ''),
    }
  })
}

export interface Calculation {
  /** In the syntax of most calculators: `17 * 23`, `sqrt(144)`, `2 ** 8`. */
  readonly expression: string
  /** The last operation, if it is simple: `+`, `-`, `*`, `/`, `%`, `**`, `sqrt`. */
  readonly operator: string
  readonly operands: readonly number[]
}

const n = String.raw`-?\d+(?:\.\d+)?`
const list = `((?:${n}(?:, ?and |, ?| and | & )){1,40}${n})`
const term = String.raw`((?:sqrt|cbrt)\(${n}\)|${n})`
const numbersIn = (text: string): string[] => text.match(new RegExp(n, 'g')) ?? []
const share = (percent: string): string => String(Number((Number(percent) / 100).toPrecision(12)))
const ahead = String.raw`(?<=\d\)?) ?`

/** Words and their operators, in order of replacement. */
const rewrites = (
  [
    [`(?:the )?(square|cube) root of ${term}`, (kind, a) => `${kind === 'square' ? 'sqrt' : 'cbrt'}(${a})`],
    [`${term} (squared|cubed)`, (a, kind) => `${a} ** ${kind === 'squared' ? 2 : 3}`],
    [
      `${term} ?(?:(?:raised )?to the (?:power of )?|\\^ ?)${term}(?:th)?(?: power)?`,
      (a, b) => `${a} ** ${b}`,
    ],
    [`(${n}) ?% (?:tip )?(?:of|on) ${term}`, (a, b) => `${share(a)} * ${b}`],
    [`(${n}) ?% off ${term}`, (a, b) => `${b} * (1 - ${share(a)})`],
    [
      `(?:average|mean) (?:of |for )?(?:the )?(?:numbers )?${list}`,
      (all) => `(${numbersIn(all).join(' + ')}) / ${numbersIn(all).length}`,
    ],
    [
      `(?:sum|total|add(?:ing)?)(?: up)?(?: of)?(?: the)?(?: numbers)? ${list}`,
      (all) => numbersIn(all).join(' + '),
    ],
    [`add(?:ing)? ${term} to ${term}`, (a, b) => `${b} + ${a}`],
    [`(?:product of|multiply(?:ing)?) ${list}`, (all) => numbersIn(all).join(' * ')],
    [`multiply(?:ing)? ${term} (?:by|with) ${term}`, (a, b) => `${a} * ${b}`],
    [`divid(?:e|ing) ${term} by ${term}`, (a, b) => `${a} / ${b}`],
    [`(?:subtract|take|deduct)(?:ing)? ${term} from ${term}`, (a, b) => `${b} - ${a}`],
    [`difference (?:between|of) ${term} and ${term}`, (a, b) => `${a} - ${b}`],
    [`${ahead}(?:plus|added to) ?(?=[\\d(s-])`, () => ' + '],
    [`${ahead}(?:minus|−) ?(?=[\\d(s-])`, () => ' - '],
    [`${ahead}(?:times|multiplied (?:by|with)|×|x) ?(?=[\\d(s-])`, () => ' * '],
    [`${ahead}(?:divided by|over|÷) ?(?=[\\d(s-])`, () => ' / '],
  ] satisfies readonly (readonly [string, (a: string, b: string) => string])[]
).map(([source, write]) => [new RegExp(source, 'g'), write] as const)

const mayCalculate = new RegExp(
  String.raw`\d ?[-+*/×÷^%=x]|\b(?:plus|minus|times|divid|multipl|squared?|cubed?|root|power|` +
    'percent|average|mean|sum|total|add|subtract|deduct|take|product|difference)',
  'i',
)
const mayCount = /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b/i
const said = new RegExp(
  String.raw`\b(?:the |its )?(?:result|sum|product|total|difference|answer|output|it|that|what ` +
    String.raw`(?:you get|is left|you have))\b(?! (?:of|between)\b)`,
  'g',
)
const anyNumber = new RegExp(String.raw`(?<![\w.])${numberPattern}(?![\w.]*\w@)`, 'gi')
const run = /(?<![\p{L}\d_.,-])(?:(?:sqrt|cbrt)\(|[-(]*\d)[\d. ()*+/%-]{0,400}(?<=[\d)])/gu

/** The calculations in a text, in order. "It" and "the result" refer to the number `known`. */
export function calculationsIn(text: string, known?: number): readonly Calculation[] {
  const asked = text.slice(-1000)
  if (!mayCount.test(asked) || !mayCalculate.test(asked)) return []
  const undated = asked.replace(/\b\d{4}-\d\d-\d\d\b|[$€£]/g, ' ')
  if (!mayCalculate.test(undated)) return []
  let plain = undated
    .toLowerCase()
    .replace(anyNumber, (written) => String(numberOf(written) ?? written))
    .replace(/ ?percent\b/g, '%')
  if (known !== undefined)
    plain = plain.replace(said, String(known)).replace(/\b(multiply|divide) by (\S+)/, `$1 ${known} by $2`)
  for (const [pattern, write] of rewrites)
    plain = plain.replace(pattern, (_, a: unknown, b: unknown) => write(String(a), String(b)))
  return matchesIn(plain, run)
    .flatMap(([written]) => calculationOf(written.trim().replace(/ (?:[-+*/%]|\()?$/, '')) ?? [])
    .slice(0, 8)
}

function calculationOf(written: string): Calculation | undefined {
  let depth = 0
  for (const sign of written) {
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0
    if (depth < 0) return undefined
  }
  if (depth !== 0) return undefined
  const expression = written.replace(/\s*(\*\*|[*/%+]|(?<=[\d)]\s*)-)\s*/g, ' $1 ')
  const operands = numbersIn(expression.replace(/(?<=[\d)] )- /g, '- ')).map(Number)
  const operator = /^(sqrt|cbrt)\(/.exec(expression)?.[1] ?? /.* (\*\*|[*/%+-]) /.exec(expression)?.[1]
  return operator === undefined ? undefined : { expression, operator, operands }
}
