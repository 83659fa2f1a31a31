/**
 * Renders media descriptions into files and caches them, in a worker thread if there is one. Encoders are
 * loaded on first use.
 */
import { BoundedMap } from '../engine/bounded-map.ts'
import { digest } from '../engine/random.ts'
import type { Media } from '../protocol/media.ts'
import { loadOnce } from './load-once.ts'
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
   * it.
   */
  render(media: Media): Promise<RenderedMedia>
  /** Ends the thread after its pending tasks. The next task starts it again. */
  close(): Promise<void>
}

/**
 * Increase this number if a description renders to other bytes than in the previous release: the entity tags
 * must change too.
 */
const edition = 8

export function createMedia({ cacheBytes, worker: given }: MediaOptions): MediaRenderer {
  const worker = loadOnce(async () => given ?? (await import('./worker.ts')).createMediaWorker())
  const renderer = loadOnce(async () => (await import('./render.ts')).createRenderer())
  const files = new BoundedMap<RenderedMedia>({ size: cacheBytes })
  /** Each file is rendered once for all that wait for it. */
  const pending = new Map<string, Promise<RenderedMedia>>()
  let hasStarted = false

  const renderFile: Render = async (media) => {
    if (isQuick(media)) return (await renderer())(media)
    hasStarted = true
    return (await (await worker()).render(media)) ?? (await renderer())(media)
  }
  const renderNew = async (key: string, media: Media): Promise<RenderedMedia> => {
    try {
      const file = await renderFile(media)
      const rendered = { ...file, etag: `"${digest(`${edition} ${key}`).slice(0, 32)}"` }
      // A description may be longer than its file, such as a small image with a long prompt.
      const size = key.length + file.bytes.length
      if (size <= cacheBytes) files.set(key, rendered, size)
      return rendered
    } finally {
      pending.delete(key)
    }
  }
  const render: MediaRenderer['render'] = async (media) => {
    const key = mediaKey(media)
    const known = files.use(key) ?? pending.get(key)
    if (known !== undefined) return known
    const rendering = renderNew(key, media)
    pending.set(key, rendering)
    return rendering
  }
  return {
    render,
    async close() {
      await Promise.allSettled(pending.values())
      if (hasStarted) await (await worker()).close()
    },
  }
}

/** The key of a description: by value, independent of the order of its fields. */
function mediaKey(media: object): string {
  return JSON.stringify(media, (_, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

/** Whether rendering takes only a few milliseconds, which is less than a message to a thread. */
function isQuick(media: Media): boolean {
  return media.kind === 'image' && media.format === 'png' && media.width * media.height <= 128 * 128
}
