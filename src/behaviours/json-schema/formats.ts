/** The supported string formats: checks whether a string has a format, and writes one. */
import type { Random } from '../../engine/random.ts'
import { readPattern } from '../pattern/read-pattern.ts'
import { type PatternWriter, patternWriter } from './write-pattern.ts'

interface Format {
  readonly has: (text: string) => boolean
  /** A natural string. */
  readonly typical: (random: Random) => string
  /** Writes strings of other lengths, if the format has any. */
  readonly pattern?: string
}

/**
 * Whether a string has a format. Every string has an unknown format: JSON Schema treats it as an annotation.
 */
export function hasFormat(format: string, text: string): boolean {
  return FORMATS.get(format)?.has(text) ?? true
}

/** A natural string of a format, of any length; undefined for an unknown format. */
export function typicalOf(format: string, random: Random): string | undefined {
  return FORMATS.get(format)?.typical(random)
}

/** Writes strings of a format within these lengths; undefined if it is unknown or has one length. */
export function formatWriter(format: string, least: number, most: number): PatternWriter | undefined {
  const pattern = FORMATS.get(format)?.pattern
  return pattern === undefined
    ? undefined
    : patternWriter([readPattern(`^(?:${pattern})$`, true)], least, most)
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

const WORDS = 'harbor meadow orchard summit willow garden studio market bridge lantern'.split(' ')
const word = (random: Random): string => random.pick(WORDS)

/** A day of 2026, independent of the wall clock; the virtual clock starts in 2026 by default. */
function day(random: Random): string {
  const month = random.integer(1, 12)
  return `2026-${two(month)}-${two(random.integer(1, DAYS[month - 1] as number))}`
}
const clock = (random: Random): string =>
  `${two(random.integer(8, 19))}:${two(random.integer(0, 11) * 5)}:00Z`

const dayPattern = String.raw`2026-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])`
const clockPattern = String.raw`1\d:[0-5]\d:00(?:\.\d{1,900})?Z`
const label = '[a-z]{1,60}'
const byte = String.raw`(?:[1-9]|[1-9]\d|1\d\d)`
const group = '[0-9a-f]{1,4}'

const URI: Format = {
  has: isUri,
  typical: (random) => `https://example.com/${word(random)}`,
  pattern: String.raw`https://example\.com/[a-z]{2,900}|[a-h]:[a-z]{1,20}`,
}
const REFERENCE: Format = { ...URI, has: (text) => isUri(text) || /^[\w\-.~/]*$/.test(text) }
const HOSTNAME: Format = {
  has: isHostname,
  typical: (random) => `${word(random)}.example.com`,
  pattern: String.raw`${label}(?:\.${label}){0,3}`,
}
const EMAIL: Format = {
  has: isEmail,
  typical: (random) => `${word(random)}.${random.integer(10, 99)}@example.com`,
  pattern: String.raw`[a-z]{1,64}@(?:${label}\.){1,4}[a-z]{2,3}`,
}

const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['date', { has: isDate, typical: day }],
  ['time', { has: isTime, typical: clock, pattern: clockPattern }],
  [
    'date-time',
    {
      has: (text) => /t/i.test(text[10] ?? '') && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
      typical: (random) => `${day(random)}T${clock(random)}`,
      pattern: `${dayPattern}T${clockPattern}`,
    },
  ],
  [
    'duration',
    {
      has: (text) =>
        text.length > 2 &&
        /^P(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/.test(text),
      typical: (random) => `PT${random.integer(1, 11) * 5}M`,
      pattern: 'P0{0,900}[1-9]D',
    },
  ],
  ['email', EMAIL],
  ['idn-email', EMAIL],
  ['hostname', HOSTNAME],
  ['idn-hostname', HOSTNAME],
  [
    'ipv4',
    {
      has: isIpv4,
      typical: (random) => `192.0.2.${random.integer(1, 254)}`,
      pattern: String.raw`${byte}(?:\.${byte}){3}`,
    },
  ],
  [
    'ipv6',
    {
      has: isIpv6,
      typical: (random) => `2001:db8::${random.hex(3)}`,
      pattern: `::${group}(?::${group}){0,5}|(?:${group}:){7}${group}`,
    },
  ],
  [
    'uuid',
    {
      has: (text) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text),
      typical: (random) =>
        `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-` +
        `${random.pick([...'89ab'])}${random.hex(3)}-${random.hex(12)}`,
    },
  ],
  ['uri', URI],
  ['url', URI],
  ['iri', URI],
  ['uri-reference', REFERENCE],
  ['iri-reference', REFERENCE],
])
