/** A file of a form as validation sees it: facts only, no bytes. */
import * as z from 'zod'

export const filePart = z.object({
  filename: z.string(),
  type: z.string(),
  size: z.number(),
  sha256: z.string(),
  image: z
    .object({
      format: z.enum(['png', 'jpeg', 'webp', 'gif']),
      width: z.number(),
      height: z.number(),
      hasTransparency: z.boolean(),
      pixels: z.enum(['transparent', 'opaque', 'unseen']).optional(),
      damage: z.string().optional(),
    })
    .optional(),
  content: z.unknown().optional(),
})

/** A file in a few words: its name (or the `path` of an upload), the type it was sent as, and its size. */
export function describeFile({
  filename,
  type,
  size,
  path,
}: {
  readonly filename: string
  readonly type: string
  readonly size: number
  readonly path?: string
}): string {
  const given = path ?? filename
  const name = given.length > 60 ? `${given.slice(0, 59)}…` : given
  return `${JSON.stringify(name)} (${type === '' ? 'no type' : type.slice(0, 60)}, ${size} bytes)`
}
