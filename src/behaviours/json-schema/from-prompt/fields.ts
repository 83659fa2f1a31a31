/** What the fields of a schema are, by name, format and description, and what they take of a prompt. */
import { stemOf } from '../../prompt/words.ts'
import type { ObjectShape, Property, SchemaNode, StringShape, ValueShape } from '../clause.ts'
import type { FillSite } from '../filling.ts'
import { TYPE } from '../json-value.ts'
import { NAMED } from '../property-naming.ts'

/** A property as far as a prompt can speak of it. */
export interface Field {
  readonly name: string
  readonly words: readonly string[]
  readonly kind: string
  readonly format: string
  /** The description, in lower case. */
  readonly hint: string
  readonly node: SchemaNode
  readonly shape: ValueShape | undefined
  readonly required: boolean
  readonly nullable: boolean
  readonly isText: boolean
  readonly isNumber: boolean
  /** What it is, the kinds of things that it takes, and the words in front of them, each best first. */
  readonly is: string
  readonly takes: readonly string[]
  readonly preps: readonly string[]
  /** The stems of the words that speak of it: those of its name that tell something, and their synonyms. */
  readonly stems: ReadonlySet<string>
  /** Where it stands in a range: the end, the start, or neither. */
  readonly side: 'end' | 'start' | undefined
}

/**
 * What a field is: how it shows (`@` is a word of its name), what it takes, behind which words. The first
 * that shows counts.
 */
const table = String.raw`
email | format=(idn-)?email|kind=email|words=(to|cc|bcc|recipient)\b.*hint=.*mail | email | to for with
url | format=(uri|url|iri)|kind=(image_)?url | url | from to at
sql | @(sql|statement)\b|hint=.*\bsql\b | sql quote |
moment | format=(date|time|date-time)\b|kind=(date|datetime|time|weekday)\b | moment |
moment | hint=.*(8601|3339|yyyy|hh:mm) | moment |
sum | kind=expression|hint=.*(\bmath|arithmetic|equation|formula) | sum |
currency | kind=currency|hint=.*(currenc|4217) | currency |
currency | max=3 .*words=(from|to|base|target)\b | currency |
language | kind=(language|locale)\b | language |
zone | kind=timezone | zone |
old | words=old\b | swap quote |
new | words=new (string|text|value|name)\b|@replacement\b | swap quote |
unit | kind=unit|words=(from|to) unit | unit |
command | @(command|cmd)\b|hint=.*\b(shell|bash) | command quote |
path | kind=(path|file)\b|@(folder|dir|directory|cwd)\b | path called quote | in from at of
path | hint=.*\b(path|file ?name|to save) | path called quote | in from at of
phone | kind=phone|hint=.*(e\.164|phone number) | phone |
host | kind=(ip|domain)\b|format=(ipv4|ipv6|hostname) | host |
address | kind=(street|zip|state|address)\b | address phrase | to at in near around of
symbol | kind=(symbol|airport)\b|hint=.*(\bticker|\biata\b) | capitals phrase | 
slug | @(owner|repo|repository|org)\b | slug | in of
branch | @(branch|ref)\b | path word code phrase | on from to of into off
id | kind=(id|uuid|hash)\b|@(id|sha|key|code|sku|last4|number) fo|hint=.*(\bid\b|identif) | code number told |
from | words=(from|origin|source|start|pickup|sender)\b | email path address name currency phrase | from
to | words=(to|target|dest\w*|base|dropoff)\b | email path address called name currency phrase | to for
room | @(room|zone|table|list|calendar|speaker|player)\b | word phrase quote name object | in on to at of from
by | @(artist|author|director|brand)\b | name quote phrase | by from of
place | kind=(city|location|country|region)\b | name phrase | in at near for to from of visit
place | hint=.*\b(city|town|station)\b | name phrase | in at near for to from of visit
person | kind=(person|first_name|last_name|username)\b | name word phrase | to for with by named am is of
company | kind=company | name quote phrase | at from for of by
room | @(channel|board|device|door|shop)\b | word code phrase quote name object | in on at of from into
query | kind=(query|question|topic|pattern)\b|@(search|keyword|term|topic|q)\b | quote sought | about for on
body | kind=(message|description|summary|explanation|answer|input)\b | clause quote phrase object | for about
name | kind=name\b | called word quote name object | is am called named
title | kind=(title|subject|step|product|dish|movie|book|song) | word called quote object phrase name | as
reason | @(reason|purpose)\b | clause phrase | because for
other | | word called quote phrase name code object | in on for to as with of
number | never | number money length code moment |`

const rows = table
  .trim()
  .split('\n')
  .map((line) => {
    const [is = '', shows = '', takes = '', preps = ''] = line.split(' |').map((part) => part.trim())
    return {
      is,
      shows: new RegExp(shows.replaceAll('@', String.raw`words=[^=]*\b`)),
      takes: takes.split(' '),
      preps: preps.split(' ').filter(Boolean),
    }
  })
