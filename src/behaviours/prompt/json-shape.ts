/** The JSON that a text requests, with its shape from a schema, an example, a type, or a list of fields. */
import { isFields, jsonIn } from '../../engine/fields.ts'
import { namingOf } from '../json-schema/property-naming.ts'
import { requestedLength } from './topic.ts'
import { numberOf } from './words.ts'

export type Schema = Readonly<Record<string, unknown>>

const anyText: Schema = { type: 'string' }
const listOf = (items: Schema): Schema => ({ type: 'array', items, minItems: 1 })
const mapOf = (values: Schema): Schema => ({ type: 'object', additionalProperties: values, minProperties: 2 })
export const objectOf = (properties: Schema, required = Object.keys(properties)): Schema => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
})
const kinds: readonly (readonly [RegExp, Schema])[] = [
  [/^(?:array|list)\b|\[\]$/i, listOf(anyText)],
  [/^bool|^(?:true|false)\b/i, { type: 'boolean' }],
  [/^int|^-?\d+$/i, { type: 'integer' }],
  [/^0?\.\d+$/, { type: 'number', minimum: 0, maximum: 1 }],
  [/^(?:num|float|decimal)|^-?\d+\.\d+$/i, { type: 'number' }],
  [/^(?:null|none)$/i, { type: 'null' }],
  [/^(?:str|text\b|date|url|e-?mail)/i, anyText],
]
/** `list[str]`, `Map<string, number>`, "array of exactly 4 integers" */
const generic = new RegExp(
  String.raw`^(?:(optional|array|list|set|record|map|dict)[<[](?:[\w ]+, ?)?(.+?)[>\]]?$|` +
    String.raw`(?:array|list)s? of (?:exactly )?(?:(\w+) )??([a-z]+)\b|(\w+)\[\])$`,
  'i',
)
function kindOf(note: string): Schema | undefined {
  const [, name = 'list', inside, count = '', plural, items] = generic.exec(note) ?? []
  const inner = inside ?? plural ?? items
  if (inner === undefined) return kinds.find(([words]) => words.test(note))?.[1]
  const schema = kindOf(inner) ?? anyText
  if (/^opt/i.test(name)) return schema
  if (/^(?:rec|map|dic)/i.test(name)) return mapOf(schema)
  const size = numberOf(count)
  return { ...listOf(schema), ...(size !== undefined && { minItems: size, maxItems: size }) }
}
const wholes = /^(?:age|year|hour|minute|second|temperature|percent|count|rating|score|population)$/
const fractions = /^(?:money|amount|latitude|longitude|total)$/

/** The schema of a property, from its name alone. */
function schemaOfName(name: string): Schema {
  const { kind = '', words } = namingOf(name)
  if (/^(?:is|has|can)[_A-Z]|^(?:valid|active|success|ok|spam)$/.test(name)) return { type: 'boolean' }
  const isPlural = !name.toLowerCase().endsWith(words.at(-1) ?? '') && !/(?:notes|details)$/.test(name)
  if (kind === 'probability') return { type: 'number', minimum: 0, maximum: 1 }
  if (fractions.test(kind) || name === 'total') return { type: 'number' }
  return wholes.test(kind) ? { type: 'integer' } : isPlural ? listOf(anyText) : anyText
}

const range = /(?<![\w.-])(-?\d+(?:\.\d+)?) ?(?:-|–|to|and) ?(-?\d+(?:\.\d+)?)(?![\w-])|out of (\d+)/

/** The numbers between the first two bounds in a text; undefined if there are none. */
export function numbersIn(text: string): Schema | undefined {
  const [, low = '0', high, top = high] = range.exec(text) ?? []
  const [minimum, maximum] = [Number(low), Number(top)]
  const type = maximum - minimum > 1 ? 'integer' : 'number'
  return maximum > minimum ? { type, minimum, maximum } : undefined
}

