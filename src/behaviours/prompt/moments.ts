/** Dates, times and lengths of time in words, against a clock: "next Tuesday at 9", "in 20 minutes". */

/** A moment or a range; a day is midnight in UTC, a time is minutes of a day. */
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

const DAY = 86_400_000
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const month =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|' +
  'oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const weekday = '(sun|mon|tues|wednes|thurs|fri|satur)day'
const nth = String.raw`(\d{1,2})(?:st|nd|rd|th)?`
const small: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  couple: 2,
}
const amount = String.raw`(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a couple of)`
const numberIn = (text: string): number => small[text.replace(/^a couple of$/, 'couple')] ?? Number(text)

export const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 10)
const today = (now: number): number => Math.floor(now / DAY) * DAY
const utc = (year: number, monthAt: number, day: number): number => Date.UTC(year, monthAt, day)
const yearOf = (now: number): number => new Date(now).getUTCFullYear()
const monthAt = (name: string): number => months.indexOf(name.slice(0, 3).toLowerCase())

/** A day of a month: in the year that is named, else in the next one in which it comes. */
function dayIn(now: number, at: number, day: number, year?: string): Moment | undefined {
  const near = utc(yearOf(now), at, day)
  const time =
    year !== undefined
      ? utc(Number(year.length === 2 ? `20${year}` : year), at, day)
      : near < today(now) - 31 * DAY
        ? utc(yearOf(now) + 1, at, day)
        : near
  return new Date(time).getUTCDate() === day ? { day: time } : undefined
}

function weekdayAfter(now: number, name: string, which: string): Moment {
  const start = today(now)
  const here = (new Date(start).getUTCDay() + 6) % 7
  const at = (weekdays.findIndex((one) => one.startsWith(name)) + 6) % 7
  if (/last|past|previous/.test(which)) return { day: start - (((here - at + 6) % 7) + 1) * DAY }
  // "Next Friday", said on a Thursday, is in the next week.
  if (which === 'next') return { day: start + (at - here + 7) * DAY }
  return { day: start + ((at - here + 7) % 7 || (which === 'this' ? 0 : 7)) * DAY }
}

function shifted(now: number, count: number, unit: string): Moment {
  const start = today(now)
  if (/^(?:min|hour|h)/.test(unit)) {
    const time = now + count * (unit.startsWith('min') ? 60_000 : 3_600_000)
    return { day: today(time), minute: Math.floor((time % DAY) / 60_000) }
  }
  const date = new Date(start)
  if (unit.startsWith('month'))
    return { day: utc(yearOf(now), date.getUTCMonth() + count, date.getUTCDate()) }
  if (unit.startsWith('year')) return { day: utc(yearOf(now) + count, date.getUTCMonth(), date.getUTCDate()) }
  return { day: start + count * DAY * (unit.startsWith('week') ? 7 : 1) }
}

function period(now: number, which: string, unit: string): Moment {
  const start = today(now)
  const shift = which === 'next' || which === 'coming' ? 1 : which === 'this' ? 0 : -1
  const monday = start - ((new Date(start).getUTCDay() + 6) % 7) * DAY
  const at = new Date(start).getUTCMonth() + shift
  const year = yearOf(now) + shift
  if (unit === 'weekend')
    return { day: monday + (5 + 7 * shift) * DAY, lastDay: monday + (6 + 7 * shift) * DAY }
  if (unit === 'week') return { day: monday + 7 * shift * DAY, lastDay: monday + (7 * shift + 6) * DAY }
  if (unit === 'month') return { day: utc(yearOf(now), at, 1), lastDay: utc(yearOf(now), at + 1, 0) }
  return { day: utc(year, 0, 1), lastDay: utc(year, 11, 31) }
}

const near: Readonly<Record<string, number>> = { today: 0, tonight: 0, now: 0, tomorrow: 1, yesterday: -1 }

/** A time of day; `half` is "am", "pm" or what stands for one. */
function timeOf(hour: string, minutes: string | undefined, half: string | undefined): number | undefined {
  const written = Number(hour)
  const mark = (half ?? '').toLowerCase().replace(/\./g, '')
  if (written > 23 || Number(minutes ?? 0) > 59 || (mark !== '' && written > 12)) return undefined
  const isLate = mark === 'pm' || /evening|afternoon|night/.test(mark)
  const hours = isLate ? (written % 12) + 12 : mark === 'am' ? written % 12 : written
  return hours * 60 + Number(minutes ?? 0)
}

