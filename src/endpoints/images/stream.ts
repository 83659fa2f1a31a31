/**
 * Images of A as server-sent events (wire-formats section 4): partial images, and finished ones. No end
 * marker follows.
 */

import { ScriptedEvents, type StreamPace } from '../../behaviours/answers/scripted-events.ts'
import { describeImage } from '../../behaviours/image-series.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { ImageMedia } from '../../protocol/media.ts'
import type { PlannedPace } from '../../protocol/plan.ts'
import { mediaMark, type Reply } from '../../protocol/reply.ts'
import type { Settings } from '../../protocol/settings.ts'
import { type ImageOrder, partialOf } from './order.ts'
import type { ImageItem } from './script.ts'
import type { ImageUsage } from './usage.ts'

export interface StreamOptions {
  readonly kind: 'image_generation' | 'image_edit'
  /** The usage so far at each finished image; the last one has all of it. */
  usage(pictures: number, steps: number): ImageUsage
  readonly now: number
  readonly pace: PlannedPace | undefined
  readonly context: Pick<Context, 'world' | 'settings'>
}

/** How a stream is paced: as planned, as the settings say otherwise. */
export function paceOf(planned: PlannedPace | undefined, { images }: Settings): StreamPace {
  return {
    firstAfter: planned?.firstAfter ?? images.firstPartialAfter,
    every: planned?.every ?? images.partialEvery,
  }
}

export function streamReply(
  { size, quality, images }: ImageOrder,
  items: readonly ImageItem[],
  { kind, usage, now, pace, context: { world, settings } }: StreamOptions,
): Reply {
  const common = {
    b64_json: mediaMark,
    created_at: Math.floor(now / 1000),
    size,
    quality,
    background: images.transparent ? 'transparent' : 'opaque',
    output_format: images.format,
  }
  const written = new ScriptedEvents(paceOf(pace, settings))
  const say = (event: string, more: object, media: ImageMedia): void =>
    written.addEvent({ event, data: JSON.stringify({ type: event, ...common, ...more }), media })
  const stepsOf = (picture: number): number =>
    items.filter((item) => item.kind === 'partial' && item.picture === picture).length
  const begun = new Map<number, number>()
  let finished = 0
  let steps = 0
  for (const item of items) {
    switch (item.kind) {
      case 'partial': {
        const step = begun.get(item.picture) ?? 0
        begun.set(item.picture, step + 1)
        steps++
        say(
          `${kind}.partial_image`,
          { partial_image_index: step },
          partialOf(images, item.picture, step, stepsOf(item.picture), world),
        )
        break
      }
      case 'picture':
        say(
          `${kind}.completed`,
          { usage: usage(++finished, steps) },
          describeImage(images, item.picture, world),
        )
        break
      default:
        written.addItem(item)
    }
  }
  return written.reply()
}
