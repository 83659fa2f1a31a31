/** What a value can be, as its schema says it: the alternatives, their fields and their items. */
import * as z from 'zod'

/** How the shape will be compared. */
export interface Compared {
  /**
   * Whether the values are texts even where they look like numbers (forms, queries, headers); the default for
   * requests.
   */
  readonly texts?: boolean
  /**
   * What it is compared with; a request by default. Values of a reply have their JSON types, and it may have
   * fields that the contract leaves open.
   */
  readonly held?: 'request' | 'reply'
}

/** The fields that some object form has, each with its schemas; undefined when anything may be there. */
export function fieldsOf(
  forms: readonly z.ZodType[],
  held?: Compared['held'],
): ReadonlyMap<string, z.ZodType[]> | undefined {
  if (forms.length === 0) return undefined
  const fields = new Map<string, z.ZodType[]>()
  for (const form of forms) {
    if (
      held === 'reply' &&
      form instanceof z.ZodObject &&
      form.def.catchall !== undefined &&
      !(form.def.catchall instanceof z.ZodNever)
    )
      return undefined
    if (form instanceof z.ZodObject)
      for (const [name, schema] of Object.entries(form.shape))
        fields.set(name, [...(fields.get(name) ?? []), schema as z.ZodType])
    else if (!isScalar(form) && !(form instanceof z.ZodArray)) return undefined
  }
  return fields
}

export function itemsOf(forms: readonly z.ZodType[]): z.ZodType[] {
  return forms.flatMap((form) => (form instanceof z.ZodArray ? [form.element as z.ZodType] : []))
}

/** The alternatives of a schema, without optional, nullable and other wrappers. */
export function formsOf(schema: z.ZodType): z.ZodType[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodLazy ||
    schema instanceof z.ZodReadonly
  )
    return formsOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodPipe)
    return formsOf((schema.in instanceof z.ZodTransform ? schema.out : schema.in) as z.ZodType)
  if (schema instanceof z.ZodUnion) return (schema.options as readonly z.ZodType[]).flatMap(formsOf)
  if (schema instanceof z.ZodIntersection)
    return [...formsOf(schema.def.left as z.ZodType), ...formsOf(schema.def.right as z.ZodType)]
  // A single file of a form is not a list, several are.
  if (schema instanceof z.ZodArray)
    return [
      schema,
      ...formsOf(schema.element as z.ZodType).filter(
        (form) => form instanceof z.ZodObject && 'sha256' in form.shape,
      ),
    ]
  return [schema]
}

export function isScalar(form: z.ZodType): boolean {
  return (
    form instanceof z.ZodString ||
    form instanceof z.ZodNumber ||
    form instanceof z.ZodBoolean ||
    form instanceof z.ZodEnum ||
    form instanceof z.ZodLiteral ||
    form instanceof z.ZodNull ||
    form instanceof z.ZodStringFormat ||
    form instanceof z.ZodNumberFormat
  )
}
