/**
 * JSON texts with one place changed: written as text, so that what no JavaScript value can say is sent too.
 */

export type Path = readonly (string | number)[]

/** Every place of a value, itself included. */
export function placesOf(value: unknown, at: Path = []): Path[] {
  if (value === null || typeof value !== 'object') return [at]
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value)
  return [at, ...entries.flatMap(([key, inner]) => placesOf(inner, [...at, key]))]
}

export function valueAt(value: unknown, place: Path): unknown {
  return place.reduce<unknown>((found, key) => (found as Record<string | number, unknown>)[key], value)
}

/** The value as JSON, with `raw` standing at the place. */
export function withRaw(value: unknown, place: Path, raw: string): string {
  return write(value, (at) => (same(at, place) ? raw : undefined))
}

/** The value as JSON without the place. */
export function without(value: unknown, place: Path): string {
  return write(value, (at) => (same(at, place) ? '' : undefined))
}

/**
 * The value as JSON, with `members` (`"key":1,`…) added in front of the object at the place, or behind it.
 */
export function withMembers(value: unknown, place: Path, members: string, where: 'front' | 'back'): string {
  const object = JSON.stringify(valueAt(value, place)).slice(1, -1)
  const parts = object === '' ? [members] : where === 'front' ? [members, object] : [object, members]
  return withRaw(value, place, `{${parts.join(',')}}`)
}

const same = (a: Path, b: Path): boolean => a.length === b.length && a.every((key, index) => key === b[index])

function write(value: unknown, at: (place: Path) => string | undefined, place: Path = []): string {
  const raw = at(place)
  if (raw !== undefined) return raw
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value))
    return `[${value
      .map((item, index) => write(item, at, [...place, index]))
      .filter((text) => text !== '')
      .join(',')}]`
  const members = Object.entries(value).map(
    ([key, inner]) => [key, write(inner, at, [...place, key])] as const,
  )
  return `{${members
    .filter(([, text]) => text !== '')
    .map(([key, text]) => `${JSON.stringify(key)}:${text}`)
    .join(',')}}`
}

/** `depth` arrays or objects inside each other. */
export function nested(depth: number, kind: 'array' | 'object'): string {
  return kind === 'array'
    ? '['.repeat(depth) + ']'.repeat(depth)
    : `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`
}

const million = 1_000_000

/** One of everything that does not belong there. */
export const wrongValues: Readonly<Record<string, string>> = {
  null: 'null',
  false: 'false',
  zero: '0',
  'negative zero': '-0',
  'minus one': '-1',
  fraction: '1.5',
  huge: '1e308',
  infinite: '1e999',
  'largest int64': '9223372036854775807',
  'beyond doubles': '123456789012345678901234567890.1234567890',
  'empty string': '""',
  string: '"wrong"',
  'NaN in words': '"NaN"',
  'lone surrogate': '"\\ud800"',
  'the word __proto__': '"__proto__"',
  constructor: '"constructor"',
  // A NUL, marks of the simulator's own, a special token, patterns of replacement, the end of an event.
  'odd text':
    '"\\u0000 \x81sim-origin\x81 \x8Dsim-media\x8D <|endoftext|> $& $1 $` $\' a\\udfffb \\r\\n\\r\\ndata: [DONE]\\n\\n"',
  'empty array': '[]',
  'array of null': '[null]',
  'mixed array': '[1,"a",null,{},[],true]',
  'empty object': '{}',
  'empty key': '{"":{"":""}}',
  'duplicate keys': '{"type":"text","type":"image_url","type":3,"text":"a","text":{}}',
  'surrogate key': '{"\\ud800":1,"\\udfff":"\\ud800"}',
  'prototype keys':
    '{"__proto__":{"polluted":true,"type":"text","stream":true},"constructor":{"prototype":{"polluted":true}},"prototype":{"polluted":true}}',
  'number keys': '{"0":1,"length":1e9,"4294967295":2}',
  methods: '{"toString":1,"valueOf":2,"toJSON":3,"then":4,"hasOwnProperty":5}',
  '128 arrays deep': nested(128, 'array'),
  '1,000 objects deep': nested(1000, 'object'),
  'a million letters': `"${'a'.repeat(million)}"`,
}
