/**
 * Renders media descriptions into bytes: deterministic, once per description, with encoders that are only
 * loaded when somebody looks.
 */
import { digest } from '../engine/random.ts'
import type { Media } from '../protocol/media.ts'
import { partOf } from './audio/part.ts'
import { keyOf } from './key.ts'
import type { Elsewhere } from './make-elsewhere.ts'
import type { MadeMedia, MakeMedia } from './make-media.ts'

export { base64 } from './base64.ts'

/** A file as it goes out. Whoever gets it must not write into `bytes`: the next reply has the same. */
export interface RenderedMedia {
  readonly bytes: Uint8Array
  /** The true media type of the bytes. */
  readonly type: string
  /** A strong entity tag, quotes included. */
  readonly etag: string
}

export interface MediaRenderer {
  /**
   * Rejects with a `RangeError` for media that cannot be made: a mistake of the endpoint that described it.
   * `left` says that whoever asks has gone: it rejects with the signal's reason then, and what nobody waits
   * for any more is not begun.
   */
  render(media: Media, left?: AbortSignal): Promise<RenderedMedia>
}

/**
 * To be raised when the same description gives other bytes than in the release before: entity tags must
 * change too.
 */
const edition = 5

/**
 * A renderer that keeps up to `cacheBytes` of what it made and of the descriptions it is known by; what was
 * used longest ago goes first. It draws `elsewhere`, where that is given and can be had.
 */
export function createMediaRenderer(options: {
  readonly cacheBytes: number
  readonly elsewhere?: Pick<Elsewhere, 'make'> | undefined
}): MediaRenderer {
  const made = new Map<string, RenderedMedia>()
  const orders = new Map<string, Order>()
  let held = 0
  let making: Promise<MakeMedia> | undefined
  const makeHere = async (media: Media): Promise<MadeMedia> =>
    (await (making ??= import('./make-media.ts').then(({ createMediaMaker }) => createMediaMaker())))(media)
  const make = async (media: Media): Promise<MadeMedia> =>
    (isSmall(media) ? undefined : await options.elsewhere?.make(media)) ?? makeHere(media)

  const keep = (key: string, media: RenderedMedia): void => {
    if (costOf(key, media) > options.cacheBytes) return
    made.set(key, media)
    held += costOf(key, media)
    for (const [oldest, known] of made) {
      if (held <= options.cacheBytes) return
      made.delete(oldest)
      held -= costOf(oldest, known)
    }
  }

  let working = false
  // One after the other, with a turn of the event loop between two: a call may ask for dozens, and others
  // must not wait for all.
  const workOff = async (): Promise<void> => {
    if (working) return
    working = true
    // What is ordered meanwhile comes in its turn.
    for (const [key, order] of orders) {
      order.begun = true
      try {
        const { bytes, type } = await make(order.media)
        const rendered: RenderedMedia = { bytes, type, etag: `"${digest(`${edition} ${key}`).slice(0, 32)}"` }
        keep(key, rendered)
        order.resolve(rendered)
      } catch (error) {
        order.reject(error)
      }
      orders.delete(key)
      await nextTurn()
    }
    working = false
  }
  const take = (key: string, media: Media): Order => {
    const order = orderOf(media)
    orders.set(key, order)
    void workOff()
    return order
  }

  const renderer: MediaRenderer = {
    render(media, left) {
      if (media.kind === 'audio' && media.part !== undefined) {
        const { part, ...file } = media
        return renderer
          .render(file, left)
          .then((rendered) => ({ ...rendered, bytes: partOf(rendered.bytes, part) }))
      }
      const key = keyOf(media)
      const kept = made.get(key)
      if (kept !== undefined) {
        // Deleting first keeps the map in order of last use.
        made.delete(key)
        made.set(key, kept)
        return Promise.resolve(kept)
      }
      if (left?.aborted) return Promise.reject(left.reason as Error)
      const order = orders.get(key) ?? take(key, media)
      order.waiting++
      if (left === undefined) return order.done
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          if (--order.waiting === 0 && !order.begun) orders.delete(key)
          reject(left.reason as Error)
        }
        left.addEventListener('abort', leave)
        order.done.finally(() => left.removeEventListener('abort', leave)).then(resolve, reject)
      })
    },
  }
  return renderer
}

// A description may be longer than its file: a sound of no length, a small picture painted in a hundred
// places.
const costOf = (key: string, { bytes }: RenderedMedia): number => key.length + bytes.length

/** What somebody wants rendered: how many wait for it, and whether it has been begun. */
interface Order {
  readonly media: Media
  readonly done: Promise<RenderedMedia>
  readonly resolve: (rendered: RenderedMedia) => void
  readonly reject: (error: unknown) => void
  waiting: number
  begun: boolean
}

function orderOf(media: Media): Order {
  let settle: Pick<Order, 'resolve' | 'reject'> | undefined
  const done = new Promise<RenderedMedia>((resolve, reject) => (settle = { resolve, reject }))
  // Everybody may have left when it turns out that it cannot be made.
  done.catch(() => {})
  return { media, done, ...(settle as Pick<Order, 'resolve' | 'reject'>), waiting: 0, begun: false }
}

/**
 * Whether it is drawn sooner than a thread is asked: up to 128 x 128 pixels from nothing but a seed take a
 * few milliseconds.
 */
function isSmall(media: Media): boolean {
  return (
    media.kind === 'image' &&
    media.format === 'png' &&
    media.from === undefined &&
    media.width * media.height <= 128 * 128
  )
}

// A message and no timer: tests of clients put fakes in the place of timers.
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
