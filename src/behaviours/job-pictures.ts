/**
 * What image jobs keep of their pictures, and which of these can be read: for every API that names one by its
 * address.
 */
import type { PictureFacts } from './image-series.ts'

/** The store's name for image jobs. */
export const imageJobKind = 'imageJob'

/** The status of a job that has its pictures (contract section 3). */
export const succeeded = 2

/** What never changes about a job's pictures. */
export interface JobPictureFacts extends PictureFacts {
  /** Pictures that the audit blocks, 0-based. */
  readonly blocked: readonly number[]
  /**
   * The tag of the session, when the id has been given and does not carry it: the addresses of the pictures
   * then do.
   */
  readonly tag?: string
}

/** Which picture of a job the last part of an address means; undefined when there is none of that name. */
export function pictureIndex(image: string, { pictures, tag }: JobPictureFacts): number | undefined {
  return Array.from({ length: pictures.count }, (_, place) => place).find(
    (place) => `${tag === undefined ? '' : `${tag}-`}${place}.png` === image,
  )
}

/**
 * Whether a picture can be read in a state of its job: of one that has succeeded, unless the audit, or a
 * script in its place, blocks it.
 */
export function isReadable(
  { blocked }: JobPictureFacts,
  index: number,
  state: Readonly<Record<string, unknown>>,
): boolean {
  if (state['status'] !== succeeded) return false
  const audits = state['audits'] as readonly string[] | null | undefined
  return audits === undefined ? !blocked.includes(index) : (audits?.[index] ?? '') === ''
}
