/** Pictures as one body (contract 2.8, wire-formats section 4). */

import {
  describeImage,
  type ImageSeriesFacts,
  imagesKind,
  storeSources,
} from '../../behaviours/image-series.ts'
import { freshId } from '../../behaviours/jobs/job.ts'
import { mintId } from '../../engine/ids.ts'
import type { World } from '../../engine/world.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { json, mediaMark, originMark, type Reply } from '../../protocol/reply.ts'
import type { ImageOrder } from './order.ts'
import { revisedPrompt } from './revised-prompt.ts'
import type { ImageRequest } from './schema.ts'
import type { ImageUsage } from './usage.ts'

/** The reply of A: always base64, and facts about the images. `shown` has their indexes, in order. */
export function newestReply(
  { size, quality, images }: ImageOrder,
  shown: readonly number[],
  usage: ImageUsage,
  now: number,
  world: World,
): Reply {
  const value = {
    created: unixSeconds(now),
    background: images.transparent ? 'transparent' : 'opaque',
    output_format: images.format,
    quality,
    size,
    data: shown.map(() => ({ b64_json: mediaMark })),
    usage,
  }
  return json(value, { media: shown.map((index) => describeImage(images, index, world)) })
}

/** The reply of B and C: addresses or base64, and of C the prompt that was drawn. */
export function plainReply(
  request: ImageRequest,
  { model, images }: ImageOrder,
  shown: readonly number[],
  call: Pick<Call, 'key' | 'identity' | 'content' | 'now'>,
  { world }: Context,
): Reply {
  const revised =
    model.kind === 'c'
      ? { revised_prompt: revisedPrompt(request.prompt, request.style ?? 'vivid', call.content) }
      : {}
  const created = unixSeconds(call.now)
  if (request.response_format === 'b64_json') {
    return json(
      { created, data: shown.map(() => ({ ...revised, b64_json: mediaMark })) },
      { media: shown.map((index) => describeImage(images, index, world)) },
    )
  }
  const id = freshId(imagesKind, world, call.identity, (identity) => mintId('img_', world.tag, identity))
  const { from } = images
  // Read again later: the sources of the images must outlive the call.
  const kept = from === undefined ? images : { ...images, from: storeSources(from, world) }
  world.store.add<ImageSeriesFacts>({
    kind: imagesKind,
    id,
    owner: call.key.value,
    bornAt: call.now,
    facts: { images: { ...kept, count: Math.max(...shown) + 1 } },
    timeline: [],
  })
  return json(
    {
      created,
      data: shown.map((index) => ({
        ...revised,
        url: `${originMark}/media/images/${id}/${index}.${images.format}`,
      })),
    },
    { links: true },
  )
}

const unixSeconds = (ms: number): number => Math.floor(ms / 1000)
