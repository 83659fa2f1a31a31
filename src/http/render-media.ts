/**
 * Renders media descriptions into bytes: deterministic, once per description, with encoders that are only loaded when
 * somebody looks. Knows nothing of replies or sockets, and runs in a browser.
 */
import { digest } from '../engine/random.ts'
import type { Media } from '../protocol/media.ts'
import type { Elsewhere } from './make-elsewhere.ts'
import type { MadeMedia, MakeMedia } from './make-media.ts'
import { keyOf } from './media-key.ts'
import { partOf } from './media-part.ts'

export { base64 } from './media-base64.ts'

/** A file as it goes out. Whoever gets it must not write into `bytes`: the next reply has the same. */
export interface RenderedMedia {
  readonly bytes: Uint8Array
  /** The true media type of the bytes. */
  readonly type: string
  /** A strong entity tag, quotes included. */
  readonly etag: string
}

export interface MediaRenderer {
  /** Rejects with a `RangeError` for media that cannot be made: a mistake of the endpoint that described it. */
  render(media: Media): Promise<RenderedMedia>
  /** Gives back what rendering holds besides the cache: the thread. Another picture brings it back. */
  close(): Promise<void>
}

/** To be raised when the same description gives other bytes than in the release before: entity tags must change too. */
const edition = 5

/** A renderer that keeps up to `cacheBytes` of what it made and of the descriptions it is known by; what was used longest ago goes first. */
export function createMediaRenderer(options: { readonly cacheBytes: number }): MediaRenderer {
  const made = new Map<string, RenderedMedia>()
  const underway = new Map<string, Promise<RenderedMedia>>()
  let held = 0
  // One after the other, with a turn of the event loop between two: a call may ask for dozens, and others must not wait for all.
  let before: Promise<void> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = before.then(work)
    before = result.then(nextTurn, nextTurn)
    return result
  }
  let making: Promise<MakeMedia> | undefined
  const makeHere = async (media: Media): Promise<MadeMedia> => (await (making ??= import('./make-media.ts').then(({ createMediaMaker }) => createMediaMaker())))(media)
  let elsewhere: Promise<Elsewhere | undefined> | undefined
  const make = async (media: Media): Promise<MadeMedia> => {
    if (isSmall(media)) return makeHere(media)
    elsewhere ??= import('./make-elsewhere.ts').then(({ startElsewhere, workerFile }) => {
      const file = workerFile()
      return file === undefined ? undefined : startElsewhere(file)
    })
    return (await (await elsewhere)?.make(media)) ?? makeHere(media)
  }

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

  const renderer: MediaRenderer = {
    render(media) {
      if (media.kind === 'audio' && media.part !== undefined) {
        const { part, ...file } = media
        return renderer.render(file).then((rendered) => ({ ...rendered, bytes: partOf(rendered.bytes, part) }))
      }
      const key = keyOf(media)
      const kept = made.get(key)
      if (kept !== undefined) {
        // Deleting first keeps the map in order of last use.
        made.delete(key)
        made.set(key, kept)
        return Promise.resolve(kept)
      }
      const started = underway.get(key)
      if (started !== undefined) return started
      const rendering = inTurn(() => make(media))
        .then(({ bytes, type }) => {
          const rendered: RenderedMedia = { bytes, type, etag: `"${digest(`${edition} ${key}`).slice(0, 32)}"` }
          keep(key, rendered)
          return rendered
        })
        .finally(() => underway.delete(key))
      underway.set(key, rendering)
      return rendering
    },
    async close() {
      await (await elsewhere)?.close()
    },
  }
  return renderer
}

// A description may be longer than its file: a sound of no length, a small picture painted in a hundred places.
const costOf = (key: string, { bytes }: RenderedMedia): number => key.length + bytes.length

/** Whether it is drawn sooner than a thread is asked: up to 128 x 128 pixels from nothing but a seed take a few milliseconds. */
function isSmall(media: Media): boolean {
  return media.kind === 'image' && media.format === 'png' && media.from === undefined && media.width * media.height <= 128 * 128
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
