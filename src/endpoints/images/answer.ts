/** The shared part of both operations after validation: draw, count tokens, respond. */
import { describeImage, type ImageSeriesFacts, imagesKind } from '../../behaviours/image-series.ts'
import { freshId } from '../../behaviours/jobs/job.ts'
import { paceOf, ScriptedEvents, type StreamPace } from '../../behaviours/scripts/scripted-events.ts'
import { type Tokens, tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/random.ts'
import type { Call, ImageFacts } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { ImageMedia } from '../../protocol/media.ts'
import { json, mediaMark, originMark, type PlainResponse } from '../../protocol/response.ts'
import type { Script, ScriptItem } from '../../protocol/script.ts'
import { clip } from '../../protocol/wording.ts'
import type { ImageOrder } from './order.ts'
import type { ImageRequest } from './schema.ts'

interface ImageUsage {
  readonly input_tokens: number
  readonly input_tokens_details: { readonly image_tokens: number; readonly text_tokens: number }
  readonly output_tokens: number
  readonly total_tokens: number
}

const perImage = {
  low: { square: 272, portrait: 408, landscape: 400 },
  medium: { square: 1056, portrait: 1584, landscape: 1568 },
  high: { square: 4160, portrait: 6240, landscape: 6208 },
} as const
const perPartial = 100

// A source image costs a base and a rate for each tile of 512 pixels, after scaling it down to fit.
const tile = { side: 512, tokens: 129, base: 65, longest: 2048 } as const
const highFidelity = { square: 4160, other: 6240 } as const

/** The files of an edit. */
interface SourceCosts {
  readonly images: readonly Pick<ImageFacts, 'width' | 'height'>[]
  readonly fidelity: 'low' | 'high'
}

/** An order, and the form of its response. */
interface Task {
  readonly request: ImageRequest
  readonly order: ImageOrder
  readonly sent: SourceCosts
  readonly kind: 'image_generation' | 'image_edit'
}

/** The usage of finished and partial images of an order. Source images count once. */
function usageOf(
  { request, order, sent }: Task,
  finished: number,
  steps: number,
  tokens: Tokens,
): ImageUsage {
  const { width, height } = order.images
  const oblong = width < height ? 'portrait' : 'landscape'
  const shape = width === height ? 'square' : oblong
  const textTokens = tokens.count(request.prompt)
  const imageTokens = sent.images.reduce((sum, image) => sum + sentTokens(image, sent.fidelity), 0)
  const outputTokens = finished * perImage[order.quality][shape] + steps * perPartial
  return {
    input_tokens: textTokens + imageTokens,
    input_tokens_details: { image_tokens: imageTokens, text_tokens: textTokens },
    output_tokens: outputTokens,
    total_tokens: textTokens + imageTokens + outputTokens,
  }
}

function sentTokens(
  { width, height }: Pick<ImageFacts, 'width' | 'height'>,
  fidelity: 'low' | 'high',
): number {
  const fitting = Math.min(1, tile.longest / Math.max(width, height))
  const factor = fitting * Math.min(1, tile.side / (fitting * Math.min(width, height)))
  const tiles = Math.ceil((width * factor) / tile.side) * Math.ceil((height * factor) / tile.side)
  const fine = width === height ? highFidelity.square : highFidelity.other
  return tile.base + tiles * tile.tokens + (fidelity === 'low' ? 0 : fine)
}

/** In virtual milliseconds. */
const defaultPace = { firstEventAfter: 2000, eventInterval: 2000 }

/** The response to an order: the script of the plan, else the requested images. */
export function answerImages(
  task: Task,
  call: Pick<Call, 'key' | 'identity' | 'now' | 'plan'>,
  context: Context,
): PlainResponse {
  const { request, order } = task
  const { pace, script = [] } = call.plan
  const planned = paceOf(pace, defaultPace)
  const isNewest = order.model.kind === 'a'
  const streams = isNewest && request.stream === true
  const { items, finished, waits, ...scripted } = readImageScript(script, order)
  const usage = (images: number, steps: number): ImageUsage =>
    scripted.usage(usageOf(task, images, steps, tokensOf(context)))
  if (streams) return streamResponse(task, items(), { usage, now: call.now, pace: planned })
  const response = isNewest
    ? newestResponse(order, finished, usage(finished.length, finished.length * order.partials), call.now)
    : plainResponse(request, order, finished, { ...call, sandbox: context.sandbox })
  return waits === 0 ? response : { ...response, delay: waits }
}

interface StreamOptions {
  /** The usage so far at each finished image; the last one has all of it. */
  usage(images: number, steps: number): ImageUsage
  readonly now: number
  readonly pace: StreamPace
}

/** The other fields of a response of kind A. */
const factsOf = ({ size, quality, images }: ImageOrder) => ({
  size,
  quality,
  background: images.transparent ? 'transparent' : 'opaque',
  output_format: images.format,
})

/** Images of A as server-sent events: partial images, and finished ones. No end marker follows. */
function streamResponse(
  { order, kind }: Task,
  items: readonly ImageItem[],
  { usage, now, pace }: StreamOptions,
): PlainResponse {
  const { images } = order
  const common = { b64_json: mediaMark, created_at: unixSeconds(now), ...factsOf(order) }
  const written = new ScriptedEvents(pace)
  const say = (event: string, more: object, media: ImageMedia): void =>
    written.addEvent({
      after: pace.eventInterval,
      event,
      data: JSON.stringify({ type: event, ...common, ...more }),
      media,
    })
  const stepsOf = (image: number): number =>
    items.filter((item) => item.kind === 'partial' && item.image === image).length
  const begun = new Map<number, number>()
  let finished = 0
  let steps = 0
  for (const item of items) {
    if (item.kind === 'partial') {
      const step = begun.get(item.image) ?? 0
      begun.set(item.image, step + 1)
      steps++
      const partial = { step, steps: stepsOf(item.image) }
      const media = { ...describeImage(images, item.image), partial }
      say(`${kind}.partial_image`, { partial_image_index: step }, media)
    } else if (item.kind === 'image')
      say(`${kind}.completed`, { usage: usage(++finished, steps) }, describeImage(images, item.image))
    else written.addItem(item)
  }
  return written.response()
}

/** One step of an image stream. */
type ImageItem = Extract<ScriptItem, { kind: 'partial' | 'image' | 'wait' | 'raw' | 'fault' }>
const imageItems: ReadonlySet<ScriptItem['kind']> = new Set(['partial', 'image', 'wait', 'raw', 'fault'])

/** The script of an order. The requested images follow if it has neither images nor partial images. */
function readImageScript(script: Script, order: ImageOrder) {
  const items = script.filter((item): item is ImageItem => imageItems.has(item.kind))
  const usages = script.filter((item) => item.kind === 'usage')
  const named = items.flatMap((item) => (item.kind === 'image' ? [item.image] : []))
  const isEmpty = !items.some(({ kind }) => kind === 'partial' || kind === 'image')
  return {
    /** For streams. */
    items: (): readonly ImageItem[] => (isEmpty ? [...items, ...defaultItems(order)] : items),
    /** The indexes of the finished images; the requested images if the script has none. */
    finished: named.length > 0 ? named : indexes(order),
    /** Numbers of the script replace the counts. */
    usage: (counted: ImageUsage): ImageUsage =>
      withNumbers(
        counted,
        usages.findLast(({ input }) => input !== undefined)?.input,
        usages.findLast(({ output }) => output !== undefined)?.output,
      ),
    /** In virtual milliseconds. */
    waits: items.reduce((sum, item) => sum + (item.kind === 'wait' ? item.ms : 0), 0),
  }
}

/** The partial images and then the image, for each image in turn. */
function defaultItems(order: ImageOrder): readonly ImageItem[] {
  return indexes(order).flatMap((image): ImageItem[] => [
    ...Array.from({ length: order.partials }, () => ({ kind: 'partial', image }) as const),
    { kind: 'image', image },
  ])
}

/** The indexes of the images of an order. */
function indexes({ images: { count } }: ImageOrder): number[] {
  return Array.from({ length: count }, (_, index) => index)
}

function withNumbers(
  counted: ImageUsage,
  input = counted.input_tokens,
  output = counted.output_tokens,
): ImageUsage {
  const images = Math.min(counted.input_tokens_details.image_tokens, input)
  return {
    input_tokens: input,
    input_tokens_details: { image_tokens: images, text_tokens: input - images },
    output_tokens: output,
    total_tokens: input + output,
  }
}

/** The response of A: always base64, and facts about the images. `shown` has their indexes, in order. */
function newestResponse(
  order: ImageOrder,
  shown: readonly number[],
  usage: ImageUsage,
  now: number,
): PlainResponse {
  const data = shown.map(() => ({ b64_json: mediaMark }))
  const { background, output_format, quality, size } = factsOf(order)
  return json(
    { created: unixSeconds(now), background, output_format, quality, size, data, usage },
    { media: shown.map((index) => describeImage(order.images, index)) },
  )
}

/** The response of B and C: URLs or base64, for C with the revised prompt. */
function plainResponse(
  request: ImageRequest,
  { model, images }: ImageOrder,
  shown: readonly number[],
  call: Pick<Call, 'key' | 'identity' | 'now'> & Pick<Context, 'sandbox'>,
): PlainResponse {
  const { sandbox } = call
  const revised = model.kind === 'c' ? { revised_prompt: revisedPrompt(request.prompt) } : {}
  const created = unixSeconds(call.now)
  if (request.response_format === 'b64_json') {
    return json(
      { created, data: shown.map(() => ({ ...revised, b64_json: mediaMark })) },
      { media: shown.map((index) => describeImage(images, index)) },
    )
  }
  const id = freshId(imagesKind, sandbox, call.identity, (identity) => mintId('img_', sandbox.tag, identity))
  sandbox.store.add<ImageSeriesFacts>({
    kind: imagesKind,
    id,
    owner: call.key.value,
    bornAt: call.now,
    facts: { images: { ...images, count: Math.max(...shown) + 1 } },
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

const maxLength = 2000

/** The revised prompt of C. */
function revisedPrompt(prompt: string): string {
  // These characters mark images and URLs in a response, so a prompt must not have them.
  const text = clip(prompt.replace(/[\x81\x8D]/g, '').trim(), maxLength)
  return `A picture of the following: ${text}`
}
