/** The JSON that a text describes by a schema, an example, a notation or a list of fields. */
import { bracketedIn, type JsonInText, parsed } from './json-values.ts'
import { listedFields } from './listed-fields.ts'
import { readNotation } from './shape-notation.ts'
import type { Schema } from './value-notes.ts'

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

/**
 * The shape that a text describes; undefined when it describes none. In `data`, an object or array counts
 * only when the words before it say so, since it may be what the question is about.
 */
export function describedShape(text: string, data = false): DescribedShape | undefined {
  const isMeant = (candidate: Candidate): boolean =>
    !data || isTemplate(candidate) || announced.test(text.slice(Math.max(0, candidate.at - 80), candidate.at))
  let best: Pick<DescribedShape, 'schema' | 'by'> | undefined
  let place: Candidate | undefined
  for (const candidate of candidatesIn(text)) {
    const schema = schemaIn(candidate.value)
    const noted =
      schema === undefined && best === undefined && isMeant(candidate)
        ? readNotation(candidate.text)
        : undefined
    // Explanations of JSON Schema stand in front of the schema that counts.
    if (schema !== undefined) best = { schema, by: 'schema' }
    else if (noted !== undefined && !isEmpty(noted))
      best = { schema: noted, by: isTemplate(candidate) ? 'template' : 'example' }
    else continue
    place = candidate
  }
  if (best !== undefined && place !== undefined) {
    const { at: from, length } = place
    const before = text.slice(0, from).replace(/[\w.]{1,40}\(\s*$/, '')
    const after = text.slice(from + length).replace(/^\s*\)(?:\.\w+\(\))*/, '')
    return { ...best, rest: before.replace(requestInFront, '$1') + after, from, to: from + length }
  }
  const list = listedFields(text)
  if (list === undefined) return undefined
  const from = text.lastIndexOf(list.text)
  return {
    schema: list.schema,
    rest: text.replace(list.text, () => ''),
    by: 'list',
    from,
    to: from + list.text.length,
  }
}

/** "Give the answer in the following format:" */
const requestInFront = new RegExp(
  String.raw`((?:^|[.!?]\s|\n)\W*)(?:please )?(?:answer|respond|reply|return|output|use|follow|` +
    String.raw`give|provide|produce|format|your)\b[^.!?\n{}]{0,60}\b(?:formats?|schema|shape|like|` +
    String.raw`this|form|structure|template|as|(?:for|in) your (?:reply|answer|response|output))\W*$`,
  'i',
)

const isEmpty = ({ properties, items, additionalProperties }: Schema): boolean =>
  properties === undefined && items === undefined && additionalProperties === undefined

const announced = new RegExp(
  [
    String.raw`\b(?:format|shape|schema|structure|like|form|example|template|looks?|return|respond|output|`,
    String.raw`reply|answer|type|interface)\b[^{}]{0,60}$`,
  ].join(''),
  'i',
)

/** Whether an example says what to fill in, instead of being a value. */
function isTemplate({ text, value }: Candidate): boolean {
  return (
    value === undefined ||
    /[:[,]\s*"(?:\.{3}|…|<[^"]*>|string|number|int(eger)?|bool(ean)?|float|text)?"(?!\s*:)|\|/i.test(text)
  )
}

interface Candidate extends JsonInText {
  /** How much of the text it takes. */
  readonly length: number
}

/** The outermost objects in a text, and the arrays of objects or texts, as JSON or in another notation. */
function* candidatesIn(text: string): Generator<Candidate> {
  for (const found of bracketedIn(text, /\{|\[(?=\s*[{"'])/g)) {
    const { length } = found.text
    // A template of a prompt library doubles its braces.
    const plain = found.text.startsWith('{{') ? found.text.replace(/([{}])\1/g, '$1') : undefined
    yield plain === undefined
      ? { ...found, length }
      : { text: plain, value: parsed(plain), at: found.at, length }
  }
}

/** The JSON Schema that a value is, or carries as `response_format` does. */
function schemaIn(value: unknown, deep = true): Schema | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  const object = value as Schema
  const { type, properties, schema, json_schema: wrapped } = object
  if (
    (properties !== null && typeof properties === 'object') ||
    type === 'object' ||
    type === 'array' ||
    ['$ref', 'anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in object)
  )
    return object
  return deep
    ? (schemaIn(schema, false) ?? schemaIn((wrapped as Schema | undefined)?.['schema'], false))
    : undefined
}
