/** The JSON that a text describes in words or by example, as a JSON Schema. */

import { objectsIn } from './json-values.ts'

type Schema = Readonly<Record<string, unknown>>

export interface DescribedShape {
  readonly schema: Schema
  /** The text without the description, from which values may be taken. */
  readonly rest: string
}

/**
 * The shape of the object that a text asks for: a JSON Schema, an example, or a list of keys; undefined
 * when it describes none. In `data`, an object counts as an example only when the words before it say so,
 * since it may be what the question is about.
 */
export function describedShape(text: string, data = false): DescribedShape | undefined {
  const candidates = [...objectsIn(text)].filter(
    (one) =>
      Object.keys(one.value).length > 0 &&
      (!data || isSchema(one.value) || announced.test(text.slice(Math.max(0, one.at - 80), one.at))),
  )
  const best = candidates.find(({ value }) => isSchema(value)) ?? candidates[0]
  if (best !== undefined)
    return {
      schema: isSchema(best.value) ? best.value : shapeOf(best.value),
      rest: text.replace(best.text, () => ''),
    }
  const list = listOfKeys.exec(text.slice(-4000))?.[1]
  const keys = [
    ...new Set([...(list ?? '').matchAll(/["'`]([\w-]{1,40})["'`]/g)].map(([, key]) => key as string)),
  ].filter((key) => key !== '__proto__')
  return list === undefined || keys.length === 0
    ? undefined
    : { schema: shapeOfKeys(keys), rest: text.replace(list, () => '') }
}

const announced = new RegExp(
  [
    String.raw`\b(?:format|shape|schema|structure|like|form|example|template|looks?|return|respond|output|`,
    String.raw`reply)\b[^{}]{0,60}$`,
  ].join(''),
  'i',
)

// For instance: with the keys "name" and "age".
const listOfKeys = new RegExp(
  [
    String.raw`\b(?:keys?|fields?|properties|property|attributes?)`,
    String.raw`\b[^."'\x60\n]{0,30}((?:["'\x60][\w-]{1,40}["'\x60](?:\s*\([^)\n]{0,40}\))?(?:,? and |, |`,
    ' or )?){1,40})',
  ].join(''),
  'i',
)

function isSchema(object: Schema): boolean {
  const { type, properties } = object
  return (
    (properties !== null && typeof properties === 'object') ||
    type === 'object' ||
    type === 'array' ||
    ['$ref', 'anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in object)
  )
}

const typeNames: ReadonlyMap<string, Schema> = new Map(
  Object.entries({
    string: { type: 'string' },
    text: { type: 'string' },
    number: { type: 'number' },
    float: { type: 'number' },
    int: { type: 'integer' },
    integer: { type: 'integer' },
    boolean: { type: 'boolean' },
    bool: { type: 'boolean' },
  }),
)

/**
 * The shape of an example: `{"age": 0}` asks for a whole number, `{"mood": "good|bad"}` for one of two words.
 */
function shapeOf(value: unknown): Schema {
  if (typeof value === 'string') {
    const choices = value.split('|').map((choice) => choice.trim())
    if (
      choices.length > 1 &&
      choices.every((choice) => /^[\w -]{1,40}$/.test(choice)) &&
      new Set(choices).size === choices.length
    )
      return { enum: choices }
    return typeNames.get(value.toLowerCase().replace(/^<|>$/g, '')) ?? { type: 'string' }
  }
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (Array.isArray(value))
    return { type: 'array', items: value.length === 0 ? { type: 'string' } : shapeOf(value[0]), minItems: 1 }
  if (value === null || typeof value !== 'object') return { type: ['string', 'null'] }
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shapeOf(part)])),
    required: Object.keys(value),
    additionalProperties: false,
  }
}

const numeric = /(?:count|number|age|year|quantity|total|amount|price|score|rating)$/i

function shapeOfKeys(keys: readonly string[]): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      keys.map((key) => [key, { type: numeric.test(key) ? 'integer' : 'string' }]),
    ),
    required: keys,
    additionalProperties: false,
  }
}
