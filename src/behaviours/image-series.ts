/**
 * Generated images of a session: how they are stored, with references to their sources, and how they are
 * described for rendering.
 */
import { withoutSession } from '../engine/random.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { FilePart } from '../protocol/call.ts'
import type { ImageMedia, ImageSource, Transform } from '../protocol/media.ts'
import { clip } from '../protocol/wording.ts'

/** The images of one response or job. The same series gives the same bytes. */
export interface ImageSeries {
  readonly count: number
  /** Pixels. */
  readonly width: number
  readonly height: number
  readonly format: ImageMedia['format']
  readonly transparent: boolean
  /** Of WebP and JPEG, 0 to 100. */
  readonly quality?: number
  /** The number of shapes, if it is not the default. */
  readonly shapes?: number
  readonly seed: string
  /** The caption: the prompt (`captionPrompt`), and distinguishing facts. */
  readonly prompt: string
  readonly facts: readonly string[]
  readonly from?: TransformRef
  /** The number of images nested in the description of one of them. */
  readonly nested?: number
}

/** The stored form of a series, for every kind of resource with images. */
export interface ImageSeriesFacts {
  readonly images: ImageSeries
}

/** How long the URL of an image is valid, in virtual milliseconds. */
export const imageUrlLifetime = 60 * 60_000

/** The store's name for images with URLs in a response. */
export const imagesKind = 'images'

/**
 * The source of an image. Small, because a session keeps thousands of images, and each may derive from the
 * previous one.
 */
export type SourceRef =
  /** Image `index` (0-based) of a series, which the session may have evicted from its store by then. */
  | { readonly kind: 'generated'; readonly series: ImageSeries; readonly index: number }
  /** A file among the session's stored sources. */
  | { readonly kind: 'stored'; readonly sha256: string; readonly name: string }
  /** A file of the call, which is not kept after the call. */
  | { readonly kind: 'inline'; readonly file: SourceFile }
  | Extract<ImageSource, { kind: 'absent' }>

/** An image file from a client. */
interface SourceFile {
  /** The handle. */
  readonly content: unknown
  readonly sha256: string
  /** Bytes. */
  readonly size: number
  readonly name: string
}

type WithRefs<Each> = Each extends { readonly source: ImageSource }
  ? Omit<Each, 'source' | 'mask'> & { readonly source: SourceRef; readonly mask?: SourceRef }
  : never

/** How an image was made, with references instead of its sources. */
export type TransformRef = WithRefs<Transform>

/**
 * The maximum number of nested images. An image has a source and a mask with sources of their own: without a
 * limit, every step could double them.
 */
const maxNested = 64
/** Characters of a prompt that are stored with its images. */
const maxPromptLength = 1000
const maxNameLength = 100

/** A prompt for captions. Ids lose their session tag, so all sessions draw the same image. */
export function captionPrompt(text: string | undefined, { tag }: Sandbox): string {
  return withoutSession(clip(text ?? '', maxPromptLength), tag)
}

/** The seed and transform of image `index` (0-based). */
export function imageSeed({ seed }: ImageSeries, index: number): string {
  return `${seed}/${index}`
}

/**
 * Image `index` (0-based) of a series, for rendering by the edge. Its caption has its number but not the
 * total: an image does not depend on the number of images.
 */
export function describeImage(series: ImageSeries, index: number, sandbox: Sandbox): ImageMedia {
  const { width, height, format, transparent, quality, shapes, prompt, facts, from } = series
  return {
    kind: 'image',
    width,
    height,
    format,
    transparent,
    seed: imageSeed(series, index),
    caption: { prompt, facts: [...facts, `${width} x ${height}`, `picture ${index + 1}`] },
    ...(quality === undefined || format === 'png' ? {} : { quality }),
    ...(shapes === undefined ? {} : { shapes }),
    ...(from === undefined ? {} : { from: describeTransform(from, sandbox) }),
  }
}

function describeTransform({ source, mask, ...rest }: TransformRef, sandbox: Sandbox): Transform {
  return {
    ...rest,
    source: describeSource(source, sandbox),
    ...(mask === undefined ? {} : { mask: describeSource(mask, sandbox) }),
  } as Transform
}

/** A source, for rendering by the edge. */
export function describeSource(source: SourceRef, sandbox: Sandbox): ImageSource {
  switch (source.kind) {
    case 'generated':
      return { kind: 'drawn', image: describeImage(source.series, source.index, sandbox) }
    case 'stored': {
      const content = sandbox.sources.get(source.sha256)
      return content === undefined
        ? { kind: 'absent', name: source.name }
        : { kind: 'sent', content, sha256: source.sha256 }
    }
    case 'inline':
      return { kind: 'sent', content: source.file.content, sha256: source.file.sha256 }
    case 'absent':
      return source
  }
}

/**
 * A series with its sources. If these would exceed the nesting limit, the mask or else the source becomes a
 * placeholder, and the next step starts from this image.
 */
export function withTransform(series: ImageSeries, from: TransformRef): ImageSeries {
  const [source, mask] = [nestedIn(from.source), from.mask === undefined ? 0 : nestedIn(from.mask)]
  if (source + mask <= maxNested)
    return { ...series, from, ...(source + mask === 0 ? {} : { nested: source + mask }) }
  const absent: SourceRef = { kind: 'absent', name: `an image with ${maxNested} steps` }
  return withTransform(series, mask > 0 ? { ...from, mask: absent } : { ...from, source: absent })
}

function nestedIn(source: SourceRef): number {
  return source.kind === 'generated' ? 1 + (source.series.nested ?? 0) : 0
}

/** A form file as a source. Calls that bypass the edge may lack its bytes. */
export function sourceOfFile({ content, sha256, size, filename }: FilePart): SourceRef {
  const name = captionName(filename)
  return content === undefined
    ? { kind: 'absent', name }
    : { kind: 'inline', file: { content, sha256, size, name } }
}

/** The same transform with the files of the call stored in the session, for images that are read later. */
export function storeSources({ source, mask, ...rest }: TransformRef, sandbox: Sandbox): TransformRef {
  return {
    ...rest,
    source: storeSource(source, sandbox),
    ...(mask === undefined ? {} : { mask: storeSource(mask, sandbox) }),
  } as TransformRef
}

/** Stores a file of the call in the session, unless it is too large. Its bytes are not copied. */
export function storeSource(source: SourceRef, { sources, memory }: Sandbox): SourceRef {
  if (source.kind !== 'inline') return source
  const { content, sha256, size, name } = source.file
  if (size > memory.maxSize) return { kind: 'absent', name }
  sources.set(sha256, content, size)
  return { kind: 'stored', sha256, name }
}

/** A name for captions. */
export function captionName(name: string): string {
  return clip(name, maxNameLength)
}
