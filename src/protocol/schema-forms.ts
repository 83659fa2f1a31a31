/** The forms of a value that a schema allows: alternatives, their fields and items. */
import * as z from 'zod'

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
  // A single file of a form is not a list; several files are.
  if (schema instanceof z.ZodArray)
    return [
      schema,
      ...formsOf(schema.element as z.ZodType).filter(
        (form) => form instanceof z.ZodObject && 'sha256' in form.shape,
      ),
    ]
  return [schema]
}

/** The types of schemas whose values may have any field. */
const anyFields: ReadonlySet<string> = new Set(['any', 'unknown', 'record', 'map', 'custom', 'transform'])

/** The fields of all object forms, each with its schemas; undefined if any field is allowed. */
export function fieldsOf(forms: readonly z.ZodType[]): ReadonlyMap<string, z.ZodType[]> | undefined {
  if (forms.length === 0) return undefined
  const fields = new Map<string, z.ZodType[]>()
  for (const form of forms) {
    if (form instanceof z.ZodObject)
      for (const [name, schema] of Object.entries(form.shape))
        fields.set(name, [...(fields.get(name) ?? []), schema as z.ZodType])
    else if (anyFields.has(form.def.type)) return undefined
  }
  return fields
}

export function itemsOf(forms: readonly z.ZodType[]): z.ZodType[] {
  return forms.flatMap((form) => (form instanceof z.ZodArray ? [form.element as z.ZodType] : []))
}

/** The first part of a path that no form has, with the known names there; undefined if the path exists. */
export function missingPart(
  schemas: readonly z.ZodType[],
  path: readonly string[],
): { readonly name: string; readonly known: readonly string[] } | undefined {
  let forms = schemas.flatMap(formsOf)
  for (const name of path) {
    const fields = fieldsOf(forms)
    if (fields === undefined) return undefined
    const items = /^\d+$/.test(name) ? itemsOf(forms) : []
    const next = fields.get(name) ?? items
    if (next.length === 0) return { name, known: [...fields.keys()] }
    forms = next.flatMap(formsOf)
  }
  return undefined
}

export function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
}
