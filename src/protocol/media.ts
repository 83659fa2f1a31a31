/** Descriptions of media, which the edge renders. Equal descriptions give equal bytes everywhere. */

/** An image, video or audio file that is rendered before the response is written. */
export type Media = ImageMedia | VideoMedia | FrameMedia | AudioMedia

export interface ImageMedia {
  readonly kind: 'image'
  /** Pixels. */
  readonly width: number
  readonly height: number
  readonly format: 'png' | 'webp' | 'jpeg'
  /** Always false for JPEG, which has no transparency. */
  readonly transparent: boolean
  readonly seed: string
  /** The caption, which makes images distinguishable. Default: none. */
  readonly caption?: Caption
  /** For WebP and JPEG: 0 (smallest file) to 100. Default: 100. */
  readonly quality?: number
  /** The number of shapes in each newly drawn area. Default: 5. */
  readonly shapes?: number
  /** A partial image: step `step` (from 0) of `steps`; the final image follows the last step. */
  readonly partial?: { readonly step: number; readonly steps: number }
  /** Its source images. Default: none, drawn from the seed. */
  readonly from?: Transform
}

export interface Caption {
  /** The prompt of the client. */
  readonly prompt: string
  /** Distinguishing facts: model, size, `2 of 4`. */
  readonly facts: readonly string[]
}

/** The derivation of an image from others. */
export type Transform =
  /**
   * Redraws the areas where the mask is transparent; without a mask, where the source is transparent; else an
   * oval.
   */
  | { readonly kind: 'edit'; readonly source: ImageSource; readonly mask?: ImageSource }
  /**
   * The source is in a rectangle of a canvas as large as the image; the areas (polygons of x, y, x, y …
   * on the canvas) are painted.
   */
  | {
      readonly kind: 'paint'
      readonly source: ImageSource
      readonly at: Rectangle
      readonly canvas: { readonly width: number; readonly height: number }
      readonly areas: readonly (readonly number[])[]
      readonly mask?: ImageSource
    }
  /** Extends the source beyond one side: 0 down, 1 right, 2 up, 3 left. The source keeps its size. */
  | { readonly kind: 'extend'; readonly source: ImageSource; readonly direction: 0 | 1 | 2 | 3 }
  | { readonly kind: 'cut-out'; readonly source: ImageSource }
  | { readonly kind: 'vary'; readonly source: ImageSource; readonly strength: 'subtle' | 'strong' }
  | { readonly kind: 'recolour'; readonly source: ImageSource }

/** Pixels of a canvas; `x` and `y` may be negative. */
export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A source image. */
export type ImageSource =
  /** An image of the simulator. */
  | { readonly kind: 'drawn'; readonly image: ImageMedia }
  /**
   * A file from a client: `content` is the handle of its bytes, or their base64; `sha256` (for base64, a hash
   * of the string) identifies it.
   */
  | { readonly kind: 'sent'; readonly content: unknown; readonly sha256: string }
  /**
   * An image that the simulator does not have: an external URL, which is never fetched, or an evicted file. A
   * placeholder with `name` is drawn.
   */
  | { readonly kind: 'absent'; readonly name: string }

/** An MP4: H.264 at 24 frames per second, AAC. */
export interface VideoMedia {
  readonly kind: 'video'
  readonly width: number
  readonly height: number
  readonly seconds: number
  readonly seed: string
  readonly label: string
  /** The seed of the video whose first half this one repeats, so that a remix can be recognised. */
  readonly begins?: string
  /**
   * The source images. The first and last second have their colours; the thumbnail and the spritesheet show
   * them with black bars (`contain`) or cropped to fill the frame (`cover`).
   */
  readonly images?: {
    readonly first?: ImageSource
    readonly last?: ImageSource
    readonly fit: 'contain' | 'cover'
  }
  /** Without a sound track. */
  readonly silent?: boolean
}

/** Frames of a video: the first one, or twelve in four columns and three rows. */
export interface FrameMedia {
  readonly kind: 'frames'
  readonly of: VideoMedia
  readonly sheet: boolean
  readonly format: 'webp' | 'jpeg'
  /** The caption of the first frame, because many videos start alike. The facts of the video are added. */
  readonly caption?: Caption
}

export interface AudioMedia {
  readonly kind: 'audio'
  readonly format: 'wav' | 'mp3' | 'flac' | 'opus' | 'pcm16' | 'aac'
  readonly milliseconds: number
  readonly seed: string
  /** Part `index` (from 0) of the file, for streams. Default: the whole file. */
  readonly part?: { readonly index: number; readonly of: number }
}

/** Bytes per millisecond of audio: as samples, and at most when encoded. */
const soundBytes = { samples: 48, encoded: 16 } as const

/** The approximate maximum size of a file in bytes. */
export function mediaBytes(media: Media): number {
  switch (media.kind) {
    case 'image':
      return media.width * media.height * 4
    case 'frames':
      return media.of.width * media.of.height * 4
    case 'video':
      return media.seconds * 1_000_000
    case 'audio': {
      const { format, milliseconds, part } = media
      const isSampled = format === 'wav' || format === 'pcm16'
      return (milliseconds * (isSampled ? soundBytes.samples : soundBytes.encoded)) / (part?.of ?? 1)
    }
  }
}

/** Whether it is an image that others follow. */
export const isPartial = (media: Media): boolean => media.kind === 'image' && media.partial !== undefined

/** Whether it refers to a file from a client, which it keeps in memory. */
export function holdsFiles(media: Media): boolean {
  if (media.kind === 'frames') return holdsFiles(media.of)
  const { first, last } = (media.kind === 'video' ? media.images : undefined) ?? {}
  const from = media.kind === 'image' ? media.from : undefined
  const mask = from !== undefined && 'mask' in from ? from.mask : undefined
  return [first, last, from?.source, mask].some(
    (source) => source?.kind === 'sent' || (source?.kind === 'drawn' && holdsFiles(source.image)),
  )
}
