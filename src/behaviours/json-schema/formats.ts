/** The supported string formats: a check, and texts of each. */
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

/** Texts of a format, some of about `size` characters; none of an unknown format. */
export function* textsOfFormat(format: string, random: Random, size: number): Generator<string> {
  const found = formats.get(format)
  if (found === undefined) return
  for (let turn = 0; turn < 6; turn++)
    yield found.write(random.fork(`${format} ${turn}`), turn === 0 ? 0 : size)
  yield* found.others
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

const isIpv4 = (text: string): boolean =>
  /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text)

function isIpv6(text: string): boolean {
  const halves = text.split('::')
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const isWhole = halves.length === 2 ? groups.length < 8 : groups.length === 8
  return halves.length <= 2 && isWhole && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
}

const uri =
  /^[a-z][a-z0-9+.-]*:(?=.)(?:\/\/[^/?#[\]@\s]+)?(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*(?:#[\w\-.~:@/?]*)?$/i
const isUri = (text: string): boolean => uri.test(text) && /^[\x21-\x7e]+$/.test(text)
const duration = /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

const words = 'harbor meadow orchard summit willow garden studio market bridge lantern'.split(' ')

/** A word, repeated up to a length. */
function word(random: Random, size: number): string {
  const one = random.pick(words)
  return one.repeat(Math.ceil(Math.max(1, size) / one.length)).slice(0, Math.max(size, one.length))
}

/** A day of 2026, in which the virtual clock starts by default. */
const date = (random: Random): string =>
  `2026-${twoDigits(random.integer(1, 12))}-${twoDigits(random.integer(1, 28))}`
const clock = (random: Random): string =>
  `${twoDigits(random.integer(8, 19))}:${twoDigits(random.integer(0, 11) * 5)}:00Z`

/** Labels of a host have at most 63 characters. */
function host(random: Random, size: number): string {
  const labels = word(random, size - 12).match(/.{1,60}/g) ?? []
  return `${labels.join('.')}.example.com`
}

function email(random: Random, size: number): string {
  const name = word(random, Math.min(60, size - 12))
  return `${name}@${size > 80 ? host(random, size - 61) : 'example.com'}`
}

const url = (random: Random, size: number): string => `https://example.com/${word(random, size - 20)}`

function randomUuid(random: Random): string {
  const hex = random.hex(30)
  const variant = random.pick([...'89ab'])
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(12, 15)}`, variant + hex.slice(15, 18)]
  return [...groups, hex.slice(18)].join('-')
}

const known: readonly (readonly [names: string, Format])[] = [
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
  ['email idn-email', { has: isEmail, write: email, others: ['a@b.c', 'a@example.com', 'a-1@example.com'] }],
  [
    'hostname idn-hostname',
    { has: isHost, write: host, others: ['a', 'a-1', 'example.com', 'a-1.example.com'] },
  ],
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
  ['uuid', { has: (text) => uuid.test(text), write: randomUuid, others: [] }],
  [
    'uri iri url uri-reference iri-reference',
    { has: isUri, write: url, others: ['a:b', 'https://example.com/a', 'https://example.com/a-1'] },
  ],
]
const formats: ReadonlyMap<string, Format> = new Map(
  known.flatMap(([names, format]) => names.split(' ').map((name) => [name, format] as const)),
)
