/** The supported string formats: a check, and a typical text of each. */
import type { Random } from '../../engine/random.ts'

interface Format {
  readonly has: (text: string) => boolean
  /** A typical text; `size` asks for a longer one where the format allows it. */
  readonly write: (random: Random, size: number) => string
  /** Texts for tight bounds and patterns, the shortest first. */
  readonly others: readonly string[]
}

/** Whether a text has a format. Every text has an unknown format: it is an annotation. */
export function hasFormat(format: string, text: string): boolean {
  return formats.get(format)?.has(text) ?? true
}

/** More texts of a format, for tight bounds and patterns. */
export function otherTextsOf(format: string): readonly string[] {
  return formats.get(format)?.others ?? []
}

/** A text of a format of about `size` characters; undefined for an unknown format. */
export function textOfFormat(format: string, random: Random, size = 0): string | undefined {
  return formats.get(format)?.write(random, size)
}

const twoDigits = (number: number): string => String(number).padStart(2, '0')
const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? []
  const isLeap = month === 2 && ((year % 4 === 0 && year % 100 !== 0) || year % 400 === 0)
  return day >= 1 && day <= (daysOf[month - 1] ?? 0) + (isLeap ? 1 : 0)
}

const time = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i
const isDateTime = (text: string): boolean =>
  isDate(text.slice(0, 10)) && /^[t ]/i.test(text.slice(10)) && time.test(text.slice(11))

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
const isHost = (text: string): boolean =>
  text.length <= 253 && text.split('.').every((part) => label.test(part))

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const local = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
  const host = text.slice(at + 1)
  return at > 0 && text.length <= 320 && local.test(text.slice(0, at)) && host.includes('.') && isHost(host)
}

const isIpv4 = (text: string): boolean =>
  /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text)

function isIpv6(text: string): boolean {
  const halves = text.split('::')
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  return (
    halves.length <= 2 &&
    groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) &&
    (halves.length === 2 ? groups.length < 8 : groups.length === 8)
  )
}

const uri =
  /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#[\]@\s]+)?(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*(?:#[\w\-.~:@/?]*)?$/i
const isUri = (text: string): boolean => uri.test(text) && /^[\x21-\x7e]+$/.test(text) && !text.endsWith(':')
const isReference = (text: string): boolean => isUri(text) || /^[\w\-.~/]*$/.test(text)
const duration = /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/

const words = 'harbor meadow orchard summit willow garden studio market bridge lantern'.split(' ')
/** A word, repeated up to a length. */
function word(random: Random, size = 0): string {
  const one = random.pick(words)
  return one.repeat(Math.ceil(Math.max(1, size) / one.length)).slice(0, Math.max(size, one.length))
}

/** A day of 2026, in which the virtual clock starts by default. */
function date(random: Random): string {
  const month = random.integer(1, 12)
  return `2026-${twoDigits(month)}-${twoDigits(random.integer(1, daysOf[month - 1] as number))}`
}
const clock = (random: Random): string =>
  `${twoDigits(random.integer(8, 19))}:${twoDigits(random.integer(0, 11) * 5)}:00Z`
const url = (random: Random, size: number): string => `https://example.com/${word(random, size - 20)}`

/** Labels of a host have at most 63 characters. */
function host(random: Random, size: number): string {
  const labels = word(random, size - 12).match(/.{1,60}/g) ?? []
  return `${labels.join('.')}.example.com`
}

const uriFormat: Format = {
  has: isUri,
  write: url,
  others: ['a:b', 'https://example.com/a', 'https://example.com/a-1'],
}
const referenceFormat: Format = { has: isReference, write: url, others: ['', 'a', '/a-1'] }
const hostFormat: Format = {
  has: isHost,
  write: host,
  others: ['a', 'a-1', 'example.com', 'a-1.example.com'],
}
const emailFormat: Format = {
  has: isEmail,
  write: (random, size) =>
    `${word(random, Math.min(60, size - 12))}@${size > 80 ? host(random, size - 61) : 'example.com'}`,
  others: ['a@b.c', 'a@example.com', 'a-1@example.com'],
}

const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['date', { has: isDate, write: date, others: [] }],
  ['time', { has: (text) => time.test(text), write: clock, others: ['10:00:00+00:00', '10:00:00-01:00'] }],
  ['date-time', { has: isDateTime, write: (random) => `${date(random)}T${clock(random)}`, others: [] }],
  [
    'duration',
    {
      has: (text) => duration.test(text),
      write: (random) => `PT${random.integer(5, 90)}M`,
      others: ['P1D', 'PT5M'],
    },
  ],
  ['email', emailFormat],
  ['idn-email', emailFormat],
  ['hostname', hostFormat],
  ['idn-hostname', hostFormat],
  [
    'ipv4',
    { has: isIpv4, write: (random) => `192.0.2.${random.integer(1, 254)}`, others: ['1.1.1.1', '192.0.2.1'] },
  ],
  [
    'ipv6',
    {
      has: isIpv6,
      write: (random) => `2001:db8::${random.hex(4).replace(/^0+(?=.)/, '')}`,
      others: ['::1', '2001:db8::1'],
    },
  ],
  [
    'uuid',
    {
      has: (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
      write: (random) =>
        `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-` +
        `${random.pick([...'89ab'])}${random.hex(3)}-${random.hex(12)}`,
      others: [],
    },
  ],
  ['uri', uriFormat],
  ['iri', uriFormat],
  ['url', uriFormat],
  ['uri-reference', referenceFormat],
  ['iri-reference', referenceFormat],
])
