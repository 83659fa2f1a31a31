/**
 * What every API needs of image jobs that names an image by its address: the statuses of jobs, what they keep
 * of their images, and which of these can be read.
 */
import type { HeldBytes } from '../protocol/call.ts'
import type { ImageSeriesFacts } from './image-series.ts'

/** The store's name for image jobs. */
export const imageJobKind = 'imageJob'

/** The statuses of jobs (contract section 3). Only scenarios have a job wait. */
export const waiting = 0
export const running = 1
export const succeeded = 2
export const failed = 3

/** What never changes about a job's images. */
export interface JobImageFacts extends ImageSeriesFacts {
  /** Images that the audit blocks, 0-based. */
  readonly blocked: readonly number[]
  /**
   * The tag of the session, when the id was given and does not carry it: the addresses of the images do then.
   */
  readonly tag?: string
  /** The files of the images, where a scenario gives them; the last one stands for all further ones. */
  readonly contents?: readonly HeldBytes[] | undefined
}

/** The file of an image (0-based), where a scenario gives one. */
export function givenContent(
  contents: readonly HeldBytes[] | undefined,
  index: number,
): HeldBytes | undefined {
  return contents?.[Math.min(index, contents.length - 1)]
}

/** Which image the last part of an address names; undefined when there is none of that name. */
export function imageIndex(
  name: string,
  { images, tag }: Pick<JobImageFacts, 'images' | 'tag'>,
): number | undefined {
  return Array.from({ length: images.count }, (_, place) => place).find(
    (place) => `${tag === undefined ? '' : `${tag}-`}${place}.${images.format}` === name,
  )
}

/**
 * Whether an image can be read in a state of its job: of one that has succeeded, unless the audit, or a
 * script in its place, blocks it.
 */
export function isReadable(
  { blocked }: JobImageFacts,
  index: number,
  state: Readonly<Record<string, unknown>>,
): boolean {
  if (state['status'] !== succeeded) return false
  const audits = state['audits'] as readonly string[] | null | undefined
  return audits === undefined ? !blocked.includes(index) : (audits?.[index] ?? '') === ''
}
