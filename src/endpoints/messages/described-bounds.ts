/**
 * Bounds that SDKs move into the description of a schema, because the service does not support the keywords:
 * `{minItems: 10, pattern: "^a"}` after a blank line (Anthropic), or `min items: 10; max items: 12.` on a
 * separate line (AI SDK). The client still validates the response against them.
 */

type SchemaObject = Readonly<Record<string, unknown>>

/** The supported keywords with the type of their values. */
const bounds: Readonly<Record<string, 'number' | 'string' | 'boolean' | 'object' | 'any'>> = {
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
  minLength: 'number',
  maxLength: 'number',
  pattern: 'string',
  format: 'string',
  minItems: 'number',
  maxItems: 'number',
  uniqueItems: 'boolean',
  prefixItems: 'object',
  default: 'any',
  examples: 'object',
}
/** Other keywords between them. */
const others = 'not propertyNames contentEncoding contentMediaType minProperties maxProperties'.split(' ')

const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
const names = [...Object.keys(bounds), ...others]
const keywordOf = new Map(names.flatMap((name) => [[name, name] as const, [inWords(name), name] as const]))
const braced = new RegExp(`(?:^|, )(${names.join('|')}): `)
const listed = new RegExp(`(?:^|; )(${names.map(inWords).join('|')}): `)

/** The schema with its described bounds as keywords; the same object if it has none. */
export function withDescribedBounds(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const described = typeof schema['description'] === 'string' ? boundsIn(schema['description']) : {}
  return mapped({ ...described, ...schema }, schema, (value, name) => {
    if (isObject(value) && mapsOfSchemas.has(name)) return mapped(value, value, withDescribedBounds)
    if (Array.isArray(value) && listsOfSchemas.has(name)) {
      const list = value.map(withDescribedBounds)
      return list.some((item, index) => item !== value[index]) ? list : value
    }
    return name === 'items' || name === 'additionalProperties' ? withDescribedBounds(value) : value
  })
}

const mapsOfSchemas = new Set(['properties', '$defs', 'definitions'])
const listsOfSchemas = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])

/** The members of an object after `change`; `same` if nothing changed. */
function mapped(
  object: SchemaObject,
  same: SchemaObject,
  change: (value: unknown, name: string) => unknown,
): SchemaObject {
  const members = Object.entries(object).map(([name, value]) => [name, change(value, name)] as const)
  const isSame = members.every(([name, value]) => Object.hasOwn(same, name) && same[name] === value)
  return isSame ? same : Object.fromEntries(members)
}

const isObject = (value: unknown): value is SchemaObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

function boundsIn(description: string): SchemaObject {
  const [, inBraces] = /(?:^|\n\n)\{([^\n]*)\}$/.exec(description) ?? []
  if (inBraces !== undefined) return read(inBraces.split(braced))
  const [, inList] = /(?:^|\n)([^\n]*)\.$/.exec(description) ?? []
  return inList === undefined ? {} : read(inList.split(listed))
}

/** Names and values alternate after the part before the first name, which must be empty. */
function read([before, ...parts]: readonly string[]): SchemaObject {
  const found: Record<string, unknown> = {}
  if (before !== '') return found
  for (let at = 0; at < parts.length; at += 2) {
    const keyword = keywordOf.get(parts[at] as string) as string
    const text = parts[at + 1] as string
    const value = valueIn(text)
    const type = bounds[keyword]
    if (type === 'any' || typeof value === type) found[keyword] = value
    else if (type === 'string') found[keyword] = text
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
