/**
 * Renders media descriptions into files and caches them: in a worker thread if there is one, otherwise
 * between other calls. Encoders are loaded on first use.
 */
import { BoundedMap } from '../engine/bounded-map.ts'
import { digest } from '../engine/random.ts'
import type { ImageFacts } from '../protocol/call.ts'
import type { Media } from '../protocol/media.ts'
import { createPixelInspector } from './inspect-pixels.ts'
import { mediaKey } from './media-key.ts'
import type { MediaFile, Render } from './render.ts'
import type { MediaWorker } from './worker.ts'

/** A rendered file. Other responses share its bytes, so callers must not modify them. */
export interface RenderedMedia extends MediaFile {
  /** A strong entity tag, including quotes. */
  readonly etag: string
}

interface MediaOptions {
  /** The maximum number of cached bytes, of files and their descriptions. */
  readonly cacheBytes: number
  /** The worker to render in. Default: a new thread, if the platform has threads. */
  readonly worker?: MediaWorker
}

interface MediaRenderer {
  /**
   * Rejects with a `RangeError` for media that cannot be rendered: an error in the endpoint that described
   * it. `abandoned` signals that the client has left: then this rejects with the signal's reason, and
   * rendering that no other client needs does not start.
   */
  render(media: Media, abandoned?: AbortSignal): Promise<RenderedMedia>
  /**
   * The facts of an image file, completed from its pixels (`pixels` or `damage`). Never rejects, whatever the
   * file contains.
   */
  inspectPixels(facts: ImageFacts, bytes: Uint8Array): Promise<ImageFacts>
  /** Ends the thread. The next task starts it again. */
  close(): Promise<void>
}

/**
 * Increase this number if a description renders to other bytes than in the previous release: the entity tags
 * must change too.
 */
const edition = 7

export function createMedia({ cacheBytes, worker: given }: MediaOptions): MediaRenderer {
  let starting: Promise<MediaWorker> | undefined
  const startWorker = (): Promise<MediaWorker> =>
    (starting ??=
      given === undefined
        ? import('./worker.ts').then(({ createMediaWorker }) => createMediaWorker())
        : Promise.resolve(given))
  let loading: Promise<Render> | undefined
  const renderHere: Render = async (media) =>
    (await (loading ??= import('./render.ts').then(({ createRenderer }) => createRenderer())))(media)
  const renderFile: Render = async (media) =>
    (isQuick(media) ? undefined : await (await startWorker()).render(media)) ?? renderHere(media)

  const files = new BoundedMap<RenderedMedia>({ size: cacheBytes })
  const orders = createOrders(async (key, media) => {
    const file = await renderFile(media)
    const rendered = { ...file, etag: `"${digest(`${edition} ${key}`).slice(0, 32)}"` }
    // A description may be longer than its file, such as a small image with a long prompt.
    const size = key.length + file.bytes.length
    if (size <= cacheBytes) files.set(key, rendered, size)
    return rendered
  })

  const render: MediaRenderer['render'] = async (media, abandoned) => {
    if (media.kind === 'audio' && media.part !== undefined) {
      const { part, ...file } = media
      const rendered = await render(file, abandoned)
      return { ...rendered, bytes: partOf(rendered.bytes, part) }
    }
    const key = mediaKey(media)
    return files.use(key) ?? orders.place(key, media, abandoned)
  }
  return {
    render,
    inspectPixels: createPixelInspector(async (facts, bytes) =>
      (await startWorker()).inspectPixels(facts, bytes),
    ),
    close: async () => (await starting)?.close(),
  }
}

/** A rendering task: the number of waiting clients, and whether it has started. */
interface Order {
  readonly media: Media
  readonly done: Promise<RenderedMedia>
  readonly resolve: (rendered: RenderedMedia) => void
  readonly reject: (error: unknown) => void
  waiting: number
  begun: boolean
}

/**
 * Renders one file at a time, each once for all waiting clients, with a turn of the event loop in between:
 * one call may request dozens, and other calls must not wait for all of them.
 */
function createOrders(render: (key: string, media: Media) => Promise<RenderedMedia>) {
  const orders = new Map<string, Order>()
  let isWorking = false
  const work = async (): Promise<void> => {
    if (isWorking) return
    isWorking = true
    // Iteration over a map includes entries added meanwhile.
    for (const [key, order] of orders) {
      order.begun = true
      await render(key, order.media).then(order.resolve, order.reject)
      orders.delete(key)
      await nextTurn()
    }
    isWorking = false
  }
  const open = (key: string, media: Media): Order => {
    const order = createOrder(media)
    orders.set(key, order)
    void work()
    return order
  }
  return {
    async place(key: string, media: Media, abandoned?: AbortSignal): Promise<RenderedMedia> {
      abandoned?.throwIfAborted()
      const order = orders.get(key) ?? open(key, media)
      order.waiting++
      if (abandoned === undefined) return order.done
      return new Promise((resolve, reject) => {
        const abandon = (): void => {
          if (--order.waiting === 0 && !order.begun) orders.delete(key)
          reject(abandoned.reason as Error)
        }
        abandoned.addEventListener('abort', abandon)
        order.done.finally(() => abandoned.removeEventListener('abort', abandon)).then(resolve, reject)
      })
    },
  }
}

function createOrder(media: Media): Order {
  let settle: Pick<Order, 'resolve' | 'reject'> | undefined
  const done = new Promise<RenderedMedia>((resolve, reject) => (settle = { resolve, reject }))
  // All clients may have left before the rendering fails.
  done.catch(() => {})
  return { media, done, ...(settle as Pick<Order, 'resolve' | 'reject'>), waiting: 0, begun: false }
}

/** Whether rendering takes only a few milliseconds, which is less than a message to a thread. */
function isQuick(media: Media): boolean {
  return media.kind === 'image' && media.format === 'png' && media.width * media.height <= 128 * 128
}

// A message instead of a timer: tests of clients replace timers with fakes.
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })
}

/**
 * Parts end on whole 16-bit samples and on whole base64 groups: clients decode each part separately, or join
 * the texts first.
 */
const unit = 6

/** Part `index` (from 0) of `of` parts, which together are the file. Parts of a short file may be empty. */
function partOf(
  bytes: Uint8Array,
  { index, of }: { readonly index: number; readonly of: number },
): Uint8Array {
  const start = (part: number): number =>
    part >= of ? bytes.length : Math.floor((bytes.length * part) / of / unit) * unit
  return bytes.subarray(start(index), start(index + 1))
}
