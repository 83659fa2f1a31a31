/** A zod schema as JSON Schema 2020-12 of the wire format. Rules that JSON Schema lacks become sentences. */
import * as z from 'zod'

/** A JSON Schema, or a part of a document. */
export interface Schema {
  [keyword: string]: unknown
}

/** The JSON Schema of a zod schema's input. `unstated` lists rules without a keyword or a sentence. */
export function jsonSchemaOf(schema: z.ZodType, unstated: string[] = []): Schema {
  // The input of the schema is the wire format, both in requests and in responses.
  const silent = new Set<string>()
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema, path }) => complete(zodSchema, jsonSchema, path.join('/'), silent),
  })
  unstated.push(...silent)
  return plain(made) as Schema
}

const bound = Number.MAX_SAFE_INTEGER

function complete(schema: z.core.$ZodTypes, json: Schema, path: string, silent: Set<string>): void {
  // zod gives every integer these bounds; they are not in the contract.
  if (json['minimum'] === -bound) delete json['minimum']
  if (json['maximum'] === bound) delete json['maximum']
  // zod adds a format to a pattern with the same meaning.
  if (json['format'] === 'starts_with') delete json['format']
  if (json['format'] === 'date-time') delete json['pattern']
  if (isSchema(json['propertyNames']) && JSON.stringify(json['propertyNames']) === '{"type":"string"}')
    delete json['propertyNames']
  // Unknown fields are allowed, which is the default of JSON Schema.
  if (
    isSchema(json['additionalProperties']) &&
    Object.keys(json['additionalProperties']).length === 0 &&
    json['properties'] !== undefined
  )
    delete json['additionalProperties']
  for (const rule of rulesOf(schema)) {
    if (rule === undefined) {
      // zod visits a schema without its description first.
      if (json['description'] === undefined && json['anyOf'] === undefined) silent.add(path)
      else silent.delete(path)
    } else if (!String(json['description'] ?? '').includes(rule)) {
      json['description'] =
        json['description'] === undefined ? rule : `${String(json['description'])} ${rule}`
    }
  }
}

/** The rules that are functions, by their error message; undefined if the message depends on the value. */
function rulesOf(schema: z.core.$ZodTypes): (string | undefined)[] {
  return (schema._zod.def.checks ?? []).flatMap((check) => {
    const {
      check: kind,
      error,
      path,
    } = check._zod.def as {
      readonly check: string
      readonly error?: z.core.$ZodErrorMap<never>
      readonly path?: readonly PropertyKey[]
    }
    if (kind !== 'custom') return []
    const words = error === undefined ? undefined : wordsOf(error)
    if (words === undefined) return [undefined]
    return [sentence(words, path ?? [])]
  })
}

// Some messages quote the value received. It must exist to build the message, and is cut off afterwards.
const inputs: readonly unknown[] = ['', {}, []]

function wordsOf(error: z.core.$ZodErrorMap<never>): string | undefined {
  for (const input of inputs) {
    try {
      const said = error({ code: 'custom', input, path: [], message: '' } as never)
      const text = typeof said === 'string' ? said : said?.message
      return text?.replace(/, got (?:\S*|an? [^:]*)$/, '')
    } catch {}
  }
  return undefined
}

function sentence(words: string, path: readonly PropertyKey[]): string {
  const text =
    path.length > 0
      ? `\`${path.join('.')}\`: ${words}`
      : words.startsWith('expected ')
        ? `Expected: ${words.slice('expected '.length)}`
        : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The same schema with nested alternatives merged, and `null` as a second type where possible. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isSchema(value)) return value
  const schema: Schema = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'enum' || name === 'const' || name === 'default' ? inner : plain(inner),
    ]),
  )
  if (!Array.isArray(schema['anyOf'])) return schema
  const alternatives = (schema['anyOf'] as Schema[]).flatMap((inner) =>
    Object.keys(inner).length === 1 && Array.isArray(inner['anyOf']) ? (inner['anyOf'] as Schema[]) : [inner],
  )
  const [first, second] = alternatives
  if (alternatives.length === 2 && first !== undefined && second?.['type'] === 'null' && isScalar(first)) {
    const { anyOf: _, ...outer } = schema
    return { ...first, ...outer, type: [first['type'], 'null'] }
  }
  return { ...schema, anyOf: alternatives }
}

function isScalar(schema: Schema): boolean {
  return (
    ['string', 'number', 'integer', 'boolean'].includes(schema['type'] as string) &&
    schema['enum'] === undefined &&
    schema['const'] === undefined
  )
}

/** Whether a value is a schema object (not `true`, an array or a string). */
export function isSchema(value: unknown): value is Schema {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
