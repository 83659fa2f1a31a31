/** The supported string formats: whether a text has one, and how to write one. */
import type { Random } from '../../engine/random.ts'

interface Format {
  readonly has: (text: string) => boolean
  /** A text that reads well. */
  readonly typical: (random: Random) => string
  /** A text of exactly this length, where the format has one. */
  readonly sized?: (random: Random, length: number) => string
}

/**
 * Whether a text has a format. Every text has an unknown one, since JSON Schema treats those as
 * annotations.
 */
export function hasFormat(format: string, text: string): boolean {
  return FORMATS.get(format)?.has(text) ?? true
}

/**
 * A text of a format for a try counted from 0, with a length between the bounds if the format allows;
 * undefined for an unknown format. Later tries go through other lengths.
 */
export function writeFormat(
  name: string,
  random: Random,
  attempt: number,
  minLength: number,
  maxLength: number,
): string | undefined {
  const format = FORMATS.get(name)
  if (format === undefined) return undefined
  const usual = format.typical(random)
  if (format.sized === undefined) return usual
  if (attempt === 0 && usual.length >= minLength && usual.length <= maxLength) return usual
  const length =
    attempt < 2
      ? Math.min(Math.max(usual.length, minLength), maxLength)
      : random.integer(minLength, Math.min(maxLength, Math.max(minLength, usual.length) + 8))
  return format.sized(random, Math.min(length, 5_000))
}

const two = (n: number): string => String(n).padStart(2, '0')
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined || day < 1) return false
  const leap = month === 2 && ((year % 4 === 0 && year % 100 !== 0) || year % 400 === 0)
  return day <= (DAYS[month - 1] ?? 0) + (leap ? 1 : 0)
}

function isTime(text: string): boolean {
  const [, hour, minute, second, , zoneHour, zoneMinute] =
    /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text) ?? []
  return (
    hour !== undefined &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    Number(zoneHour ?? 0) < 24 &&
    Number(zoneMinute ?? 0) < 60
  )
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
const isHostname = (text: string): boolean =>
  text.length <= 253 && text.split('.').every((label) => LABEL.test(label))

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const host = text.slice(at + 1)
  return (
    at > 0 &&
    text.length <= 320 &&
    /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(text.slice(0, at)) &&
    host.includes('.') &&
    isHostname(host)
  )
}

const isIpv4 = (text: string): boolean =>
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) &&
  text.split('.').every((part) => Number(part) < 256 && (part === '0' || !part.startsWith('0')))

function isIpv6(text: string): boolean {
  const halves = text.split('::')
  if (text.length > 45 || halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1)
  const mapped = last?.includes('.') === true
  if (mapped && !isIpv4(groups.pop() as string)) return false
  const count = groups.length + (mapped ? 2 : 0)
  return (
    groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) && (halves.length === 2 ? count < 8 : count === 8)
  )
}

const uriCharacter = String.raw`(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9a-f]{2})`
const uri = new RegExp(
  String.raw`^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#[\]@][^/?#[\]@]*)?${uriCharacter}*(?:#${uriCharacter}*)?$`,
  'i',
)

