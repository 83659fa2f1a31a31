/** Media as descriptions, which the edge renders. The same description gives the same bytes everywhere. */

/** An image, video or sound that is rendered before the response is written. */
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
  /** What is written on it, so that images can be told apart by eye; nothing when left out. */
  readonly caption?: Caption
  /** For WebP and JPEG: 0 (smallest file) to 100. Default: 100. */
  readonly quality?: number
  /** How many shapes are drawn in each newly drawn area. Default: 5. */
  readonly shapes?: number
  /** A partial image: step `step` (from 0) of `steps`, of which the last comes before the whole image. */
  readonly partial?: { readonly step: number; readonly steps: number }
  /** How it is made from other images; drawn from its seed alone when left out. */
  readonly from?: Transform
}

export interface Caption {
  /** In the client's own words. */
  readonly prompt: string
  /** What tells it apart, in a few words each: model, size, `2 of 4`. */
  readonly facts: readonly string[]
}

/** How an image is made from others. */
export type Transform =
  /**
   * Its areas are drawn anew where the mask is transparent (contract 4.5); without a mask, where the source
   * itself is; where nothing is, in an oval of it.
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
  /**
   * The image goes on beyond one side of the source: 0 down, 1 right, 2 up, 3 left. The source keeps its own
   * size.
   */
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

/** An image that another is made from. */
export type ImageSource =
  /** One of the simulator's own. */
  | { readonly kind: 'drawn'; readonly image: ImageMedia }
  /**
   * A file that a client has sent: `content` is the handle of its bytes, or their base64; `sha256` (of base64
   * a hash of the text) identifies it.
   */
  | { readonly kind: 'sent'; readonly content: unknown; readonly sha256: string }
  /**
   * Something that the simulator does not have: an address outside, which is never fetched, or a file that it
   * has evicted. A placeholder is drawn, with `name` on it.
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
   * The images that it is made from. Its first and its last second have their colours; its thumbnail and its
   * sheet show them in their own shape: all of them with black beside (`contain`), or as much as fills the
   * frame (`cover`).
   */
  readonly images?: {
    readonly first?: ImageSource
    readonly last?: ImageSource
    readonly fit: 'contain' | 'cover'
  }
  /** Without a sound track. */
  readonly silent?: boolean
  /** How many bytes its file has at least. */
  readonly minBytes?: number
}

/** Frames of a video: its first one, or twelve of them in four columns and three rows. */
export interface FrameMedia {
  readonly kind: 'frames'
  readonly of: VideoMedia
  readonly sheet: boolean
  readonly format: 'webp' | 'jpeg'
  /** What is written on the first frame: many videos begin alike. The signs of the video are added to it. */
  readonly caption?: Caption
}

export interface AudioMedia {
  readonly kind: 'audio'
  readonly format: 'wav' | 'mp3' | 'flac' | 'opus' | 'pcm16' | 'aac'
  readonly milliseconds: number
  readonly seed: string
  /** Part `index` (from 0) of the file, for streams; the whole file when left out. */
  readonly part?: { readonly index: number; readonly of: number }
}

/** Bytes of a millisecond of sound: of samples, and of what an encoder makes of them at most. */
const soundBytes = { samples: 48, encoded: 16 } as const

/** About how many bytes a file has at most. */
export function mediaBytes(media: Media): number {
  switch (media.kind) {
    case 'image':
      return media.width * media.height * 4
    case 'frames':
      return media.of.width * media.of.height * 4
    case 'video':
      return Math.max(media.minBytes ?? 0, media.seconds * 1_000_000)
    case 'audio': {
      const { format, milliseconds, part } = media
      const isSampled = format === 'wav' || format === 'pcm16'
      return (milliseconds * (isSampled ? soundBytes.samples : soundBytes.encoded)) / (part?.of ?? 1)
    }
  }
}
