/**
 * Media as descriptions: what endpoints say and the edge renders. The same description gives the same bytes,
 * on every machine. Nothing here is drawn, and nothing is fetched.
 */

/** A picture, film or sound that the edge renders before it writes. */
export type Media = ImageMedia | VideoMedia | FrameMedia | AudioMedia

/** A picture. Pixels. */
export interface ImageMedia {
  readonly kind: 'image'
  readonly width: number
  readonly height: number
  readonly format: 'png' | 'webp' | 'jpeg'
  /** Never of a JPEG, which cannot be. */
  readonly transparent: boolean
  readonly seed: string
  /** What is written on it, so that a page full of results can be told apart; nothing when left out. */
  readonly caption?: Caption
  /** How much is kept of a WebP or JPEG: 0 (the smallest file) to 100, which it is unless given. */
  readonly quality?: number
  /** How many shapes are drawn, wherever something is drawn anew: five unless given. */
  readonly shapes?: number
  /**
   * A picture that is still on its way: step `step` (from 0) of `steps`, of which the last comes before the
   * whole picture.
   */
  readonly onItsWay?: { readonly step: number; readonly steps: number }
  /** What it is made from; drawn from its seed alone when left out. */
  readonly from?: Work
}

/** What is written on a picture. */
export interface Caption {
  /** In the client's own words. */
  readonly prompt: string
  /** What tells it apart, in a few words each: model, size, `2 of 4`. */
  readonly facts: readonly string[]
}

/** How a picture is made from others. */
export type Work =
  /**
   * Its areas are drawn anew where the mask is transparent (contract 4.5); without a mask, where the source
   * itself is; where nothing is, in an oval of it.
   */
  | { readonly kind: 'edit'; readonly source: Source; readonly mask?: Source }
  /**
   * The source stands in a rectangle of a canvas as large as the picture; what the areas (polygons of x, y,
   * x, y … on the canvas) enclose is painted.
   */
  | {
      readonly kind: 'paint'
      readonly source: Source
      readonly at: Rectangle
      readonly canvas: { readonly width: number; readonly height: number }
      readonly areas: readonly (readonly number[])[]
      readonly mask?: Source
    }
  /**
   * The picture goes on beyond one side of the source: 0 down, 1 right, 2 up, 3 left. The source keeps its
   * own size.
   */
  | { readonly kind: 'extend'; readonly source: Source; readonly direction: 0 | 1 | 2 | 3 }
  | { readonly kind: 'cut-out'; readonly source: Source }
  | { readonly kind: 'vary'; readonly source: Source; readonly strength: 'subtle' | 'strong' }
  | { readonly kind: 'recolour'; readonly source: Source }

/** Pixels of a canvas; `x` and `y` may be negative. */
export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A picture that another is made from. */
export type Source =
  /** One of the simulator's own. */
  | { readonly kind: 'drawn'; readonly image: ImageMedia }
  /**
   * A file that a client has sent: `content` is the handle of its bytes, or their base64, `sha256` their sum
   * (of base64 a hash of the text), which stands for them.
   */
  | { readonly kind: 'sent'; readonly content: unknown; readonly sha256: string }
  /**
   * Something that the simulator does not have: an address outside, which is never fetched, or a file it
   * keeps no longer. A stand-in is drawn, with `name` on it.
   */
  | { readonly kind: 'absent'; readonly name: string }

/** A film: MP4, H.264 at 24 pictures a second, AAC. */
export interface VideoMedia {
  readonly kind: 'video'
  readonly width: number
  readonly height: number
  readonly seconds: number
  readonly seed: string
  readonly label: string
  /**
   * The seed of the film whose first half this one shows too, so that one can be seen to be made from the
   * other.
   */
  readonly begins?: string
  /**
   * Pictures that it shows for its first and for its last second, in their own shape: all of them with black
   * beside (`contain`), or as much as fills the film (`cover`).
   */
  readonly stills?: { readonly first?: Source; readonly last?: Source; readonly fit: 'contain' | 'cover' }
  /** Without a sound track. */
  readonly silent?: boolean
  /** How many bytes its file has at least; as many as it takes when left out. */
  readonly minBytes?: number
}

/** Pictures out of a film: its first one, or twelve of them in four columns and three rows. */
export interface FrameMedia {
  readonly kind: 'frames'
  readonly of: VideoMedia
  readonly sheet: boolean
  readonly format: 'webp' | 'jpeg'
  /** What is written on the first picture: many films begin alike. The signs of the film are put to it. */
  readonly caption?: Caption
}

export interface AudioMedia {
  readonly kind: 'audio'
  readonly format: 'wav' | 'mp3' | 'flac' | 'opus' | 'pcm16' | 'aac'
  readonly milliseconds: number
  readonly seed: string
  /** One of so many parts of the file, from 0, for streams; the whole file when left out. */
  readonly part?: { readonly index: number; readonly of: number }
}
