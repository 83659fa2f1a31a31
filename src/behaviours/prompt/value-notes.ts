/** The kind of a value, as a note or its name tells it: "integer between 1 and 5", "list of hobbies". */
import { promptWords } from './words.ts'

/** A JSON Schema that was read out of a text. */
export type Schema = Readonly<Record<string, unknown>>

const kinds: ReadonlyMap<string, Schema> = new Map(
  [
    [
      'string str text char varchar word words sentence phrase paragraph markdown html name',
      { type: 'string' },
    ],
    ['number num float double decimal numeric percentage probability fraction', { type: 'number' }],
    ['int integer long bigint count', { type: 'integer' }],
    ['boolean bool flag', { type: 'boolean' }],
    ['date yyyy-mm-dd', { type: 'string', format: 'date' }],
    ['datetime date-time timestamp iso8601 iso-8601', { type: 'string', format: 'date-time' }],
    ['time', { type: 'string', format: 'time' }],
    ['url uri link', { type: 'string', format: 'uri' }],
    ['email', { type: 'string', format: 'email' }],
    ['uuid guid', { type: 'string', format: 'uuid' }],
    ['null none undefined nil', { type: 'null' }],
    ['array list set tuple', { type: 'array', items: { type: 'string' } }],
    ['object dict dictionary map record hash', { type: 'object' }],
  ].flatMap(([words, schema]) =>
    (words as string).split(' ').map((word): [string, Schema] => [word, schema as Schema]),
  ),
)

/** The schema of a type's name, in the languages that people note types in. */
export function kindNamed(word: string): Schema | undefined {
  return kinds.get(word.toLowerCase())
}

