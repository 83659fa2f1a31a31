/** The form of an edit as one object. */
import type { FilePart, FormField, Payload } from '../../protocol/call.ts'

// `image`, `image[]`, `image[0]`, `image.0`, `image.0.items` (contract 4.5; wire-formats 0, point 7).
const imageName = /^image(?:\[\]|\[(\d{1,6})\]|\.(\d{1,6}))?(?:\.items)?$/
const numbers: ReadonlySet<string> = new Set(['n', 'partial_images', 'output_compression'])

/**
 * The images as a list, ordered by their numbers if they have some, else as in the form; of every other
 * name the last value. All form values are text: numbers and booleans are converted where the schema
 * expects them.
 */
export function readEditForm(fields: readonly FormField[]): Record<string, unknown> {
  const body: Record<string, unknown> = Object.create(null)
  for (const field of fields) {
    if (imageName.test(field.name)) continue
    body[field.name] = 'file' in field ? field.file : scalar(field.name, field.value)
  }
  const images = imagesIn(fields)
  if (images.length > 0) body['image'] = images.map((field) => ('file' in field ? field.file : field.value))
  return body
}

/** The files whose pixels matter: the mask, or the first picture when it is its own mask. */
export function filesToInspect(fields: readonly FormField[]): readonly FilePart[] {
  const wanted = fieldToInspect(fields)
  return wanted !== undefined && 'file' in wanted ? [wanted.file] : []
}

/** The same, of files that were uploaded before: their names. */
export function uploadsToInspect(payload: Payload): readonly string[] {
  const wanted = payload.kind === 'form' ? fieldToInspect(payload.fields) : undefined
  return wanted !== undefined && 'value' in wanted ? [wanted.value] : []
}

const fieldToInspect = (fields: readonly FormField[]): FormField | undefined =>
  fields.findLast((field) => field.name === 'mask') ?? imagesIn(fields)[0]

/** The files that are drawn from: the first picture and the mask. */
export function filesToStore(fields: readonly FormField[]): readonly FilePart[] {
  return [imagesIn(fields)[0], fields.findLast((field) => field.name === 'mask')].flatMap((field) =>
    field !== undefined && 'file' in field ? [field.file] : [],
  )
}

function imagesIn(fields: readonly FormField[]): FormField[] {
  const found = fields.flatMap((field) => {
    const match = imageName.exec(field.name)
    return match === null ? [] : [{ field, number: Number(match[1] ?? match[2] ?? -1) }]
  })
  return found.sort((a, b) => a.number - b.number).map(({ field }) => field)
}

function scalar(name: string, value: string): unknown {
  if (numbers.has(name) && /^\s*-?\d{1,15}\s*$/.test(value)) return Number(value)
  if (name === 'stream' && /^(?:true|false)$/i.test(value.trim()))
    return value.trim().toLowerCase() === 'true'
  return value
}
