/** The supported string formats: a check, and texts of each. */
import { regexes } from 'zod'
import type { Random } from '../../engine/random.ts'
import { byName } from '../words.ts'

/** Its pattern, a text of it, and texts for tight bounds and patterns, the shortest first. */
type Format = readonly [pattern: RegExp, write: (random: Random) => string, ...others: string[]]

/** Whether a text has a format. Every text has an unknown format: it is an annotation. */
export function hasFormat(format: string, text: string): boolean {
  return formats.get(format)?.[0].test(text) ?? true
}

/** Texts of a format; none of an unknown one. */
export function* textsOfFormat(format: string, random: Random): Generator<string> {
  const [, write, ...others] = formats.get(format) ?? []
  for (let turn = 0; turn < 6 && write !== undefined; turn++) yield write(random.fork(`${format} ${turn}`))
  yield* others
}

const twoDigits = (number: number): string => String(number).padStart(2, '0')

const time = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i
const dateTime = new RegExp(`${regexes.date.source.slice(0, -1)}[t ]${time.source.slice(1)}`, 'i')

const uri = new RegExp(
  String.raw`^(?=[\x21-\x7e]+[^:]$)[a-z][a-z0-9+.-]*:(?://[^/?#[\]@\s]+)?` +
    String.raw`(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*(?:#[\w\-.~:@/?]*)?$`,
  'i',
)
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

const formats = byName<Format>([
  ['date', [regexes.date, date]],
  ['time', [time, clock, '10:00:00+00:00', '10:00:00-01:00']],
  ['date-time', [dateTime, (random) => `${date(random)}T${clock(random)}`]],
  ['duration', [regexes.duration, (random) => `PT${random.integer(5, 90)}M`, 'P1D', 'PT5M']],
  [
    'email idn-email',
    [regexes.email, (random) => `${random.pick(words)}@example.com`, 'a@b.co', 'a-1@example.com'],
  ],
  [
    'hostname idn-hostname',
    [regexes.hostname, (random) => `${random.pick(words)}.example.com`, 'a', 'a-1', 'a.b'],
  ],
  ['ipv4', [regexes.ipv4, (random) => `192.0.2.${random.integer(1, 254)}`, '1.1.1.1', '192.0.2.1']],
  [
    'ipv6',
    [regexes.ipv6, (random) => `2001:db8::${random.integer(1, 9)}${random.hex(3)}`, '::1', '2001:db8::1'],
  ],
  ['uuid', [uuid, randomUuid]],
  [
    'uri iri url uri-reference iri-reference',
    [uri, (random) => `https://example.com/${random.pick(words)}`, 'a:b', 'https://example.com/a-1'],
  ],
])