const choice = /^["'`]?([\p{L}\p{N}][\p{L}\p{N} _.+-]{0,39}?)["'`]?$/u
const maxChoices = 40

/** The words that a note offers to choose from, as in `good|bad`, `one of: good, bad`, `good or bad`. */
export function choicesIn(note: string): readonly string[] {
  const listed = /\b(?:one of|either|any of|enum|options|allowed values|possible values)\b:?\s*(.+)$/iu.exec(
    note,
  )
  const text = (listed?.[1] ?? note).replace(/^[\s([{]+|[\s)\]}.]+$/gu, '')
  const parts =
    listed !== null
      ? text.split(/\s*(?:,\s*or\s|,|\bor\b|\||\/)\s*/u)
      : text.includes('|')
        ? text.split('|')
        : /^[\w-]{1,30}(?:\/[\w-]{1,30}){1,20}$/u.test(text)
          ? text.split('/')
          : /^[^,]{1,40}(?:, [^,]{1,40}){0,20},? or [^,]{1,40}$/u.test(text)
            ? text.split(/,? or |, /u)
            : []
  const words = parts.map((part) => choice.exec(part.trim())?.[1])
  return words.length > 1 &&
    words.length <= maxChoices &&
    words.every((word) => word !== undefined && word.split(' ').length <= 4) &&
    new Set(words).size === words.length
    ? (words as string[])
    : []
}

const range =
  /(?<![\w.-])(-?\d{1,9}(?:\.\d{1,6})?)\s*(?:-|–|—|to|and|\.\.)\s*(-?\d{1,9}(?:\.\d{1,6})?)(?![\w-])/u

/** The schema that a note on a value describes; text when it says nothing of a kind. */
export function schemaOfNote(note: string): Schema {
  return kindOfNote(note) ?? { type: 'string' }
}

/** The schema that a note describes; undefined when it names no kind. */
export function kindOfNote(written: string): Schema | undefined {
  const note = written.slice(0, 300).trim().replace(/^<|>$/gu, '')
  const items = /^(?:an?\s+)?(?:json\s+)?(?:array|list|set)s?\s+of\s+(.+)$/iu.exec(note)?.[1]
  const inner = items ?? /^(.{1,40})\[\]/u.exec(note)?.[1]
  if (inner !== undefined) return { type: 'array', items: schemaOfItem(inner), minItems: 1 }
  const choices = choicesIn(note)
  if (choices.length > 0)
    return choices.every((one) => /^(?:true|false)$/iu.test(one))
      ? { type: 'boolean' }
      : (kindsOf(choices) ?? { enum: choices })
  const words = (note.toLowerCase().match(/[a-z][a-z0-9-]*/gu) ?? []).filter((word) => !articles.has(word))
  // Behind other words, only the plain names of types tell a kind: "the number of guests", "a map of Rome".
  const named = words
    .slice(0, 5)
    .find((word, at) => kindNamed(word) !== undefined && (at === 0 || plainKinds.has(word)))
  const kind = named === undefined ? undefined : kindNamed(named)
  const bounds = range.exec(note)
  if (bounds !== null && (kind === undefined ? bounds[0].length === note.length : isNumber(kind)))
    return between(Number(bounds[1]), Number(bounds[2]), kind)
  if (/\byyyy-mm-dd\b/iu.test(note)) return kindNamed('date')
  return kind
}

const articles: ReadonlySet<string> = new Set([
  'a',
  'an',
  'the',
  'valid',
  'single',
  'short',
  'optional',
  'required',
])
const plainKinds: ReadonlySet<string> = new Set(
  'string number integer int float boolean bool array list'.split(' '),
)
const isNumber = ({ type }: Schema): boolean => type === 'number' || type === 'integer'

function between(low: number, high: number, kind: Schema | undefined): Schema {
  if (low > high) return kind ?? { type: 'number' }
  const whole =
    kind?.['type'] === 'integer' || (high - low > 1 && Number.isInteger(low) && Number.isInteger(high))
  return { type: whole ? 'integer' : 'number', minimum: low, maximum: high }
}

/** `string|null` offers types, not words. */
function kindsOf(choices: readonly string[]): Schema | undefined {
  const types = choices.map((one) => kindNamed(one)?.['type'])
  return types.every((type) => type !== undefined) ? { type: [...new Set(types)] } : undefined
}

function schemaOfItem(note: string): Schema {
  const singular = note.replace(/^(?:\d+|unique|short|relevant|the)\s+/iu, '').replace(/s\b/u, '')
  return kindNamed(singular.split(/\s/u)[0] as string) ?? kindNamed(note) ?? { type: 'string' }
}

const numeric = new RegExp(
  '(?:^|_)(?:count|number|num|age|year|years|quantity|qty|total|amount|price|cost|' +
    'score|rating|rank|percent|percentage|stars|population|salary|height|weight|length|' +
    'minutes|hours|seconds|calories|servings|temp|temperature|humidity|distance|duration|' +
    'speed|budget|revenue|(?:temp|temperature)_[cfk])$',
  'u',
)
const decimal =
  /(?:^|_)(?:price|cost|amount|total|confidence|probability|similarity|latitude|longitude|percentage)$/u
const affirming = new RegExp(
  '^(?:is|has|can|should|was|are|needs|includes|contains)_|^(?:valid|active|enabled|' +
    'available|success|ok|passed|correct|spam|toxic|flagged|approved|safe)$',
  'u',
)
const massNouns =
  /(?:^|_)(?:details|notes|comments|instructions|contents|terms|thanks|news|savings|lyrics|basics)$/u

/** The schema of a property by its name alone. */
export function schemaOfName(name: string): Schema {
  const plain = name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[\s-]/gu, '_')
  if (affirming.test(plain)) return { type: 'boolean' }
  if (/(?:^|_)(?:confidence|probability)$/u.test(plain)) return { type: 'number', minimum: 0, maximum: 1 }
  if (decimal.test(plain)) return { type: 'number' }
  if (numeric.test(plain)) return { type: 'integer' }
  const last = plain.split('_').at(-1) as string
  return promptWords(last)[0] !== last && !massNouns.test(plain)
    ? { type: 'array', items: { type: 'string' }, minItems: 1 }
    : { type: 'string' }
}

/** The object with these properties, all of them required unless named as optional. */
export function objectOf(
  properties: ReadonlyMap<string, Schema>,
  optional: ReadonlySet<string> = new Set(),
): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: [...properties.keys()].filter((name) => !optional.has(name)),
    additionalProperties: false,
  }
}

/** The example of a text: a choice, the name of a type, a note on what to write, or any text. */
export function schemaOfText(text: string): Schema {
  const inner = text.trim().replace(/^<|>$/gu, '')
  const choices = choicesIn(inner)
  if (inner.includes('|') && choices.length > 0) return schemaOfNote(inner)
  return (
    kindNamed(inner) ??
    (/^(?:an? )?(?:array|list|number|integer|boolean|true ?(?:or|\/) ?false|one of)\b/iu.test(inner)
      ? schemaOfNote(inner)
      : { type: 'string' })
  )
}

/** The example of a number. */
export function schemaOfNumber(text: string): Schema {
  const value = Number(text)
  if (!text.includes('.')) return { type: 'integer' }
  return value > 0 && value < 1 ? { type: 'number', minimum: 0, maximum: 1 } : { type: 'number' }
}
