/** The kind of a value, as a note or its name tells it: "integer between 1 and 5", "list of hobbies". */
import { promptWords } from './words.ts'

/** A JSON Schema that was read out of a text. */
export type Schema = Readonly<Record<string, unknown>>

export const anyText: Schema = { type: 'string' }
export const listOf = (items: Schema): Schema => ({ type: 'array', items, minItems: 1 })

const format = (name: string): Schema => ({ type: 'string', format: name })
const kindTable: readonly (readonly [string, Schema])[] = [
  ['string str text char varchar word words sentence phrase paragraph markdown html name', anyText],
  ['number num float double decimal numeric percentage probability fraction', { type: 'number' }],
  ['int integer long bigint count', { type: 'integer' }],
  ['boolean bool flag', { type: 'boolean' }],
  ['null none undefined nil', { type: 'null' }],
  ['array list set tuple', listOf(anyText)],
  ['object dict dictionary map record hash', { type: 'object' }],
  ['date yyyy-mm-dd', format('date')],
  ['datetime date-time timestamp iso8601 iso-8601', format('date-time')],
  ['time', format('time')],
  ['url uri link', format('uri')],
  ['email', format('email')],
  ['uuid guid', format('uuid')],
]
const kinds = new Map(
  kindTable.flatMap(([words, schema]) => words.split(' ').map((word) => [word, schema] as const)),
)
/** The names of types that tell a kind behind other words too, unlike "the number of guests". */
const plainKinds = new Set('string number integer int float boolean bool array list'.split(' '))
const articles = new Set('a an the valid single short optional required'.split(' '))

/** The schema of a type's name, in the languages that people note types in. */
export const kindNamed = (word: string): Schema | undefined => kinds.get(word.toLowerCase())

const choice = /^["'`]?([\p{L}\p{N}][\p{L}\p{N} _.+-]{0,39}?)["'`]?$/u
const listed = /\b(?:one of|either|any of|enum|options|(?:allowed|possible) values)\b:?\s*(.+)$/iu

/** The words that a note offers to choose from, as in `good|bad`, `one of: good, bad`, `good or bad`. */
export function choicesIn(note: string): readonly string[] {
  const named = listed.exec(note)?.[1]
  const text = (named ?? note).replace(/^[\s([{]+|[\s)\]}.]+$/gu, '')
  const isListed = named !== undefined || /^[^,]{1,40}(?:, [^,]{1,40}){0,20},? or [^,]{1,40}$/u.test(text)
  const isSlashed = /^[\w-]{1,30}(?:\/[\w-]{1,30}){1,20}$/u.test(text)
  const parts = text.split(text.includes('|') ? '|' : isSlashed ? '/' : isListed ? /,? or |,/ : /$^/)
  const words = parts.flatMap((part) => choice.exec(part.trim())?.[1] ?? [])
  const areChoices =
    words.length > 1 &&
    words.length === parts.length &&
    words.length <= 40 &&
    words.every((word) => word.split(' ').length <= 4)
  return areChoices ? [...new Set(words)] : []
}

const range =
  /(?<![\w.-])(-?\d{1,9}(?:\.\d{1,6})?)\s*(?:-|–|—|to|and|\.\.)\s*(-?\d{1,9}(?:\.\d{1,6})?)(?![\w-])/u
const isNumber = ({ type }: Schema): boolean => type === 'number' || type === 'integer'

/** The schema that a note on the value of this name describes. */
export function schemaOfNote(written: string, name = ''): Schema {
  const note = written.slice(0, 300).trim().replace(/^<|>$/gu, '')
  if (note === '') return name === '' ? anyText : schemaOfName(name)
  const items = /^(?:an?\s+)?(?:json\s+)?(?:array|list|set)s?\s+of\s+(?:\d+ |unique |short )?(.+)$/iu.exec(
    note,
  )
  if (items !== null) return listOf(kindNamed((items[1] as string).replace(/s?(?: .*)?$/u, '')) ?? anyText)
  const choices = choicesIn(note)
  if (choices.length > 0) return schemaOfChoices(choices)
  const words = (note.toLowerCase().match(/[a-z][a-z0-9-]*/gu) ?? []).filter((word) => !articles.has(word))
  const named = words.slice(0, 5).find((word, at) => kinds.has(word) && (at === 0 || plainKinds.has(word)))
  const kind = named === undefined ? undefined : kindNamed(named)
  const bounds = range.exec(note)
  if (bounds !== null && (kind === undefined ? bounds[0].length === note.length : isNumber(kind))) {
    const [low, high] = [Number(bounds[1]), Number(bounds[2])]
    const isWhole = kind?.['type'] === 'integer' || (high - low > 1 && Number.isInteger(low + high))
    if (low <= high) return { type: isWhole ? 'integer' : 'number', minimum: low, maximum: high }
  }
  if (kind !== undefined || name === '') return kind ?? anyText
  // Words on a value say nothing of a list unless they name one: "notes: what was said".
  const byName = schemaOfName(name)
  return byName['type'] === 'array' && !/\bcomma/iu.test(note) ? anyText : byName
}

function schemaOfChoices(choices: readonly string[]): Schema {
  if (choices.every((one) => /^(?:true|false)$/iu.test(one))) return { type: 'boolean' }
  // `string|null` offers types, not words.
  const types = choices.map((one) => kindNamed(one)?.['type'])
  return types.includes(undefined) ? { enum: choices } : { type: [...new Set(types)] }
}

/** Kinds of values by what their names, in lower case with `_`, end in or begin with. */
const endings: readonly (readonly [RegExp, Schema])[] = [
  [/^(?:is|has|can|should|was|are|needs|includes|contains)_/u, { type: 'boolean' }],
  [
    /^(?:valid|active|enabled|available|success|ok|passed|correct|spam|toxic|flagged|approved|safe|vegan)$/u,
    { type: 'boolean' },
  ],
  [/(?:^|_)(?:confidence|probability)$/u, { type: 'number', minimum: 0, maximum: 1 }],
  [/(?:^|_)(?:price|cost|amount|total|similarity|latitude|longitude|percentage)$/u, { type: 'number' }],
  [/(?:^|_)(?:(?:account|invoice|order|phone|reference|serial|tracking|ticket)_)(?:num|number)$/u, anyText],
  [
    new RegExp(
      '(?:^|_)(?:count|number|num|age|years?|quantity|qty|score|rating|rank|percent|stars|population|' +
        'salary|height|weight|length|minutes|hours|seconds|calories|servings|temp|temperature|humidity|' +
        'distance|duration|speed|budget|revenue|(?:temp|temperature)_[cfk])$',
      'u',
    ),
    { type: 'integer' },
  ],
  [
    /(?:^|_)(?:details|notes|comments|instructions|contents|terms|thanks|news|savings|lyrics|basics)$/u,
    anyText,
  ],
]

/** The schema of a property by its name alone. */
export function schemaOfName(name: string): Schema {
  const plain = name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[\s-]/gu, '_')
  const last = plain.split('_').at(-1) as string
  return (
    endings.find(([pattern]) => pattern.test(plain))?.[1] ??
    (promptWords(last)[0] === last ? anyText : listOf(anyText))
  )
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