/** The schema of a value, from its note: "integer from 1 to 5", `good|bad`, "list of texts". */
function schemaOfNote(written: string, name: string): Schema {
  const note = written.slice(0, 300).replace(/^["'<\s]+(?:an? )?|[>"'\s]+$/g, '')
  const kind = kindOf(note)
  const numbers = kind === undefined || kind['type'] !== 'string' ? numbersIn(note) : undefined
  const [, listed = note] = /\b(?:one of|either)\b:?\s*(.+)$/i.exec(note) ?? []
  const parts = listed.split(listed === note && !/ or /.test(note) ? /[|/]/ : /,? or |[,|/]/)
  const words = parts.map((part) => part.trim().replace(/^["'`(]|["'`).]$/g, ''))
  const choices = words.filter((word) => word !== 'undefined')
  const types = choices.flatMap((one) => kindOf(one) ?? [])
  if (numbers !== undefined) return numbers
  if (choices.length === 1 && words.length > 1) return schemaOfNote(choices[0] as string, name)
  if (choices.length < 2 || !choices.every((one) => /^\S{1,30}(?: \S+){0,2}$/.test(one)))
    return kind ?? (/^["']/.test(written) ? anyText : schemaOfName(name))
  return types.length === choices.length ? { anyOf: types } : { enum: [...new Set(choices)] }
}

const angled = String.raw`<(?:[^<>{}\n]|<[^<>{}\n]*>){0,80}>`
/** The separators of members and of notes, and brackets. */
const token = new RegExp(
  String.raw`\s*(?:[,;\n]|\.{3}|…)(?:[\s,;]|\.{3}|…)*|[{}[\]:]|` +
    String.raw`(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|${angled}|\[\]|[^"'<{}[\],;:\n])+`,
  'g',
)

/** Replaces Python's brackets with those of TypeScript: `dict[str, list[int]]`. */
const squared = /\b(list|dict|set|optional|array)\[([^[\]{}\n]{1,60})\]/gi
const inAngles = (text: string): string => text.replace(squared, '$1<$2>').replace(squared, '$1<$2>')

/** A JSON example, a TypeScript type or a mixture of both, as JSON whose strings are notes on the values. */
function notesIn(written: string): unknown {
  const text = inAngles(written.slice(0, 20_000))
    .replace(/(?<=[\s,;{])\/\/[^\n]*/g, '')
    .replace(/\n[^\S\n]*(?=\|)/g, ' ')
    .replace(/\bArray<(\{[^{}]*\})>/g, '[$1]')
    .replace(/\[\w+\s*:\s*\w+\](?=\s*:)/g, '"{}"')
    // Names without values; a single name is a placeholder in a template.
    .replace(/(?<=\{\s*)\w+(?=\s*,)|(?<=,\s*)\w+(?=\s*[,}])/g, '$&: ?')
    .replace(/\}\s*\[\]/g, ',"[]":1}')
  const tokens = (text.match(token) ?? []).map((one) => {
    if (/^\s*(?:[,;…]|\.{3}|$)/.test(one)) return ','
    return /^[{}[\]:]$/.test(one) ? one : JSON.stringify(one.trim())
  })
  const isNeedless = (at: number): boolean =>
    /^[{[:]?$/.test(tokens[at - 1] ?? '') || /^[}\]]?$/.test(tokens[at + 1] ?? '')
  return jsonIn(tokens.filter((one, at) => one !== ',' || !isNeedless(at)).join(''))
}

/** The schema of an annotated object, array or value; `?` after a name makes it optional. */
function schemaOfNotes(notes: unknown, name = ''): Schema {
  if (Array.isArray(notes)) return listOf(notes.length === 0 ? anyText : schemaOfNotes(notes[0]))
  if (!isFields(notes)) return schemaOfNote(String(notes), name)
  const { '"[]"': isList, '"{}"': others, ...members } = notes
  if (others !== undefined) return mapOf(schemaOfNotes(others))
  const plain = (key: string): string => key.replace(/^["']|["'?]+$/g, '')
  const named = Object.entries(members).map(([key, note]) => [plain(key), schemaOfNotes(note, plain(key))])
  const required = Object.keys(members).flatMap((key) => (key.endsWith('?') ? [] : plain(key)))
  const schema = objectOf(Object.fromEntries(named) as Schema, required)
  return isList === undefined ? schema : listOf(schema)
}

interface Shape {
  readonly schema: Schema
  /** The start and end of the description in the text. */
  readonly from: number
  readonly to: number
}

const openings = [
  new RegExp(
    String.raw`(?:\b(?:with|having|exactly|the|these|following|\d|t[wh]\w+|four|five|six) ){0,5}` +
      String.raw`\b(?:keys?|fields?|propert(?:y|ies)|columns)\b(?: (?:named|called|are|is|must be))?:?\s*`,
    'gi',
  ),
  /\b(?:json|objects?|items?|each)\b[^.\n"'`:,]{0,30}?,? (?:with|containing|contains?|has)\b:?\s*/gi,
  /\b(?:extract|identify|json:)\s*/gi,
]
const fieldName =
  '(?!(?:for|from|about|of|that|which|in|as|to|not?|please|is|are|with|without|and|or|at|so|if|the|' +
  String.raw`following|only|array|keys?|fields?)\b)[\p{L}_][\p{L}\p{N}_-]{0,30}`
const few = 'two|three|four|five|six|seven|eight|nine|ten'
/** A field in a list: its name and its note, in brackets, after a colon, or as "array of …". */
const entry = new RegExp(
  String.raw`(?:[-*•]|\d\.)?\s*(?:(?!list of \w+ (?:called|named))` +
    '(?:the|an?|both|its|their|these|single|only|list|of) )*' +
    String.raw`(?:(?<items>(?:array|list) of \w{1,20}) (?:called|named) )?` +
    String.raw`(?:["'\x60*]+(?<quoted>[\w -]{1,40})["'\x60*]+|(?<bare>${fieldName}(?: ${fieldName}){0,2}))` +
    String.raw`(?:\s*\((?<kind>[^)\n]{1,120})\)|` +
    String.raw`\s*(?::|=|–| - )\s*(?<note>[^\n]{1,200}(?=\n\s*[-*•\d])|(?:${angled}|[^,;.\n]){1,200})|` +
    String.raw` (?<list>(?:array|list)(?: of (?:exactly )?(?:(?:\d+|${few}) )?[a-z]+)?)(?=[\s.,;]|$)` +
    '(?<nested> (?:with|containing|having) )?)?' +
    String.raw`(?<more>(?!\s*\n\s*\n\s*[^\s"'\x60*•\d-])\s*[,;&\n][\s,;&]*(?:and\s+|or\s+)?|` +
    String.raw`\s+(?:and\s|or\s|(?=["'\x60]))\s*)?`,
  'iuy',
)

/** The fields named by a note in brackets, "(street, city, zip)", or by a list, "(each with sku, price)". */
function nestedIn(note = ''): unknown {
  const [each = ''] =
    /^(?:(?:each|every|list of|array of)\b.*?\b)?(?:with|having|containing|has) /i.exec(note) ?? []
  const { notes, to } = fieldsAt(note, each.length)
  const names = Object.keys(notes)
  if (each !== '') return names.length === 0 ? undefined : [notes]
  const isKnown = names.every((name) => !/^(?:|person)$/.test(namingOf(name).kind ?? ''))
  const isAll = to === note.length && Object.values(notes).every((one) => one === '') && !/ or /.test(note)
  return isAll && isKnown && names.length > 1 ? notes : undefined
}

/** The fields in a list that begins at a position, with their notes, and the end of the list. */
function fieldsAt(text: string, from: number): { notes: Record<string, unknown>; to: number } {
  const notes: Record<string, unknown> = {}
  let to = from
  for (let more: string | undefined = ''; more !== undefined && Object.keys(notes).length < 40; ) {
    entry.lastIndex = to
    const { quoted, bare, kind, note = kind, list, items, nested, ...rest } = entry.exec(text)?.groups ?? {}
    const name = (quoted ?? bare)?.trim().replace(/\s+/g, '_')
    to = entry.lastIndex || to
    const told = note ?? list ?? items ?? ''
    // In "Name and age: Ada is 36", the text after the colon is the material.
    const isBare = kind === undefined && Object.values(notes).includes('')
    const isMaterial = isBare && /^\p{Lu}\S* \S+ \S/u.test(note ?? '')
    const noted = isMaterial ? '' : told
    if (isMaterial) to = text.lastIndexOf(told, to)
    const inner = nested !== undefined && /objects$/i.test(noted) ? fieldsAt(text, to) : undefined
    if (name !== undefined)
      notes[/\boptional\b/i.test(noted) ? `${name}?` : name] = inner
        ? [inner.notes]
        : (nestedIn(kind) ?? noted)
    if (isMaterial) break
    to = inner?.to ?? to
    more = inner ? undefined : rest['more']
  }
  return { notes, to }
}

/** The fields listed in the last 4000 characters of a text: "keys name and age", or one per line. */
function listedFields(written: string): Shape | undefined {
  const text = inAngles(written)
  const start = Math.max(0, text.length - 4000)
  const found = openings.flatMap((opening) => [...text.slice(start).matchAll(opening)])
  for (const { 0: opening, index } of found.slice(0, 20)) {
    const behind = start + index + opening.length
    const { notes, to } = fieldsAt(text, behind)
    // "As JSON: name: Ada" also contains the values.
    const end = /json:\s*$/i.test(opening) ? behind : to
    const from = /\b(?:key|field|propert|column)/i.test(opening) ? start + index : behind
    if (Object.keys(notes).length > 0) return { schema: schemaOfNotes(notes), from, to: end }
  }
  return undefined
}

const isSchema = (value: unknown): value is Schema =>
  isFields(value) && (isFields(value['properties']) || /^(?:object|array)$/.test(String(value['type'])))
const announced =
  /\b(?:format|schema|structure|like|return|respond|reply|answer|output|type|json|interface)\b[^{}]{0,80}$/i

/** The shape that a text describes in brackets. Without an introduction, it counts only for `any`. */
function bracketedShape(text: string, any: boolean): Shape | undefined {
  let best: Shape | undefined
  for (const { value, text: written, at: from } of bracketedIn(text, /\{|\[(?=\s*[{"'])/g)) {
    const schema = [value, isFields(value) && value['schema']].find(isSchema)
    const isMeant = best === undefined && (any || announced.test(text.slice(Math.max(0, from - 100), from)))
    const notes = schema === undefined && isMeant ? notesIn(written) : undefined
    // Explanations of JSON Schema precede the relevant schema.
    if (schema !== undefined || notes !== undefined)
      best = { schema: schema ?? schemaOfNotes(notes), from, to: from + written.length }
  }
  if (best === undefined) return undefined
  // Includes a fence and the name of a type around the brackets.
  const from = text
    .slice(0, best.from)
    .replace(/(?:```\w*\s+|\b(?:type|interface|class) \w+[ =]*){1,2}$/, '').length
  const behind = /^\s*```/.exec(text.slice(best.to, best.to + 20))?.[0].length ?? 0
  return { ...best, from, to: from === best.from ? best.to : best.to + behind }
}

export interface JsonWish {
  readonly schema?: Schema
  /** The property of the schema that contains the answer. */
  readonly list?: string
  readonly fenced: boolean
  /** The subject of the answer: the text without the request for JSON and the description. */
  readonly rest: string
}

/** Statements about JSON itself or about other JSON. */
const denies = new RegExp(
  String.raw`^\W*(?:how|why|explain|define|json (?:is|was|has)|(?:what|which|is|does)\b(?!.*, \w+ json))\b|` +
    String.raw`\b(?:no|not|never|without|instead of|rather than|avoid|don['’]t)(?: \w+){0,2} json|` +
    String.raw`\b(?:this|these|that|my|given|above|about|the following) json(?! (?:format|schema|object))|` +
    String.raw`(?<!\byou\b.*)\b(?:functions?|script|program|class|parser|endpoint|server|api)\b.* json`,
  'i',
)

/** Whether a text requests JSON by name. */
const asksByName = (text: string): boolean =>
  [...text.matchAll(/\bjson(?!l\b|p\b|5\b|\.[a-z]|[ -]?(?:pars|valid)|[ -]schema (?:for|of|that))/gi)]
    .slice(0, 40)
    .some(({ index }) => {
      const before = text.slice(Math.max(0, index - 200), index).split(/[.!?]\s|\n/)
      return !denies.test(before.at(-1) + text.slice(index, index + 40))
    })

const fence = new RegExp(
  String.raw`(?<!\b(?:no|not|without|don['’]t|never)\b[^.\n]{0,60})\b(?:in|inside|within|as|with|into|by|` +
    String.raw`use|using|wrapped|enclosed|surrounded|fenced?)\b(?:(?!\bno|\bwithout)[^.\n]){0,40}?` +
    String.raw`(?:code ?(?:block|fence)|fenced|fences|markdown|\x60{3})`,
  'i',
)
/** The words around a mention that request only the format. */
const form = new RegExp(
  String.raw`(?:\b(?:please|return|output|respond|reply|answer|give|create|only|me|with|as|in|into|to|an?|` +
    String.raw`valid|the|your|result|it|must|be)\b[\s"'\x60]*){0,12}\bjson\b(?:[\s,]*\b(?:objects?|arrays?|` +
    'formats?|output|only|with|containing|of|in|the|following|keys?|fields?|schema|' +
    String.raw`matching|this|typescript|types?|interface|structure)\b)*[\s:.,]*`,
  'gi',
)
const isAbout = /^\W*(?:what|how|why|explain|review|validate|check|fix|convert|translate|summari[sz]e)\b/i

const leadIn = /^[\s.,;:)]*(?:(?:for|about|on|from)\s+)?/i
/** An array as the whole answer rather than a part. */
const wantsArray = new RegExp(
  String.raw`(?:\bjson (?:array|list)|\b(?:return|output|as|give me|(?:reply|respond|answer) with|generate|` +
    'produce|create|is|be|me|only|write)(?: only| an?| the| valid){0,3} (?:array|list)(?= of))' +
    String.raw`\b(?: of (?:\w+ )??(?:(?<kind>strings|numbers|integers|booleans)|(?<of>\w+)))?`,
  'i',
)
const ofParts = /^(?:strings|numbers|integers|keys|fields|properties|values)$/

const nothingElse = new RegExp(
  '^(?:(?:please|generate|create|make|give|show|return|me|an?|any|some|random|sample|example|small|' +
    String.raw`simple|valid|json|objects?)\W{0,3})+$`,
  'i',
)
/** The shape of an undescribed object: "Generate a JSON object." */
export const anyObject = (text: string): Schema | undefined =>
  text.length < 200 && nothingElse.test(text)
    ? objectOf({ id: { type: 'integer', minimum: 1 }, name: anyText, active: { type: 'boolean' } })
    : undefined

/** The JSON shape that a text requests. `must` accepts any shape, because the answer is JSON anyway. */
export function jsonWish(text: string, must = false): JsonWish | undefined {
  const asked = must || asksByName(text)
  const bracketed = bracketedShape(text, must && !isAbout.test(text))
  if (!asked && (bracketed === undefined || isAbout.test(text))) return undefined
  const { schema, from = 0, to = 0 } = bracketed ?? listedFields(text) ?? {}
  const stripped = (text.slice(0, from) + text.slice(to)).replace(form, ' ')
  // Quotation marks around a text to read are not part of the request.
  const rest = stripped
    .replace(/(?<=:\s*)["“]([^"“”]{20,})["”]|["“]([^"“”]{20,})["”](?=\s*$)/, '$1$2')
    .replace(leadIn, '')
    .trim()
  const wish = { fenced: fence.test(text.slice(0, from) + text.slice(to)), rest }
  const array = wantsArray.exec(text)
  const { kind, of = /\b(?:all|every) (?:the )?((?:\w+ )??\w+s)\b/i.exec(text)?.[1]?.replace(' ', '_') } =
    array?.groups ?? {}
  const { unit, least = 0, most, noun = of ?? '' } = requestedLength(text) ?? {}
  const bounds = unit === 'item' && least > 1 ? { minItems: least, maxItems: most } : undefined
  // An object with this number of items as one value, or an array of this number of objects.
  const isPart = noun in (isFields(schema?.['properties']) ? schema['properties'] : {}) || ofParts.test(noun)
  const isOne = schema !== undefined && !/\beach\b/i.test(text) && (isPart || /\bobject\b/i.test(text))
  const isEach = bounds !== undefined && !isOne
  if (array === null && !isEach) return { ...wish, ...(schema && { schema }) }
  const name = noun || 'items'
  const each = kind === undefined ? (schema ?? anyText) : (kindOf(kind) ?? anyText)
  const items = { ...(each['type'] === 'array' ? each : listOf(each)), ...bounds }
  return {
    ...wish,
    schema: objectOf({ [name]: items }),
    ...((array !== null || schema !== undefined) && { list: name }),
  }
}

interface Bracketed {
  /** Undefined if the part is not JSON. The part may contain JSON. */
  readonly value: unknown
  readonly text: string
  readonly at: number
}

/**
 * The bracketed part from each match of `opening`. Any of them may lack an end, so their total length is
 * bounded.
 */
export function* bracketedIn(text: string, opening: RegExp): Generator<Bracketed> {
  for (let tries = 0; tries < 40; tries++) {
    const at = opening.exec(text)?.index
    if (at === undefined) return
    let [depth, end] = [0, 0]
    for (const { 0: mark, index } of text.slice(at, at + 100_000).matchAll(/"(?:[^"\\]|\\[^])*"|[{}[\]]/g)) {
      if (mark.length === 1) depth += mark === '{' || mark === '[' ? 1 : -1
      if (depth === 0) end = index + 1
      if (depth === 0 || depth > 32) break
    }
    const written = text.slice(at, at + end)
    const value = jsonIn(written)
    if (end > 0) yield { value, text: written, at }
    if (value !== undefined) opening.lastIndex = at + end
  }
}
