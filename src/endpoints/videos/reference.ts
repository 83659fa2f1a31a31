/**
 * The image that a video begins with: how a submission sends it, and how the session keeps it. Nothing is
 * fetched.
 */
import type * as z from 'zod'
import { sourceOfFile, storeSource } from '../../behaviours/image-series.ts'
import { type ResolvedSource, sourceAt, sourceInText } from '../../behaviours/source-address.ts'
import type { FilePart, FormField } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { createBody } from './schema.ts'

/** The files of a submission's form that appear in the video. */
export function filesToStore(fields: readonly FormField[]): readonly FilePart[] {
  return fields.flatMap((field) => (field.name === 'input_reference' && 'file' in field ? [field.file] : []))
}

/** The referenced image, which `named-reference.ts` has checked. Undefined when there is none. */
export function resolveReference(
  reference: z.output<typeof createBody>['input_reference'],
  context: Context,
  now: number,
): Omit<ResolvedSource, 'size'> | undefined {
  if (reference == null) return undefined
  if (typeof reference === 'string') return resolveName(reference, context, now)
  if ('sha256' in reference) {
    const file = reference as FilePart
    return { source: storeSource(sourceOfFile(file), context.world), identity: file.sha256 }
  }
  return resolveName(String(reference['image_url'] ?? reference['file_id']), context, now)
}

function resolveName(name: string, context: Context, now: number): ResolvedSource {
  const inText = /^data:[^,]*,/.exec(name)
  return inText === null
    ? sourceAt(name, context, now)
    : sourceInText(name.slice(inText[0].length), 'a picture in the request', context)
}
