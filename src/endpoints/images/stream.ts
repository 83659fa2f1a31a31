/**
 * Pictures of A as server-sent events (wire-formats section 4): the steps of each picture, then the picture, one after the other.
 * No end marker follows the last.
 */
import type { PlannedPace } from '../../protocol/plan.ts'
import { events, mediaMark, type ImageMedia, type Reply, type StreamEvent } from '../../protocol/reply.ts'
import type { Settings } from '../../protocol/settings.ts'
import { partialOf, pictureOf, type Order } from './order.ts'
import type { Usage } from './usage.ts'

export interface StreamOptions {
  readonly kind: 'image_generation' | 'image_edit'
  /** The usage of the first so many pictures: each finished one says what has been used up to it, the last one all. */
  usage(count: number): Usage
  readonly now: number
  readonly pace: PlannedPace | undefined
  readonly settings: Settings
}

export function streamReply({ size, quality, partials, pictures }: Order, { kind, usage, now, pace, settings }: StreamOptions): Reply {
  const firstAfter = pace?.firstAfter ?? settings.images.firstPartialAfter
  const every = pace?.every ?? settings.images.partialEvery
  const made = { b64_json: mediaMark, created_at: Math.floor(now / 1000), size, quality, background: pictures.transparent ? 'transparent' : 'opaque', output_format: pictures.format }
  const list: StreamEvent[] = []
  const say = (event: string, more: object, media: ImageMedia): void => {
    list.push({ after: list.length === 0 ? firstAfter : every, event, data: JSON.stringify({ type: event, ...made, ...more }), media })
  }
  for (let index = 0; index < pictures.count; index++) {
    for (let step = 0; step < partials; step++) say(`${kind}.partial_image`, { partial_image_index: step }, partialOf(pictures, index, step, partials))
    say(`${kind}.completed`, { usage: usage(index + 1) }, pictureOf(pictures, index))
  }
  return events(list)
}
