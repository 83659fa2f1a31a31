/** The JSON that a text describes by a schema, an example, a notation or a list of fields. */
import { type Fields, isFields, jsonIn } from '../../engine/fields.ts'
import { bracketedIn } from './json-values.ts'
import { readNotation } from './shape-notation.ts'
import { objectOf, type Schema, schemaOfNote } from './value-notes.ts'

export interface DescribedShape {
  readonly schema: Schema
  /** The text without the description, from which values may be taken. */
  readonly rest: string
  /** How it was described. An example may itself be what is asked for; a template never is. */
  readonly by: 'schema' | 'template' | 'example' | 'list'
  /** Where the description begins and ends in the text. */
  readonly from: number
  readonly to: number
}

const announced = new RegExp(
  String.raw`\b(?:format|shape|schema|structure|like|form|example|template|looks?|return|respond|output|` +
    String.raw`reply|answer|type|interface)\b[^{}]{0,60}$`,
  'i',
)
/** "Give the answer in the following format:" */
const requestInFront = new RegExp(
  String.raw`((?:^|[.!?]\s|\n)\W*)(?:please )?(?:answer|respond|reply|return|output|use|follow|give|` +
    'provide|' +
    String.raw`produce|format|your)\b[^.!?\n{}]{0,60}\b(?:formats?|schema|shape|like|this|form|structure|` +
    String.raw`template|as|(?:for|in) your (?:reply|answer|response|output))\W*$`,
  'i',
)
/** An example that says what to fill in, instead of being a value. */
const placeholders = new RegExp(
  String.raw`:\s*"(?:\.{3}|…|<[^"]*>|string|number|int(eger)?|bool(ean)?|float|text)?"(?!\s*:)|` +
    String.raw`[[,]\s*"(?:\.{3}|…|<[^"]*>|string|number)"(?!\s*:)|\|`,
  'i',
)

/**
 * The shape that a text describes; undefined when it describes none. In `data`, an object or array counts
 * only when the words before it say so, since it may be what the question is about.
 */
