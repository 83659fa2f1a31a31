/**
 * Bounds that SDKs move into the description of a schema, because the service does not support the keywords:
 * `{minItems: 10, pattern: "^a"}` (Anthropic), or `min items: 10; max items: 12.` (AI SDK), on the last line.
 * The client still validates the response against them.
 */
import { isFields } from '../../engine/fields.ts'

const bounds = (
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format ' +
  'minItems maxItems uniqueItems prefixItems default examples'
).split(' ')
/** Other keywords between them. */
const others = 'not propertyNames contentEncoding contentMediaType minProperties maxProperties'.split(' ')

const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
const keywordOf = new Map(
  [...bounds, ...others].flatMap((name) => [[name, name] as const, [inWords(name), name] as const]),
)
const separator = new RegExp(`(?:^|[,;] )(${[...keywordOf.keys()].join('|')}): `)

/** The schema with its described bounds as keywords. */
export function withDescribedBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withDescribedBounds)
  if (!isFields(schema)) return schema
  const { description } = schema
  const members = Object.entries(schema).map(([name, value]) => [name, withDescribedBounds(value)] as const)
  return {
    ...(typeof description === 'string' ? boundsIn(description) : {}),
    ...Object.fromEntries(members),
  }
}

/** Names and values alternate after the part before the first name, which must be empty. */
function boundsIn(description: string): Record<string, unknown> {
  const [, braced, listed = ''] = /(?:^|\n)(?:\{([^\n]*)\}|([^\n]*)\.)$/.exec(description) ?? []
  const [before, ...parts] = (braced ?? listed).split(separator)
  const found: Record<string, unknown> = {}
  if (before !== '') return found
  for (let at = 0; at < parts.length; at += 2) {
    const keyword = keywordOf.get(parts[at] as string) as string
    if (bounds.includes(keyword)) found[keyword] = valueIn(parts[at + 1] as string)
  }
  return found
}

// Strings have quotes in one notation only.
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
