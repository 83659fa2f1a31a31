/** The supported string formats: a check, and texts of each. */
import type { Random } from '../../engine/random.ts'
import { byName } from '../words.ts'

interface Format {
  readonly has: (text: string) => boolean
  readonly write: (random: Random) => string
  /** Texts for tight bounds and patterns, the shortest first. */
  readonly others: readonly string[]
}

/** Whether a text has a format. Every text has an unknown format: it is an annotation. */
export function hasFormat(format: string, text: string): boolean {
  return formats.get(format)?.has(text) ?? true
}

/** Texts of a format; none of an unknown one. */
export function* textsOfFormat(format: string, random: Random): Generator<string> {
  const known = formats.get(format)
  if (known === undefined) return
  for (let turn = 0; turn < 6; turn++) yield known.write(random.fork(`${format} ${turn}`))
  yield* known.others
}

const twoDigits = (number: number): string => String(number).padStart(2, '0')

function isDate(text: string): boolean {
  const [, month = '', day = ''] = /^\d{4}-(\d\d)-(\d\d)$/.exec(text) ?? []
  // A day that its month does not have is one of the next month.
  const date = new Date(`${text}T00:00:00Z`)
  return month !== '' && date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
}

const time = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i
const isDateTime = (text: string): boolean =>
  isDate(text.slice(0, 10)) && /^[t ]/i.test(text.slice(10)) && time.test(text.slice(11))

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
const isHost = (text: string): boolean =>
  text.length <= 253 && text.split('.').every((part) => label.test(part))

function isEmail(text: string): boolean {
  const local = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
  const [name = '', host = '', ...more] = text.split('@')
  return more.length === 0 && text.length <= 320 && local.test(name) && host.includes('.') && isHost(host)
}

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

function isIpv6(text: string): boolean {
  const halves = text.split('::')
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const isWhole = halves.length === 2 ? groups.length < 8 : groups.length === 8
  return halves.length <= 2 && isWhole && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
}

const uri =
  /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#[\]@\s]+)?(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*(?:#[\w\-.~:@/?]*)?$/i
const isUri = (text: string): boolean => uri.test(text) && /^[\x21-\x7e]+[^:]$/.test(text)
const duration = /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

const words = 'harbor meadow orchard summit willow garden studio market bridge lantern'.split(' ')

/** A day of 2026, in which the virtual clock starts by default. */
const date = (random: Random): string =>
  `2026-${twoDigits(random.integer(1, 12))}-${twoDigits(random.integer(1, 28))}`
const clock = (random: Random): string =>
  `${twoDigits(random.integer(8, 19))}:${twoDigits(random.integer(0, 11) * 5)}:00Z`

function randomUuid(random: Random): string {
  const hex = random.hex(30)
  const variant = random.pick([...'89ab'])
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(12, 15)}`, variant + hex.slice(15, 18)]
  return [...groups, hex.slice(18)].join('-')
}

const format = (has: Format['has'], write: Format['write'], ...others: readonly string[]): Format => ({
  has,
  write,
  others,
})
const follows = (pattern: RegExp) => (text: string) => pattern.test(text)

const formats = byName([
  ['date', format(isDate, date)],
  ['time', format(follows(time), clock, '10:00:00+00:00', '10:00:00-01:00')],
  ['date-time', format(isDateTime, (random) => `${date(random)}T${clock(random)}`)],
  ['duration', format(follows(duration), (random) => `PT${random.integer(5, 90)}M`, 'P1D', 'PT5M')],
  [
    'email idn-email',
    format(
      isEmail,
      (random) => `${random.pick(words)}@example.com`,
      'a@b.c',
      'a@example.com',
      'a-1@example.com',
    ),
  ],
  [
    'hostname idn-hostname',
    format(
      isHost,
      (random) => `${random.pick(words)}.example.com`,
      'a',
      'a-1',
      'example.com',
      'a-1.example.com',
    ),
  ],
  ['ipv4', format(follows(ipv4), (random) => `192.0.2.${random.integer(1, 254)}`, '1.1.1.1', '192.0.2.1')],
  [
    'ipv6',
    format(isIpv6, (random) => `2001:db8::${random.integer(1, 9)}${random.hex(3)}`, '::1', '2001:db8::1'),
  ],
  ['uuid', format(follows(uuid), randomUuid)],
  [
    'uri iri url uri-reference iri-reference',
    format(isUri, (random) => `https://example.com/${random.pick(words)}`, 'a:b', 'https://example.com/a-1'),
  ],
])
