/** Pictures as one body (contract 2.8, wire-formats section 4). Knows nothing of streams. */
import { mintId } from '../../engine/ids.ts'
import { freshId } from '../../behaviours/job.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { json, mediaMark, originMark, type Reply } from '../../protocol/reply.ts'
import { pictureOf, type Order, type Pictures } from './order.ts'
import { revisedPrompt } from './revised-prompt.ts'
import type { ImageRequest } from './schema.ts'
import type { Usage } from './usage.ts'

/** The store's name for pictures that are read by address. */
export const picturesKind = 'images'

/** The reply of A: base64 always, and what the pictures are. `shown` are the places of the pictures, in order. */
export function newestReply({ size, quality, pictures }: Order, shown: readonly number[], usage: Usage, now: number): Reply {
  const value = {
    created: unixSeconds(now),
    background: pictures.transparent ? 'transparent' : 'opaque',
    output_format: pictures.format,
    quality,
    size,
    data: shown.map(() => ({ b64_json: mediaMark })),
    usage,
  }
  return json(value, { media: shown.map((index) => pictureOf(pictures, index)) })
}

/** The reply of B and C: addresses or base64, and of C the prompt that was drawn. */
export function plainReply(request: ImageRequest, { model, pictures }: Order, shown: readonly number[], call: Pick<Call, 'key' | 'identity' | 'content' | 'now'>, { world }: Context): Reply {
  const revised = model.kind === 'c' ? { revised_prompt: revisedPrompt(request.prompt, request.style ?? 'vivid', call.content) } : {}
  const created = unixSeconds(call.now)
  if (request.response_format === 'b64_json') {
    return json({ created, data: shown.map(() => ({ ...revised, b64_json: mediaMark })) }, { media: shown.map((index) => pictureOf(pictures, index)) })
  }
  const id = freshId(picturesKind, world, call.identity, (identity) => mintId('img_', world.tag, identity))
  world.store.add<Pictures>({ kind: picturesKind, id, owner: call.key.value, bornAt: call.now, facts: { ...pictures, count: Math.max(...shown) + 1 }, timeline: [] })
  return json({ created, data: shown.map((index) => ({ ...revised, url: `${originMark}/media/images/${id}/${index}.${pictures.format}` })) }, { links: true })
}

const unixSeconds = (ms: number): number => Math.floor(ms / 1000)