type Reader = readonly [RegExp, (found: readonly string[], now: number) => Moment | undefined]
const clock = String.raw`(\d{1,2})(?:[:.h](\d\d))?`
const partOfDay = 'in the (morning|afternoon|evening)|at (night)'
const half = String.raw`(?:\s?([ap]\.?m\b\.?)|\s(?:o['’]?clock|${partOfDay}))`
const readers: readonly Reader[] = [
  [
    /\b(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?/g,
    ([, year, at, day, hour, minute], now) => {
      const found = dayIn(now, Number(at) - 1, Number(day), year)
      return found && hour !== undefined ? { ...found, minute: Number(hour) * 60 + Number(minute) } : found
    },
  ],
  [
    new RegExp(String.raw`\b${month}\.? ${nth}(?:,? (\d{4}))?(?!\s*(?:[ap]m|[:.]\d))\b`, 'gi'),
    ([, name = '', day, year], now) => dayIn(now, monthAt(name), Number(day), year),
  ],
  [
    new RegExp(String.raw`\b(?:the )?${nth} (?:of )?${month}\b\.?(?:,? (\d{4}))?`, 'gi'),
    ([, day, name = '', year], now) => dayIn(now, monthAt(name), Number(day), year),
  ],
  [
    /\b(\d{1,2})\/(\d{1,2})\/(\d{4}|\d\d)\b/g,
    ([, at, day, year], now) => dayIn(now, Number(at) - 1, Number(day), year),
  ],
  [
    /\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g,
    ([, day, at, year], now) => dayIn(now, Number(at) - 1, Number(day), year),
  ],
  [/\bthe day after tomorrow\b/gi, (_, now) => ({ day: today(now) + 2 * DAY })],
  [
    new RegExp(
      String.raw`\b(today|tonight|tomorrow|yesterday)\b(?:['’]s)?(?:\s+(?:in the )?(morning|afternoon|` +
        String.raw`evening|night)\b)?`,
      'gi',
    ),
    ([, word = ''], now) => ({ day: today(now) + (near[word.toLowerCase()] as number) * DAY }),
  ],
  [
    new RegExp(String.raw`\b(?:(?:the )?(next|this|last|past|previous|coming) )?${weekday}\b`, 'gi'),
    ([, which = '', name = ''], now) => weekdayAfter(now, name.toLowerCase(), which.toLowerCase()),
  ],
  [
    new RegExp(
      String.raw`\bin (?:the next )?${amount} (minutes?|mins?|hours?|days?|weeks?|months?|years?)\b`,
      'gi',
    ),
    ([, count = '', unit = ''], now) => shifted(now, numberIn(count.toLowerCase()), unit.toLowerCase()),
  ],
  [
    new RegExp(String.raw`\b${amount} (days?|weeks?|months?|years?) (ago|from now|from today)\b`, 'gi'),
    ([, count = '', unit = '', which], now) =>
      shifted(now, numberIn(count.toLowerCase()) * (which === 'ago' ? -1 : 1), unit),
  ],
  [
    /\b(next|this|last|past|coming) (weekend|week|month|year)\b/gi,
    ([, which = '', unit = ''], now) => period(now, which.toLowerCase(), unit.toLowerCase()),
  ],
  [
    /(?<=\b(?:on|by|for|until|from|to) )the (\d{1,2})(?:st|nd|rd|th)\b/gi,
    ([, day], now) => {
      const here = new Date(now)
      const later = Number(day) < here.getUTCDate() ? 1 : 0
      return { day: utc(yearOf(now), here.getUTCMonth() + later, Number(day)) }
    },
  ],
  [
    new RegExp(String.raw`(?<=\b(?:in|during|of|for) )${month}\b(?: (\d{4}))?(?! \d)`, 'gi'),
    ([, name = '', year], now) => {
      const first = dayIn(now, monthAt(name), 1, year)?.day
      return first === undefined
        ? undefined
        : { day: first, lastDay: utc(yearOf(first), new Date(first).getUTCMonth() + 1, 0) }
    },
  ],
  [
    new RegExp(
      String.raw`\b${clock}(?:\s?([ap]m))?\s?(?:-|–|to|until|till|and)\s?${clock}\s?([ap]\.?m)\b`,
      'gi',
    ),
    ([, hour = '', minutes, first, last = '', lastMinutes, second]) => {
      const end = timeOf(last, lastMinutes, second)
      const start = timeOf(hour, minutes, first ?? second)
      if (start === undefined || end === undefined) return undefined
      return {
        minute: start > end ? (timeOf(hour, minutes, first ?? 'am') ?? start) : start,
        lastMinute: end,
      }
    },
  ],
  [
    new RegExp(String.raw`(?<![\d.:$€£#/-])\b${clock}${half}`, 'gi'),
    ([, hour = '', minutes, mark, part, night]) =>
      ({ minute: timeOf(hour, minutes, mark ?? part ?? night) }) as Moment,
  ],
  [
    /(?<![\d.:/-])\b([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?\b/g,
    ([, hour, minutes]) => ({ minute: Number(hour) * 60 + Number(minutes) }),
  ],
  [/\b(noon|midday|midnight)\b/gi, ([, word = '']) => ({ minute: /^midn/i.test(word) ? 0 : 720 })],
  [
    new RegExp(
      String.raw`(?<=\b(?:at|until|till) )([1-9]|1[0-2])(?![\d%.:/-]|\s?\p{L}+-|\s(?:people|guests|%|` +
        String.raw`degrees|percent|minutes?|hours?|days?|weeks?|months?|years?|[ap]m))\b`,
      'giu',
    ),
    // Nobody meets at 3 in the night.
    ([, hour]) => ({ minute: (Number(hour) < 7 ? Number(hour) + 12 : Number(hour)) * 60 }),
  ],
]

// Most texts have none of these.
const mayTellTime =
  /\d|day\b|tonight|tomorrow|week|month|year|noon|midnight|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i
const between = /^[\s,]*(?:at|on|from|around|by|,)?\s*$/i

/** The moments that a text speaks of, in order. A day and a time side by side are one. */
export function momentsIn(text: string, now: number): readonly FoundMoment[] {
  if (!mayTellTime.test(text)) return []
  const found: FoundMoment[] = []
  let rest = text
  for (const [pattern, read] of readers) {
    rest = rest.replace(pattern, (...args: unknown[]) => {
      const written = args[0] as string
      const at = args.findLast((one) => typeof one === 'number') as number
      const moment = read(args as string[], now)
      if (moment === undefined || (moment.day === undefined && moment.minute === undefined)) return written
      found.push({ ...moment, at, end: at + written.length })
      return ' '.repeat(written.length)
    })
  }
  found.sort((a, b) => a.at - b.at)
  const joined: FoundMoment[] = []
  for (const one of found) {
    const last = joined.at(-1)
    const isPart =
      last !== undefined &&
      between.test(text.slice(last.end, one.at)) &&
      (last.day === undefined) !== (one.day === undefined) &&
      (last.minute === undefined) !== (one.minute === undefined)
    if (isPart) joined[joined.length - 1] = { ...last, ...one, at: last.at }
    else joined.push(one)
  }
  return joined.map((one) => evening(one, text))
}

/** "Tonight at 8", "dinner at 7". */
function evening(moment: FoundMoment, text: string): FoundMoment {
  const { minute, at, end } = moment
  if (minute === undefined || minute >= 720 || !/\b(?:tonight|evening|dinner|night)\b/i.test(text))
    return moment
  return /[ap]\.?m\b|:/i.test(text.slice(at, end)) ? moment : { ...moment, minute: minute + 720 }
}

/** A length of time in seconds. */
export interface FoundLength {
  readonly at: number
  readonly end: number
  readonly seconds: number
  readonly count: number
  /** The unit as written, singular: `night`, `hour`. */
  readonly unit: string
}

const secondsIn: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milli)/, 0.001],
  [/^s/, 1],
  [/^mo/, 2_592_000],
  [/^m/, 60],
  [/^h/, 3600],
  [/^(?:d|n)/, 86_400],
  [/^w/, 604_800],
  [/^y/, 31_536_000],
]
/** The seconds of a unit of time: `minutes`, `ms`. */
export const secondsOf = (unit: string): number =>
  secondsIn.find(([pattern]) => pattern.test(unit.toLowerCase()))?.[1] ?? 1

