/**
 * Writes JSON Schema as TypeScript. Supports the parts of JSON Schema that our own schemas use, and throws
 * for others.
 */

/** The keywords of JSON Schema that our own schemas use. */
export interface TypedSchema {
  readonly $defs?: Readonly<Record<string, TypedSchema>>
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly TypedSchema[]
  readonly oneOf?: readonly TypedSchema[]
  readonly items?: TypedSchema
  readonly properties?: Readonly<Record<string, TypedSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: TypedSchema | boolean
  readonly propertyNames?: TypedSchema
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly examples?: readonly unknown[]
}

/** The style of the types: with `readonly`, constants (`as const`) can be passed too. */
export interface TypeStyle {
  readonly readonly: boolean
}

/** Keywords that do not restrict a type: a schema with no others is `unknown`. */
const silent: ReadonlySet<string> = new Set(['description', 'default', 'examples', 'title'])

/**
 * The type of a schema; objects are written over several lines, indented by `indent`. Throws for keywords
 * that it does not support.
 */
export function typeOf(schema: TypedSchema, style: TypeStyle, indent = ''): string {
  const either = schema.anyOf ?? schema.oneOf
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (either !== undefined)
    return [...new Set(either.map((option) => typeOf(option, style, indent)))].join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (Array.isArray(schema.type))
    return schema.type.map((type: string) => typeOf({ ...schema, type }, style, indent)).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
      return 'number'
    case 'array': {
      const item = typeOf(schema.items as TypedSchema, style, indent)
      return `${style.readonly ? 'readonly ' : ''}${item.includes(' ') ? `(${item})[]` : `${item}[]`}`
    }
    case 'object':
      return schema.properties === undefined
        ? mapOf(schema, style, indent)
        : fieldsOf(schema, style, `${indent}  `)
    default:
      if (schema.type === undefined && Object.keys(schema).every((keyword) => silent.has(keyword)))
        return 'unknown'
      throw new Error(`no TypeScript for ${JSON.stringify(schema)}`)
  }
}

/** A schema as a type of that name, which others can import. */
export function declared(name: string, schema: TypedSchema): string {
  const comment = schema.description === undefined ? '' : `/** ${schema.description} */\n`
  const kind = schema.properties === undefined ? `type ${name} =` : `interface ${name}`
  return `${comment}export ${kind} ${typeOf(schema, { readonly: true })}\n`
}

// An index signature may refer to the type that contains it; `Record` may not.
function mapOf(
  { additionalProperties = {}, propertyNames }: TypedSchema,
  style: TypeStyle,
  indent: string,
): string {
  const value = typeOf(
    additionalProperties === true ? {} : (additionalProperties as TypedSchema),
    style,
    indent,
  )
  const names = propertyNames?.enum?.map(literal).join(' | ')
  if (names !== undefined) return `{ readonly [Name in ${names}]?: ${value} }`
  return style.readonly ? `{ readonly [name: string]: ${value} }` : `Record<string, ${value}>`
}

function fieldsOf({ properties = {}, required = [] }: TypedSchema, style: TypeStyle, indent: string): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const byDefault =
      schema.default === undefined || typeof schema.default === 'object'
        ? ''
        : ` Default: ${String(schema.default)}.`
    const isTimestamp = [schema, ...(schema.anyOf ?? [])].some(({ format }) => format === 'date-time')
    const comment =
      schema.description === undefined
        ? ''
        : `${indent}/** ${schema.description}${isTimestamp ? ' ISO 8601.' : ''}${byDefault} */\n`
    const type = typeOf(schema, style, indent)
    const key = `${style.readonly ? 'readonly ' : ''}${/^[\w$]+$/.test(name) ? name : `'${name}'`}`
    const optional = type === 'unknown' ? '?: unknown' : `?: ${type} | undefined`
    return `${comment}${indent}${key}${required.includes(name) ? `: ${type}` : optional}\n`
  })
  return `{\n${lines.join('')}${indent.slice(2)}}`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

/** The name of the definition that a reference points to. */
function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}
