/** What both operations do once a request has met every rule: draw, count, reply. */
import { framesReply } from '../../behaviours/answers/scripted-events.ts'
import { tokensOf } from '../../behaviours/tokens/tokens.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { Reply } from '../../protocol/reply.ts'
import type { ImageOrder } from './order.ts'
import { newestReply, plainReply } from './plain.ts'
import type { ImageRequest } from './schema.ts'
import { defaultItems, indexes, readImageScript } from './script.ts'
import { paceOf, type StreamOptions, streamReply } from './stream.ts'
import { type ImageUsage, type SourceCosts, usageOf } from './usage.ts'

export function answerImages(
  request: ImageRequest,
  order: ImageOrder,
  sent: SourceCosts,
  kind: StreamOptions['kind'],
  call: Pick<Call, 'key' | 'identity' | 'content' | 'now' | 'plan'>,
  context: Context,
): Reply {
  const { pace, script, frames } = call.plan
  const streams = order.model.kind === 'a' && request.stream === true
  if (frames !== undefined && streams) return framesReply(frames, paceOf(pace, context.settings))
  const scripted = script === undefined ? undefined : readImageScript(script, order)
  const usage = (pictures: number, steps: number): ImageUsage => {
    const counted = usageOf(order, pictures, steps, request.prompt, sent, tokensOf(context))
    return scripted?.usage(counted) ?? counted
  }
  if (streams) {
    return streamReply(order, scripted?.items ?? defaultItems(order), {
      kind,
      usage,
      now: call.now,
      pace,
      context,
    })
  }
  const shown = scripted?.finished ?? indexes(order)
  const reply =
    order.model.kind === 'a'
      ? newestReply(order, shown, usage(shown.length, shown.length * order.partials), call.now, context.world)
      : plainReply(request, order, shown, call, context)
  return scripted === undefined || scripted.waits === 0 ? reply : { ...reply, delay: scripted.waits }
}