const lengths = new RegExp(
  String.raw`\b(?:(half an)|(\d{1,5}(?:\.\d{1,2})?|an?|one|two|three|four|five|six|seven|eight|nine|ten|` +
    'twelve|fifteen|twenty|thirty|forty-five|sixty|ninety)(?: (?:and a )(half))?)[ -]?' +
    '(milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|nights?|weeks?|' +
    String.raw`months?|years?)\b` +
    String.raw`( and a half)?(?: ?(?:and )?(\d{1,2}) ?(?:minutes?|mins?|m)\b)?`,
  'gi',
)
const more: Readonly<Record<string, number>> = {
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  'forty-five': 45,
  sixty: 60,
  ninety: 90,
}

export function lengthsIn(text: string): readonly FoundLength[] {
  return [...text.matchAll(lengths)].map((found) => {
    const [written, halfOf, count = '', half, unit = '', behind, minutes] = found
    const whole = more[count.toLowerCase()] ?? numberIn(count.toLowerCase())
    const value = halfOf === undefined ? whole + (half === undefined && behind === undefined ? 0 : 0.5) : 0.5
    return {
      at: found.index,
      end: found.index + written.length,
      seconds: value * secondsOf(unit) + 60 * Number(minutes ?? 0),
      count: value,
      unit: unit.toLowerCase().replace(/s$/, ''),
    }
  })
}
