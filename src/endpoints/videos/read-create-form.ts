/** Reads a submission's form into the object that JSON clients send. */
import type { FormField } from '../../protocol/call.ts'

const member = /^input_reference\[(image_url|file_id)\]$/

/**
 * The last value of each name; `input_reference` is a file, a text, or the object that
 * `input_reference[image_url]` and
 * `input_reference[file_id]` write member by member. More than one reference becomes a list, which validation
 * refuses.
 */
export function readCreateForm(fields: readonly FormField[]): Record<string, unknown> {
  const body: Record<string, unknown> = Object.create(null)
  const references: unknown[] = []
  const members: Record<string, string> = {}
  for (const field of fields) {
    const name = member.exec(field.name)?.[1]
    if (name !== undefined && 'value' in field) members[name] = field.value
    else if (field.name === 'input_reference') references.push('file' in field ? field.file : field.value)
    else body[field.name] = 'file' in field ? field.file : field.value
  }
  if (Object.keys(members).length > 0) references.push(members)
  if (references.length > 0) body['input_reference'] = references.length === 1 ? references[0] : references
  return body
}
