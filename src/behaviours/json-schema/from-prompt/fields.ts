/** What the fields of a schema are, by name, format and description, and what they take of a prompt. */

import type { Property, SchemaNode, StringShape, ValueShape } from '../clause.ts'
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
}

/**
 * What a field is: how it shows (`@` is a word of its name), what it takes, behind which words. The first
 * that shows counts.
 */
const table = String.raw`
email | format=(idn-)?email|kind=email|words=(to|cc|bcc|recipient)\b.*hint=.*mail | email | to for with
url | format=(uri|url|iri)|kind=(image_)?url | url | from to at
sql | @sql\b|hint=.*\bsql\b | sql quote |
moment | format=(date|time|date-time)\b|kind=(date|datetime|time|weekday)\b | moment |
moment | hint=.*(8601|3339|yyyy|hh:mm) | moment |
sum | kind=expression|hint=.*(\bmath|arithmetic|equation|formula) | sum |
currency | kind=currency|hint=.*(currenc|4217) | currency |
currency | max=3 .*words=(from|to|base|target)\b | currency |
language | kind=(language|locale)\b | language |
unit | kind=unit | unit |
command | @(command|cmd)\b|hint=.*\b(shell|bash) | command quote |
path | kind=(path|file)\b|@(folder|dir|directory|cwd)\b | path quote | in from at of
path | hint=.*\b(path|file ?name|to save) | path quote | in from at of
phone | kind=phone | phone |
host | kind=(ip|domain)\b|format=(ipv4|ipv6|hostname) | host |
address | kind=(street|zip|state|address)\b | address |
symbol | kind=(symbol|airport)\b|hint=.*\bticker | capitals |
slug | @(owner|repo|repository|org)\b | slug | in of
id | kind=(id|uuid|hash)\b|@(id|sha|key|ref|code|sku|last4|number) fo|hint=.*(\bid\b|identif) | code number |
from | words=(from|origin|source|start|departure|pickup|sender)\b | path name called currency phrase | from of
to | words=(to|target|dest\w*|arrival|base)\b | email path name called currency phrase | to into as for
by | @(artist|author|director|brand)\b | name quote phrase | by from of
place | kind=(city|location|country|region)\b | name phrase | in at near for to from of visit
place | hint=.*\b(city|town|station)\b | name phrase | in at near for to from of visit
person | kind=(person|first_name|last_name|username)\b | name word | to for with by named am is of
company | kind=company | name quote phrase | at from for of by
room | @(room|zone|branch|table|list|calendar)\b | word phrase quote name object | in on at of from into
room | @(channel|board|device|door|shop)\b | word phrase quote name object | in on at of from into
query | kind=(query|question|topic|pattern)\b|@(search|keyword|term|topic)\b | quote sought | about for on
body | kind=(message|description|summary|explanation|answer|input)\b | clause quote object |
name | kind=name\b | called quote name object | is am called named
title | kind=(title|subject|step|product|dish|movie|book|song)\b | called quote object phrase | about
reason | @(reason|purpose)\b | clause phrase | because for
other | | word quote phrase name object | in on at for to as with of
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

export function fieldOf({ name, node, naming, required }: Property): Field {
  const shapes = node.shapes.filter(
    ({ types, values }) => values !== undefined || types.some((type) => type !== TYPE.null),
  )
  const [shape] = shapes
  const format = shape?.string?.formats[0] ?? ''
  const hint = (shape?.description ?? node.shapes[0]?.description ?? '').toLowerCase().slice(0, 300)
  const { words, kind = '' } = naming
  const isText = shape?.string !== undefined && shape.values === undefined
  const isNumber = shape?.number !== undefined && shape.values === undefined && !isText
  const most = shape?.string?.maxLength ?? ''
  const said = `max=${most} kind=${kind} words=${words.join(' ')} format=${format} hint=${hint}`
  const row = rows.find((one) =>
    words.at(-1) === 'key' ? one.is === 'other' : one.shows.test(said),
  ) as (typeof rows)[number]
  const { is, takes, preps } = isNumber && row.is !== 'id' ? (rows.at(-1) as (typeof rows)[number]) : row
  const isTarget = words.some((word) => /^(?:to|target|quote|into|dest)$/.test(word))
  const isSource = words.some((word) => /^(?:from|source|base|origin)$/.test(word))
  const measures = isTarget
    ? ['to', 'into', 'in', 'many', 'are']
    : isSource
      ? ['from', 'of', 'is', 'a', 'one']
      : ['in', 'to']
  const isNullable = ({ types, values }: ValueShape): boolean =>
    types.includes(TYPE.null) || values?.includes(null) === true
  const nullable = shapes.length < node.shapes.length || node.shapes.some(isNullable)
  return {
    name,
    words,
    kind,
    format,
    hint,
    node,
    shape,
    required,
    nullable,
    isText,
    isNumber,
    is,
    takes,
    preps: /^(?:currency|language|unit)$/.test(is) ? measures : preps,
  }
}

export const isId = ({ is, isText, isNumber }: Field): boolean => is === 'id' && (isText || isNumber)

const calculates =
  /\b(?:math(?:s|ematical)?|arithmetic(?:al)?|algebraic) (?:expression|formula|equation|problem)/iu
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
  if ((kind === undefined || kind === 'query' || kind === 'input') && calculates.test(description))
    return 'expression'
  if (words.join(' ') === 'code' && kinds.has('language')) return 'code_text'
  const isOf = (kind === 'name' || kind === 'title') && words.length === 1 && NAMED.has(parent.kind ?? '')
  return isOf ? parent.kind : kind
}
