/** The shape of JSON that a text describes in words or by example, as a JSON Schema. Knows nothing of requests. */

type Schema = Readonly<Record<string, unknown>>

/** The schema of the object a text asks for: written out, shown by an example, or as a list of keys. Undefined when it does not say. */
export function describedShape(text: string): Schema | undefined {
  let example: Schema | undefined
  for (const object of objectsIn(text)) {
    if (isSchema(object)) return object
    example ??= Object.keys(object).length > 0 ? shapeOf(object) : undefined
  }
  return example ?? shapeOfKeys(keysIn(text))
}

/** JSON objects in a text, outermost ones, in order. */
export function* objectsIn(text: string): Generator<Schema> {
  let tries = 0
  for (let at = text.indexOf('{'); at >= 0 && tries < mostTries; tries++) {
    const end = closingBrace(text, at)
    const object = end < 0 ? undefined : parsed(text.slice(at, end + 1))
    if (object !== undefined) yield object
    at = text.indexOf('{', object === undefined ? at + 1 : end + 1)
  }
}

// Every brace may begin an object, and looking for its end reads on: both are bounded.
const mostTries = 40
const longest = 100_000

function closingBrace(text: string, from: number): number {
  let depth = 0
  let quoted = false
  const last = Math.min(text.length, from + longest)
  for (let at = from; at < last; at++) {
    const letter = text[at]
    if (quoted) {
      if (letter === '\\') at++
      else if (letter === '"') quoted = false
    } else if (letter === '"') quoted = true
    else if (letter === '{') depth++
    else if (letter === '}' && --depth === 0) return at
  }
  return -1
}

function parsed(text: string): Schema | undefined {
  try {
    return JSON.parse(text) as Schema
  } catch {
    return undefined
  }
}

function isSchema(object: Schema): boolean {
  const { type, properties } = object
  return (properties !== null && typeof properties === 'object') || type === 'object' || type === 'array' || ['$ref', 'anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in object)
}

const typeNames: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  text: { type: 'string' },
  number: { type: 'number' },
  float: { type: 'number' },
  int: { type: 'integer' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  bool: { type: 'boolean' },
}

/** The shape of an example: `{"age": 0}` asks for a whole number, `{"mood": "good|bad"}` for one of two words. */
function shapeOf(value: unknown): Schema {
  if (typeof value === 'string') {
    const choices = value.split('|').map((choice) => choice.trim())
    if (choices.length > 1 && choices.every((choice) => /^[\w -]{1,40}$/.test(choice)) && new Set(choices).size === choices.length) return { enum: choices }
    return typeNames[value.toLowerCase().replace(/^<|>$/g, '')] ?? { type: 'string' }
  }
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (Array.isArray(value)) return { type: 'array', items: value.length === 0 ? { type: 'string' } : shapeOf(value[0]), minItems: 1 }
  if (value === null || typeof value !== 'object') return { type: ['string', 'null'] }
  return { type: 'object', properties: Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shapeOf(part)])), required: Object.keys(value), additionalProperties: false }
}

const numeric = /(?:count|number|age|year|quantity|total|amount|price|score|rating)$/i

function shapeOfKeys(keys: readonly string[]): Schema | undefined {
  if (keys.length === 0) return undefined
  return { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, { type: numeric.test(key) ? 'integer' : 'string' }])), required: keys, additionalProperties: false }
}

/** The keys in `with the keys "name" and "age"`. */
function keysIn(text: string): string[] {
  const list = /\b(?:keys?|fields?|properties|property|attributes?)\b[^."'`\n]{0,30}((?:["'`][\w-]{1,40}["'`](?:\s*\([^)\n]{0,40}\))?(?:,? and |, | or )?){1,40})/i.exec(text.slice(-4000))?.[1] ?? ''
  return [...new Set([...list.matchAll(/["'`]([\w-]{1,40})["'`]/g)].map(([, key]) => key as string))].filter((key) => key !== '__proto__')
}
