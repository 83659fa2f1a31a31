/** The uploaded files of a session, found by `path` or by address, whatever API names them. */
import { evictedClause } from '../../engine/sandbox.ts'
import type { HeldBytes, ImageFacts } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { invalid } from '../../protocol/validate.ts'
import { fieldPath, show } from '../../protocol/wording.ts'
import { type FileName, readReference, storagePath } from './file-url.ts'
import { usableImage } from './image-file.ts'

type UploadContext = Pick<Context, 'sandbox' | 'settings'>

export interface UploadedFile extends FileName {
  /** The media type as sent, with its parameters. */
  readonly type: string
  readonly bytes: HeldBytes
  /** Virtual milliseconds since the epoch. */
  readonly uploadedAt: number
}

/**
 * Stores a file, replacing an earlier one of its name. What the session has kept longest makes room.
 */
export function keepUpload(file: UploadedFile, { sandbox }: Pick<Context, 'sandbox'>): void {
  sandbox.uploads.set(nameOf(file), file, file.bytes.size)
}

/** The file of a name. */
export function getUpload(name: FileName, { sandbox }: Pick<Context, 'sandbox'>): UploadedFile | undefined {
  return sandbox.uploads.get(nameOf(name)) as UploadedFile | undefined
}

/**
 * The file of a reference in another API: its `path` (`cos://a/b.png`) or `visit_url`. A
 * string is an error message without full stop; undefined means that the reference is not to an upload.
 */
export function findUpload(reference: string, context: UploadContext): UploadedFile | string | undefined {
  const { sandbox, settings } = context
  const name = readReference(reference, sandbox, settings)
  if (name === undefined) return undefined
  if (name.foreign) return `the URL ${show(reference)} does not belong to the session "${sandbox.name}"`
  return getUpload(name, context) ?? missingFileMessage(name, context)
}

/**
 * The target of an image reference: an upload, something else, or an unusable file.
 */
export type NamedImage =
  | { readonly kind: 'uploaded'; readonly image: ImageFacts; readonly file: UploadedFile }
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'wrong'; readonly problem: string }

/**
 * The image of a reference (`path` or URL) in another API. `problem` is a sentence without full stop.
 */
export function namedImage(reference: string, context: Context): NamedImage {
  const found = findUpload(reference, context)
  if (found === undefined) return { kind: 'elsewhere' }
  if (typeof found === 'string') return { kind: 'wrong', problem: found }
  const got = `the uploaded file ${show(reference)} (${found.type}, ${found.bytes.size} bytes)`
  const image = usableImage('an image', got, found.bytes)
  if (typeof image === 'string') return { kind: 'wrong', problem: image }
  return { kind: 'uploaded', image, file: found }
}

/** The message for a missing file, without full stop. */
export function missingFileMessage(name: FileName, { sandbox }: UploadContext): string {
  return (
    `the session "${sandbox.name}" has no file ${show(storagePath(name))}: get a URL from POST ` +
    `/v1/files/upload_url and upload the file to this URL${evictedClause(sandbox)}`
  )
}

const nameOf = ({ scheme, key }: FileName): string => `${scheme} ${key}`

/** Sources of images other than uploads. */
interface Elsewhere {
  readonly fits: RegExp
  /** What a text must be, in words: `expected …`. */
  readonly expected: string
}

/**
 * The uploaded file; undefined for an image elsewhere. Throws 400 for a name without a file, a file that is
 * no image, and what names nothing at all.
 */
export function imageInRequest(
  name: string,
  field: readonly PropertyKey[],
  elsewhere: Elsewhere,
  context: Context,
): UploadedFile | undefined {
  const named = namedImage(name, context)
  if (named.kind === 'uploaded') return named.file
  if (named.kind === 'elsewhere' && elsewhere.fits.test(name)) return undefined
  const message = named.kind === 'wrong' ? named.problem : `${elsewhere.expected}, got ${show(name)}`
  throw invalid([{ field: fieldPath(field), message }], undefined)
}
