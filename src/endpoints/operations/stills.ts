/** The images that a submission names for the start and end of its videos. Nothing is fetched. */

import type * as z from 'zod'
import type { SourceRef } from '../../behaviours/image-series.ts'
import { sourceAt, sourceInText } from '../../behaviours/source-address.ts'
import { pictureInRequest } from '../../behaviours/uploads/upload.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { asText } from '../../protocol/wording.ts'
import { type picture, pictureElsewhere, type SubmitBody } from './schema.ts'

/** What the first and the last second show. */
export interface Stills {
  readonly first?: SourceRef
  readonly last?: SourceRef
  readonly fit: 'contain' | 'cover'
}

/**
 * `image`, or else the first of `referenceImages`, for the start; `lastFrame` for the end. Undefined without
 * any.
 */
export function stillsIn(
  { instances: [instance], parameters }: SubmitBody,
  context: Context,
  now: number,
): Stills | undefined {
  const [first, last] = [instance?.image ?? instance?.referenceImages?.[0]?.image, instance?.lastFrame]
  if (first === undefined && last === undefined) return undefined
  return {
    ...(first === undefined ? {} : { first: sourceOf(first, context, now) }),
    ...(last === undefined ? {} : { last: sourceOf(last, context, now) }),
    fit: parameters?.resizeMode?.toLowerCase() === 'crop' ? 'cover' : 'contain',
  }
}

function sourceOf(named: z.output<typeof picture>, context: Context, now: number): SourceRef {
  return typeof named['bytesBase64Encoded'] === 'string'
    ? sourceInText(named['bytesBase64Encoded'], 'a picture in the request', context).source
    : sourceAt(asText(named['gcsUri']), context, now).source
}

/** Throws 400 for a picture that is named and cannot be used. */
export function checkPictures({ instances }: SubmitBody, context: Context): void {
  for (const [index, instance] of instances.entries()) {
    const { image, lastFrame, referenceImages = [] } = instance
    const here = ['instances', index]
    checkPicture(image, [...here, 'image'], context)
    checkPicture(lastFrame, [...here, 'lastFrame'], context)
    for (const [place, { image: reference }] of referenceImages.entries())
      checkPicture(reference, [...here, 'referenceImages', place, 'image'], context)
  }
}

function checkPicture(
  named: z.output<typeof picture> | undefined,
  field: readonly PropertyKey[],
  context: Context,
): void {
  if (named !== undefined && typeof named['bytesBase64Encoded'] !== 'string')
    pictureInRequest(asText(named['gcsUri']), [...field, 'gcsUri'], pictureElsewhere, context)
}