export function describedShape(text: string, data = false): DescribedShape | undefined {
  let best: DescribedShape | undefined
  for (const found of bracketedIn(text, /\{|\[(?=\s*[{"'])/g)) {
    // A template of a prompt library doubles its braces.
    const isDoubled = found.text.startsWith('{{')
    const written = isDoubled ? found.text.replace(/([{}])\1/g, '$1') : found.text
    const value = isDoubled ? jsonIn(written) : found.value
    const { at: from } = found
    const to = from + found.text.length
    const isTemplate = value === undefined || placeholders.test(written)
    const schema = schemaIn(value)
    const isMeant =
      best === undefined && (!data || isTemplate || announced.test(text.slice(Math.max(0, from - 80), from)))
    const noted = schema === undefined && isMeant ? readNotation(written) : undefined
    // Explanations of JSON Schema stand in front of the schema that counts.
    const isNew = schema !== undefined || (noted !== undefined && Object.keys(noted).length > 1)
    if (!isNew) continue
    const by = schema !== undefined ? 'schema' : isTemplate ? 'template' : 'example'
    const before = text.slice(0, from).replace(/[\w.]{1,40}\(\s*$/, '')
    const after = text.slice(to).replace(/^\s*\)(?:\.\w+\(\))*/, '')
    const rest = before.replace(requestInFront, '$1') + after
    best = { schema: (schema ?? noted) as Schema, by, rest, from, to }
  }
  return best ?? listedFields(text)
}

/** The JSON Schema that a value is, or carries as `response_format` does. */
function schemaIn(value: unknown, deep = true): Fields | undefined {
  if (!isFields(value)) return undefined
  const { type, properties, schema, json_schema: wrapped } = value
  const isSchema =
    (properties !== null && typeof properties === 'object') ||
    type === 'object' ||
    type === 'array' ||
    ['$ref', 'anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in value)
  if (isSchema) return value
  return deep
    ? (schemaIn(schema, false) ?? schemaIn((wrapped as Fields | undefined)?.['schema'], false))
    : undefined
}

const nouns = 'keys?|fields?|propert(?:y|ies)|attributes?|columns'
const things =
  'json(?: (?:object|array|list|document|response|format|output|file|dict))?' +
  '(?: (?:describing|about|representing|for|of)(?: [a-z]{1,15}){1,3}?)?|objects?|dict(?:s|ionary|' +
  'ionaries)?|' +
  'records?|items?|entries'
const opening = new RegExp(
  // "with the fields", "keys:"
  String.raw`\b(?:${nouns})\b(?: (?:named|called|are|is|should be|must be|for|of|in (?:it|each)))?` +
    String.raw`(?:[^"'\x60.:\n,]{0,30}:)?\s*|` +
    // "a JSON object that must have"
    String.raw`\b(?:${things})\b,?(?: (?:that|which|must|should|only|has to|needs to|exactly|each)){0,3} ` +
    String.raw`(?:with|containing|contains?|has|have|having|including|includes?|consisting of)\b` +
    String.raw`(?: (?:(?:the|these|this|following|exactly|only|just|its|\w{1,6}) ){0,2}(?:${nouns})\b)?` +
    String.raw`(?: (?:named|called|of|for|in it))?:?\s*|` +
    // "as JSON: name, age", "a JSON object describing a person: name (text), age"
    String.raw`\bjson\b(?: (?:object|format|output))?(?: (?:describing|for|of|about)(?: [a-z]{1,15}){1,3})?` +
    String.raw`(?:,? please)?:\s*(?=[a-z_]\w*(?: \([^)\n]{1,60}\))?(?:,? and [a-z_]\w*|, ?[a-z_]\w*` +
    String.raw`(?: \([^)\n]{1,60}\))?)+\.?\s*(?:$|\n))|` +
    // "extract the name and the age as JSON"
    String.raw`\b(?:extract|identify|pull out|parse)\b(?=[^.:\n]{1,80}(?:,| and )[^.:\n]{1,80} ` +
    String.raw`(?:as|in|into) (?:\w+ ){0,2}json)`,
  'giu',
)
const maxOpenings = 12
const maxFields = 40

interface FieldList {
  readonly fields: Map<string, Schema>
  readonly optional: Set<string>
}

/** The fields that a text lists, in its last 4000 characters. */
function listedFields(text: string): DescribedShape | undefined {
  const start = Math.max(0, text.length - 4000)
  let tries = 0
  opening.lastIndex = start
  for (let found = opening.exec(text); found !== null && ++tries <= maxOpenings; found = opening.exec(text)) {
    const from = found.index + found[0].length
    const list: FieldList = { fields: new Map(), optional: new Set() }
    const to = readLines(list, text, from, found[0].includes('\n')) ?? readSentence(list, text, from)
    opening.lastIndex = Math.max(opening.lastIndex, from)
    if (list.fields.size === 0) continue
    const schema = objectOf(list.fields, list.optional)
    return { schema, rest: text.slice(0, from) + text.slice(to), by: 'list', from, to }
  }
  return undefined
}

const line = new RegExp(
  String.raw`[^\S\n]*(?<mark>(?:[-*•+]|\d{1,2}[.)])[^\S\n]*|(?=["'\x60]))?["'\x60*]{0,3}(?<name>[\p{L}_]` +
    String.raw`[\p{L}\p{N}_-]{0,40}(?: [\p{L}\p{N}_-]{1,20}){0,2})["'\x60*]{0,3}` +
    String.raw`(?:[^\S\n]*[([](?<kind>[^)\]\n]` +
    String.raw`{1,200})[)\]])?["'\x60*]{0,3}(?:[^\S\n]*(?::|–|—| - | = |->)[^\S\n]*` +
    String.raw`(?<note>[^\n]{0,300}))?[,;]?[^\S\n]*(?:\n|$)`,
  'uy',
)

/** A field in each of the lines behind a colon or the end of a line; returns where they end. */
function readLines(list: FieldList, text: string, from: number, isNewLine: boolean): number | undefined {
  const begins = isNewLine ? 0 : /^[^\n]{0,40}:?[^\S\n]*\n/u.exec(text.slice(from, from + 60))?.[0].length
  if (begins === undefined) return undefined
  let end = from + begins
  line.lastIndex = end
  for (let one = line.exec(text); one !== null && list.fields.size < maxFields; one = line.exec(text)) {
    const { mark, name = '', kind, note } = one.groups as Record<string, string | undefined>
    if (mark === undefined && kind === undefined && note === undefined) break
    add(list, name, [kind, note].filter((part) => part !== undefined).join(', '))
    end = line.lastIndex
  }
  return list.fields.size === 0 ? undefined : end
}

const stops =
  'for|from|about|of|based|describing|that|which|in|on|where|to|when|if|so|only|no|nothing|please|using|' +
  'per|' +
  'is|are|should|must|respectively|without|do|return|respond|given|inside|at|and|or'
const entry = new RegExp(
  String.raw`\s*(?:(?:both|each|also|optionally|plus|then|the|its|their|his|her|your|my|a|an|one|some|any|` +
    String.raw`single|short|brief)\s+){0,3}(?<kind>(?:(?:string|text|number|numeric|integer|boolean|float)|` +
    String.raw`(?:list|array)\s+of)\s+(?=["'\x60\p{L}]))?(?:(?:field|key|property|array|list)\s+)?` +
    String.raw`(?:(?:called|named)\s+)?(?:["'\x60](?<quoted>[\w -]{1,40})["'\x60]` +
    String.raw`(?:\s+(?:field|key|property|array|list))?|` +
    String.raw`(?!(?:${stops})\b)(?<bare>[\p{L}_][\p{L}\p{N}_-]{0,30}` +
    String.raw`(?:(?:['’]s)? (?!(?:${stops}|as)\b)[\p{L}\p{N}_-]{1,20}){0,2}))` +
    String.raw`(?:\s*\((?<brackets>[^)\n]{1,120})\)|\s+as\s+(?<as>an? [\p{L} ]{2,30}?)(?=,|\s+and\b|[.\n]|` +
    '$)|' +
    String.raw`:\s*(?<type>\p{L}+(?:\[\])?)(?=\s*(?:,|and\b|[.\n]|$)))?`,
  'iuy',
)
const separator = /\s*,\s*(?:and\s+|or\s+|plus\s+)?|\s+(?:and|&|plus|or)\s+|\s*[;/+]\s*/iuy

/** A list in a sentence; returns where it ends. */
function readSentence(list: FieldList, text: string, from: number): number {
  let end = from
  for (let at = from; list.fields.size < maxFields; at = separator.lastIndex) {
    entry.lastIndex = at
    const found = entry.exec(text)?.groups as Record<string, string | undefined> | undefined
    if (found === undefined) break
    const { kind = '', quoted, bare = '', brackets, as, type } = found
    if (at === from && /^(?:following|format|schema|structure|name of)\b/iu.test(bare)) break
    add(
      list,
      quoted ?? bare.replace(/^.*['’]s /u, ''),
      brackets ?? as ?? type ?? (/of\s*$/iu.test(kind) ? 'array of strings' : kind),
    )
    end = separator.lastIndex = entry.lastIndex
    if (!separator.test(text)) break
  }
  return end
}

function add({ fields, optional }: FieldList, written: string, note: string): void {
  const name = written.trim().replace(/\s+/gu, '_')
  if (name === '__proto__' || fields.has(name)) return
  const schema = schemaOfNote(note, name)
  const isPlain = note.trim() === '' || 'enum' in schema
  fields.set(name, isPlain ? schema : { ...schema, description: note.slice(0, 200) })
  if (/\boptional\b/iu.test(note)) optional.add(name)
}
