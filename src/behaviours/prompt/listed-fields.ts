/** The fields of an object that a text lists: "with the name, the age (integer) and a list of tags". */
import { kindOfNote, objectOf, type Schema, schemaOfName } from './value-notes.ts'

export interface ListedFields {
  readonly schema: Schema
  /** The list as it was written. */
  readonly text: string
}

const nouns = 'keys?|fields?|propert(?:y|ies)|attributes?|columns'
const things =
  'json(?: (?:object|array|list|document|response|format|output|file|dict))?' +
  '(?: (?:describing|about|representing|for|of)(?: [a-z]{1,15}){1,3}?)?|objects?|dict(?:ionary|' +
  'ionaries)?|records?|items?|entries'
const having = 'with|containing|contains?|has|have|having|including|includes?|consisting of'
const opening = new RegExp(
  String.raw`\b(?:${nouns})\b(?: (?:named|called|are|is|should be|must be|for|of|in (?:it|` +
    String.raw`each)))?(?:[^"'\x60.:\n,]{0,30}:)?\s*|` +
    String.raw`\b(?:${things})\b,?(?: (?:that|which|must|should|only|has to|needs to|exactly|` +
    String.raw`each)){0,3} (?:${having})\b(?: (?:(?:the|these|this|following|exactly|only|just|its|` +
    String.raw`\w{1,6}) ){0,2}(?:${nouns})\b)?(?: (?:named|called|of|for|in it))?:?\s*` +
    String.raw`|\bjson\b(?: (?:object|format|output))?(?:,? please)?:\s*(?=[a-z_]\w*(?:,? and` +
    String.raw` [a-z_]\w*|, ?[a-z_]\w*)+\.?\s*(?:$|\n))`,
  'giu',
)
const maxOpenings = 12
const maxFields = 40

/** The fields that a text lists, in front of the end of its last 4000 characters. */
export function listedFields(text: string): ListedFields | undefined {
  const searched = text.slice(-4000)
  let tries = 0
  for (const { 0: lead, index } of searched.matchAll(opening)) {
    if (++tries > maxOpenings) return undefined
    const from = index + lead.length
    const found = inLines(searched, from, lead) ?? inSentence(searched, from)
    if (found !== undefined && found.fields.size > 0)
      return { schema: objectOf(found.fields, found.optional), text: searched.slice(from, found.end) }
  }
  return undefined
}

interface Fields {
  readonly fields: Map<string, Schema>
  readonly optional: Set<string>
  readonly end: number
}

const line = new RegExp(
  String.raw`[^\S\n]*(?:(?:[-*•+]|` +
    String.raw`\d{1,2}[.)])[^\S\n]*)?["'\x60*]{0,3}([\p{L}_][\p{L}\p{N}_-]{0,40}(?:` +
    String.raw` [\p{L}\p{N}_-]{1,20}){0,2})["'\x60*]{0,3}` +
    String.raw`(?:[^\S\n]*[([]([^)\]\n]{1,200})[)\]])?["'\x60*]{0,3}(?:[^\S\n]*(?::|–|—| - | = |` +
    String.raw`->)[^\S\n]*([^\n]{0,300}))?[,;]?[^\S\n]*(?:\n|$)`,
  'uy',
)

