/**
 * Pictures that a session has made: how it remembers them, in a few words and with names in the place of what
 * they were made from, and how they are described when somebody looks.
 */
import { withoutSession } from '../engine/ids.ts'
import type { World } from '../engine/world.ts'
import type { FilePart } from '../protocol/call.ts'
import type { ImageMedia, ImageSource, Transform } from '../protocol/media.ts'
import { clip } from '../protocol/wording.ts'

/** A series of pictures. The same series gives the same bytes. */
export interface Pictures {
  readonly count: number
  /** Pixels. */
  readonly width: number
  readonly height: number
  readonly format: ImageMedia['format']
  readonly transparent: boolean
  /** How much is kept of WebP and JPEG, 0 to 100. */
  readonly quality?: number
  /** How many shapes they have, where that is said. */
  readonly shapes?: number
  readonly seed: string
  /**
   * What stands on them: the prompt (`shownPrompt`), and what tells the series apart, in a few words each.
   */
  readonly prompt: string
  readonly facts: readonly string[]
  /** What they were made from. */
  readonly from?: NamedWork
  /** How many pictures are described inside of one of them, where there are any. */
  readonly inside?: number
}

/** What the store keeps of a series: every kind of resource that has pictures keeps them there. */
export interface PictureFacts {
  readonly pictures: Pictures
}

/** The store's name for pictures that are read by the address of a reply (`images`). */
export const imagesKind = 'images'

/**
 * What a picture was made from. Small, since a session keeps thousands of pictures, and each may be made from
 * the one before.
 */
export type NamedSource =
  /**
   * Picture `index` (0-based) of a series that the session has made: of the series itself, which the session
   * may keep no longer by then.
   */
  | { readonly kind: 'made'; readonly pictures: Pictures; readonly index: number }
  /** A file on the session's shelf of sources. */
  | { readonly kind: 'kept'; readonly sha256: string; readonly name: string }
  /** A file at hand, for as long as the call lasts. */
  | { readonly kind: 'held'; readonly file: SourceFile }
  | Extract<ImageSource, { kind: 'absent' }>

/** The bytes of a picture that a client has sent. */
export interface SourceFile {
  /** The handle. */
  readonly content: unknown
  readonly sha256: string
  /** Bytes. */
  readonly size: number
  readonly name: string
}

type Renamed<Each> = Each extends { readonly source: ImageSource }
  ? Omit<Each, 'source' | 'mask'> & { readonly source: NamedSource; readonly mask?: NamedSource }
  : never

/** How a picture was made, with names in the place of its sources. */
export type NamedWork = Renamed<Transform>

/**
 * How many pictures are described inside of one. A picture has a source and a mask, each with theirs: without
 * a bound, every step could double them.
 */
const maxInside = 64
/** How many characters of a prompt stay with its pictures: thousands are kept. */
const maxPromptLength = 1000
const longestName = 100

/**
 * A prompt as it stands on pictures. Ids in it lose their session, as everywhere: two sessions in which the
 * same was said draw the same.
 */
export function shownPrompt(text: string | undefined, { tag }: World): string {
  return withoutSession(clip(text ?? '', maxPromptLength), tag)
}

/** What picture `index` (0-based) is drawn from, and what is made from it. */
export function pictureSeed({ seed }: Pictures, index: number): string {
  return `${seed}/${index}`
}

/**
 * Picture `index` (0-based) of a series, to be drawn by the edge. Its number stands on it, and not how many
 * there are: one picture is the same however many were asked for (DESIGN, idea 3).
 */
export function describePicture(pictures: Pictures, index: number, world: World): ImageMedia {
  const { width, height, format, transparent, quality, shapes, prompt, facts, from } = pictures
  return {
    kind: 'image',
    width,
    height,
    format,
    transparent,
    seed: pictureSeed(pictures, index),
    caption: { prompt, facts: [...facts, `${width} x ${height}`, `picture ${index + 1}`] },
    ...(quality === undefined || format === 'png' ? {} : { quality }),
    ...(shapes === undefined ? {} : { shapes }),
    ...(from === undefined ? {} : { from: workOf(from, world) }),
  }
}

function workOf({ source, mask, ...rest }: NamedWork, world: World): Transform {
  return {
    ...rest,
    source: describeSource(source, world),
    ...(mask === undefined ? {} : { mask: describeSource(mask, world) }),
  } as Transform
}

/** What something is made from, to be drawn by the edge. */
export function describeSource(source: NamedSource, world: World): ImageSource {
  switch (source.kind) {
    case 'made':
      return { kind: 'drawn', image: describePicture(source.pictures, source.index, world) }
    case 'kept': {
      const content = world.sources.get(source.sha256)
      return content === undefined
        ? { kind: 'absent', name: source.name }
        : { kind: 'sent', content, sha256: source.sha256 }
    }
    case 'held':
      return { kind: 'sent', content: source.file.content, sha256: source.file.sha256 }
    case 'absent':
      return source
  }
}

/**
 * A series with what it was made from. Where that would be more pictures inside of each other than are
 * described, the mask is left out, or the source: a stand-in says so: the next step begins anew, and shows
 * what this one has shown.
 */
export function madeFrom(pictures: Pictures, from: NamedWork): Pictures {
  const [source, mask] = [insideOf(from.source), from.mask === undefined ? 0 : insideOf(from.mask)]
  if (source + mask <= maxInside)
    return { ...pictures, from, ...(source + mask === 0 ? {} : { inside: source + mask }) }
  const left: NamedSource = { kind: 'absent', name: `a picture of ${maxInside} steps` }
  return madeFrom(pictures, mask > 0 ? { ...from, mask: left } : { ...from, source: left })
}

function insideOf(source: NamedSource): number {
  return source.kind === 'made' ? 1 + (source.pictures.inside ?? 0) : 0
}

/**
 * A file of a form as something to draw from. Whoever hands over calls without an edge may have no bytes of
 * it.
 */
export function sourceFrom({ content, sha256, size, filename }: FilePart): NamedSource {
  const name = shownName(filename)
  return content === undefined
    ? { kind: 'absent', name }
    : { kind: 'held', file: { content, sha256, size, name } }
}

/**
 * The same work, with the files at hand put on the shelf of the session: for pictures that are read later.
 */
export function keepSources({ source, mask, ...rest }: NamedWork, world: World): NamedWork {
  return {
    ...rest,
    source: keepSource(source, world),
    ...(mask === undefined ? {} : { mask: keepSource(mask, world) }),
  } as NamedWork
}

/**
 * Puts a file at hand on the shelf; one that is larger than the shelf is not kept. The bytes are shared with
 * whoever else keeps them.
 */
export function keepSource(source: NamedSource, { sources }: World): NamedSource {
  if (source.kind !== 'held') return source
  const { content, sha256, size, name } = source.file
  if (size > sources.maxSize) return { kind: 'absent', name }
  sources.set(sha256, content, size)
  return { kind: 'kept', sha256, name }
}

/** A name as it stands on a picture. */
export function shownName(name: string): string {
  return clip(name, longestName)
}
