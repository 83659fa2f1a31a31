/** What both operations do once a request has met every rule: draw, count, reply. Knows no rule itself. */
import { tokensOf } from '../../behaviours/tokens.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { Reply } from '../../protocol/reply.ts'
import type { Order } from './order.ts'
import { newestReply, plainReply } from './plain.ts'
import type { ImageRequest } from './schema.ts'
import { streamReply, type StreamOptions } from './stream.ts'
import { usageOf, type SentPictures } from './usage.ts'

export function answer(request: ImageRequest, order: Order, sent: SentPictures, kind: StreamOptions['kind'], call: Pick<Call, 'key' | 'identity' | 'content' | 'now' | 'plan'>, context: Context): Reply {
  if (order.model.kind !== 'a') return plainReply(request, order, call, context)
  const usage = (count: number) => usageOf(order, count, request.prompt, sent, tokensOf(context))
  if (request.stream !== true) return newestReply(order, usage(order.pictures.count), call.now)
  return streamReply(order, { kind, usage, now: call.now, pace: call.plan.pace, settings: context.settings })
}