type Row = (typeof rows)[number]
const [otherRow, numberRow] = rows.slice(-2) as [Row, Row]

const measures: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:to|target|quote|into|dest)\b/, ['to', 'into', 'in', 'many', 'are']],
  [/\b(?:from|source|base|origin)\b/, ['from', 'of', 'is', 'a', 'one']],
  [/$/, ['in', 'to']],
]
const endWords = /^(?:end|to|until|till|return|checkout|out|dropoff|before|through|finish|arrival|latest)$/
const startWords = /^(?:start|from|since|after|begin|departure|checkin|in|pickup|earliest)$/

const telling =
  /^(?:max|min|maximum|minimum|number|num|count|total|amount|value|of|in|at|on|by|per|to|from|a|id|no|new)$/
const synonyms: ReadonlyMap<string, readonly string[]> = new Map(
  `guest: people person adult us, passenger: people person adult traveler ticket seat, people: person guest adult friend,
  party: people person guest us, traveler: people person adult, adult: people person, top: first, rows: row first,
  limit: result top first last item, row: first, age: old aged, celsius: degree °c c, fahrenheit: degree °f f,
  temperature: degree °, seat: people ticket, copy: time, rating: star, count: time first last, bedroom: bed,
  result: latest newest first top last, level: percent`
    .split(/,\s+/)
    .map((row) => row.split(': '))
    .map(([word = '', words = '']) => [word, words.split(' ')]),
)

const stemsOf = (words: readonly string[]): ReadonlySet<string> =>
  new Set(
    words
      .flatMap((word) => [...(telling.test(word) ? [] : [word]), ...(synonyms.get(word) ?? [])])
      .map(stemOf),
  )

/** The fields of an object, worked out once. */
export function fieldsOf(object: ObjectShape): readonly Field[] {
  if (object.fields === undefined) {
    const fields = object.properties.slice(0, 60).map(fieldOf)
    // A repository without a field for its owner is named in full.
    const slugs = fields.filter(({ is }) => is === 'slug')
    object.fields = fields.map((field) =>
      slugs.length === 1 && slugs[0] === field ? { ...field, kind: 'full' } : field,
    )
  }
  return object.fields as readonly Field[]
}

export function fieldOf({ name, node, naming, required }: Property): Field {
  const isNull = ({ types, values }: ValueShape): boolean =>
    values === undefined && types.every((type) => type === TYPE.null)
  const shapes = node.shapes.filter((shape) => !isNull(shape))
  const [shape] = shapes
  const { words, kind = '' } = naming
  const format = shape?.string?.formats[0] ?? ''
  const hint = (shape?.description ?? node.shapes[0]?.description ?? '').toLowerCase().slice(0, 300)
  const isText = shape?.string !== undefined && shape.values === undefined
  const isNumber = shape?.number !== undefined && shape.values === undefined && !isText
  const most = shape?.string?.maxLength ?? ''
  const said = `max=${most} kind=${kind} words=${words.join(' ')} format=${format} hint=${hint}`
  const row = words.join() === 'key' ? otherRow : (rows.find(({ shows }) => shows.test(said)) as Row)
  const { is, takes, preps } = isNumber && row.is !== 'id' ? numberRow : row
  const measured = /^(?:currency|language|unit|symbol)$/.test(is)
  const isEnd = words.some((word) => endWords.test(word))
  return {
    ...{ name, words, kind, format, hint, node, shape, required, isText, isNumber, is, takes },
    nullable:
      shapes.length < node.shapes.length ||
      node.shapes.some(({ types, values }) => types.includes(TYPE.null) || values?.includes(null) === true),
    preps: (measured ? measures.find(([sign]) => sign.test(words.join(' ')))?.[1] : undefined) ?? preps,
    stems: stemsOf(words),
    side: isEnd ? 'end' : words.some((word) => startWords.test(word)) ? 'start' : undefined,
  }
}

export const isId = ({ is, isText, isNumber }: Field): boolean => is === 'id' && (isText || isNumber)

const direction = /^(?:from|to|base|target|source|quote|origin|dest|destination)$/

/** The kind of a name that is ambiguous alone: the `name` of a product is not that of a person. */
export function kindAt(
  { naming, parent }: FillSite,
  { formats, maxLength }: StringShape,
  kinds: ReadonlySet<string>,
  description: string = '',
): string | undefined {
  const { kind, words } = naming
  if (formats.includes('email')) return 'email'
  const isMoney = maxLength === 3 ? kinds.has('amount') : /\bcurrenc|\bISO[ -]?4217\b/iu.test(description)
  if (isMoney && words.every((word) => direction.test(word))) return 'currency'
  if (kind === 'operand') return undefined
  if (words.join(' ') === 'code' && kinds.has('language')) return 'code_text'
  const isOf = (kind === 'name' || kind === 'title') && words.length === 1 && NAMED.has(parent.kind ?? '')
  return isOf ? parent.kind : kind
}