/** A field in each of the lines behind a colon or the end of a line. */
function inLines(text: string, from: number, lead: string): Fields | undefined {
  const begins = /\n/u.test(lead)
    ? from
    : /^[^\n]{0,40}:?[^\S\n]*\n/u.exec(text.slice(from, from + 60))?.[0].length
  if (begins === undefined) return undefined
  const found: Fields = { fields: new Map(), optional: new Set(), end: from }
  line.lastIndex = /\n/u.test(lead) ? from : from + begins
  let end = line.lastIndex
  for (let one = line.exec(text); one !== null && found.fields.size < maxFields; one = line.exec(text)) {
    const [whole, name = '', brackets, note] = one as unknown as readonly (string | undefined)[]
    const isMarked = /^[^\S\n]*(?:[-*•+"'`]|\d{1,2}[.)])/u.test(whole as string)
    if (!isMarked && brackets === undefined && note === undefined) break
    add(found, name, [brackets, note].filter((part) => part !== undefined).join(', '))
    end += (whole as string).length
    line.lastIndex = end
  }
  return found.fields.size === 0 ? undefined : { ...found, end }
}

const stops =
  'for|from|about|of|based|describing|that|which|in|on|where|to|when|if|so|only|no|' +
  'nothing|please|using|per|is|are|' +
  'should|must|respectively|without|using|do|return|respond|given|inside|at'
const entry = new RegExp(
  String.raw`\s*(?:(?:both|each|also|optionally|plus|then|the|its|their|his|her|your|my|a|an|one|` +
    String.raw`some|any|single|short|brief)\s+){0,3}` +
    String.raw`((?:(?:string|text|number|numeric|integer|boolean|float)\s+(?=["'\x60\p{L}])|(?:list|` +
    String.raw`array)\s+of\s+(?=["'\x60\p{L}])){0,1})` +
    String.raw`(?:(?:field|key|property|array|list)\s+)?(?:(?:called|named)\s+)?` +
    String.raw`(?:["'\x60]([\w -]{1,40})["'\x60](?:\s+(?:field|key|property|array|list))?|` +
    String.raw`(?!(?:${stops}|and|or)\b)` +
    String.raw`([\p{L}_][\p{L}\p{N}_-]{0,30}(?:(?:['’]s)? (?!(?:${stops}|and|or|` +
    String.raw`as)\b)[\p{L}\p{N}_-]{1,20}){0,2}))` +
    String.raw`(?:\s*\(([^)\n]{1,120})\)|\s+as\s+(an? [\p{L} ]{2,30}?)(?=,|\s+and\b|[.\n]|$)|` +
    String.raw`:\s*(\p{L}+(?:\[\])?)(?=\s*(?:,|and\b|[.\n]|$)))?`,
  'iuy',
)
const separator = /\s*,\s*(?:and\s+|or\s+|plus\s+)?|\s+(?:and|&|plus|or)\s+|\s*[;/+]\s*/iuy

/** A list in a sentence. */
function inSentence(text: string, from: number): Fields | undefined {
  const found: Fields = { fields: new Map(), optional: new Set(), end: from }
  let end = from
  for (let at = from; found.fields.size < maxFields; ) {
    entry.lastIndex = at
    const one = entry.exec(text)
    if (one === null) break
    const [whole, kind = '', quoted, bare, brackets, as, type] = one as unknown as readonly (
      | string
      | undefined
    )[]
    if (
      at === from &&
      quoted === undefined &&
      /^(?:following|format|schema|structure|name of)\b/iu.test(bare ?? '')
    )
      break
    const name = quoted ?? (bare as string).replace(/^.*['’]s /u, '')
    add(found, name, brackets ?? as ?? type ?? (/of\s*$/iu.test(kind) ? 'array of strings' : kind))
    end = at + (whole as string).length
    separator.lastIndex = end
    const between = separator.exec(text)
    if (between === null) break
    at = separator.lastIndex
  }
  return found.fields.size === 0 ? undefined : { ...found, end }
}

function add({ fields, optional }: Fields, written: string, note: string): void {
  const name = written.trim().replace(/\s+/gu, '_')
  if (name === '__proto__' || fields.has(name)) return
  const kind = note.trim() === '' ? undefined : kindOfNote(note)
  const schema = kind ?? schemaOfName(name)
  // Words on a value say more than a plural name: "notes: what was said".
  const settled =
    kind === undefined && note !== '' && schema['type'] === 'array' && !/\b(?:list|array|comma)/iu.test(note)
      ? { type: 'string' }
      : schema
  fields.set(
    name,
    note.trim() === '' || 'enum' in settled ? settled : { ...settled, description: note.slice(0, 200) },
  )
  if (/\boptional\b/iu.test(note)) optional.add(name)
}