const isUri = (text: string): boolean =>
  uri.test(text) && !/[^\x21-\x7e]|["<>\\^`{|}]/.test(text) && !/^[^:]*:$/.test(text)

const pick = (random: Random, from: string): string => from[random.integer(0, from.length - 1)] as string
const word = (random: Random): string =>
  random.pick([
    'harbor',
    'meadow',
    'orchard',
    'summit',
    'willow',
    'garden',
    'studio',
    'market',
    'bridge',
    'lantern',
  ])
/** So many characters of words with hyphens between, beginning and ending in a letter. */
function letters(random: Random, length: number): string {
  let text = word(random)
  while (text.length < length) text += `-${random.chance(1, 4) ? random.integer(2, 99) : word(random)}`
  const cut = text.slice(0, Math.max(length, 0))
  return cut.endsWith('-') ? `${cut.slice(0, -1)}${pick(random, 'aeiostny')}` : cut
}

/** A day of 2026: no wall clock is read, and the simulator's own clock starts there unless told otherwise. */
function day(random: Random): string {
  const month = random.integer(1, 12)
  return `2026-${two(month)}-${two(random.integer(1, DAYS[month - 1] as number))}`
}
const clock = (random: Random): string =>
  `${two(random.integer(8, 19))}:${two(random.integer(0, 11) * 5)}:00Z`

/** A time with a fraction, to reach a length. */
const stretched = (time: string, length: number): string =>
  length < time.length + 2 ? time : `${time.slice(0, -1)}.${'0'.repeat(length - time.length - 1)}Z`

function hostname(random: Random, length: number): string {
  if (length > 253 || length < 15) return letters(random, Math.min(length, 60))
  let labels = ''
  let missing = length - 12
  for (; missing > 60; missing -= 50) labels += `${letters(random, 49)}.`
  return `${labels}${letters(random, missing)}.example.com`
}

function email(random: Random, length: number): string {
  if (length < 14) return `${letters(random, Math.max(1, length - 5))}@b.co`
  return length < 70
    ? `${letters(random, length - 12)}@example.com`
    : `${letters(random, 40)}@${hostname(random, length - 41)}`
}

function ipv4(random: Random, length: number): string {
  // Four parts of one to three digits each; missing digits are distributed in turn.
  const parts = [0, 1, 2, 3].map((index) =>
    Math.min(3, 1 + Math.max(0, Math.floor((length - 7 + index) / 4))),
  )
  return parts
    .map((digits) => random.integer(digits === 1 ? 1 : 10 ** (digits - 1), Math.min(255, 10 ** digits - 1)))
    .join('.')
}

function ipv6(random: Random, length: number): string {
  if (length < 15) {
    const groups = Math.ceil((length - 1) / 5)
    return `::${spread(random, Math.max(1, length - 1 - groups), groups)}`
  }
  return spread(random, Math.min(32, length - 7), 8)
}

/** So many hexadecimal digits in so many groups. */
function spread(random: Random, digits: number, groups: number): string {
  return Array.from({ length: groups }, (_, index) => random.hex(Math.floor((digits + index) / groups))).join(
    ':',
  )
}

const URI: Format = {
  has: isUri,
  typical: (random) => `https://example.com/${word(random)}`,
  sized: (random, length) =>
    length < 22
      ? `${pick(random, 'abcdefgh')}:${letters(random, length - 2)}`
      : `https://example.com/${letters(random, length - 20)}`,
}
const REFERENCE: Format = { ...URI, has: (text) => isUri(text) || /^[\w\-.~/]*$/.test(text) }
const HOSTNAME: Format = {
  has: isHostname,
  typical: (random) => `${word(random)}.example.com`,
  sized: hostname,
}
const EMAIL: Format = {
  has: isEmail,
  typical: (random) => `${word(random)}.${random.integer(10, 99)}@example.com`,
  sized: email,
}

const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['date', { has: isDate, typical: day }],
  ['time', { has: isTime, typical: clock, sized: (random, length) => stretched(clock(random), length) }],
  [
    'date-time',
    {
      has: (text) => /t/i.test(text[10] ?? '') && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
      typical: (random) => `${day(random)}T${clock(random)}`,
      sized: (random, length) => stretched(`${day(random)}T${clock(random)}`, length),
    },
  ],
  [
    'duration',
    {
      has: (text) =>
        text.length > 2 &&
        /^P(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/.test(text),
      typical: (random) => `PT${random.integer(1, 11) * 5}M`,
      sized: (random, length) => `P${String(random.integer(1, 9)).padStart(length - 2, '0')}D`,
    },
  ],
  ['email', EMAIL],
  ['idn-email', EMAIL],
  ['hostname', HOSTNAME],
  ['idn-hostname', HOSTNAME],
  ['ipv4', { has: isIpv4, typical: (random) => `192.0.2.${random.integer(1, 254)}`, sized: ipv4 }],
  ['ipv6', { has: isIpv6, typical: (random) => `2001:db8::${random.hex(3)}`, sized: ipv6 }],
  [
    'uuid',
    {
      has: (text) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text),
      typical: (random) =>
        `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-` +
        `${pick(random, '89ab')}${random.hex(3)}-${random.hex(12)}`,
    },
  ],
  ['uri', URI],
  ['url', URI],
  ['iri', URI],
  ['uri-reference', REFERENCE],
  ['iri-reference', REFERENCE],
])
