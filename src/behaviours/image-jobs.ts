/**
 * The part of image jobs that other APIs need to resolve image URLs: the statuses of jobs, their stored
 * images, and which of these can be read.
 */
import type { ImageSeriesFacts } from './image-series.ts'

/** The store's name for image jobs. */
export const imageJobKind = 'imageJob'

/** The statuses of jobs. Only scenarios use `waiting`. */
export const waiting = 0
export const running = 1
export const succeeded = 2
export const failed = 3

/** The constant facts of a job's images. */
export interface JobImageFacts extends ImageSeriesFacts {
  /** Images that the audit blocks, 0-based. */
  readonly blocked: readonly number[]
  /** The tag of the session, if a given id does not contain it: then the image URLs do. */
  readonly tag?: string
}

/** The index of the image in the last part of a URL, or undefined. */
export function imageIndex(
  name: string,
  { images, tag }: Pick<JobImageFacts, 'images' | 'tag'>,
): number | undefined {
  return Array.from({ length: images.count }, (_, place) => place).find(
    (place) => `${tag === undefined ? '' : `${tag}-`}${place}.${images.format}` === name,
  )
}

/** Whether an image can be read: its job has succeeded, and neither the audit nor a script blocks it. */
export function isReadable(
  { blocked }: JobImageFacts,
  index: number,
  state: Readonly<Record<string, unknown>>,
): boolean {
  if (state['status'] !== succeeded) return false
  const audits = state['audits'] as readonly string[] | null | undefined
  return audits === undefined ? !blocked.includes(index) : (audits?.[index] ?? '') === ''
}
