/** Descriptions of media, which the edge renders. Equal descriptions give equal bytes everywhere. */

/** An image, video or audio file that is rendered before the response is written. */
export type Media = ImageMedia | VideoMedia | AudioMedia

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
  /** A partial image: step `step` (from 0) of `steps`; the final image follows the last step. */
  readonly partial?: { readonly step: number; readonly steps: number }
}

export interface Caption {
  /** The prompt of the client. */
  readonly prompt: string
  /** Distinguishing facts: model, size, source. */
  readonly facts: readonly string[]
}

/** An MP4: H.264 at 24 frames per second, AAC. */
export interface VideoMedia {
  readonly kind: 'video'
  readonly width: number
  readonly height: number
  readonly seconds: number
  readonly seed: string
  readonly label: string
  /** Without a sound track. */
  readonly silent?: boolean
}

export interface AudioMedia {
  readonly kind: 'audio'
  readonly format: 'wav' | 'mp3' | 'flac' | 'opus' | 'pcm16' | 'aac'
  readonly milliseconds: number
  readonly seed: string
}

/** Bytes per millisecond of audio: as samples, and at most when encoded. */
const soundBytes = { samples: 48, encoded: 16 } as const

/** The approximate maximum size of a file in bytes. */
export function mediaBytes(media: Media): number {
  switch (media.kind) {
    case 'image':
      return media.width * media.height * 4
    case 'video':
      return media.seconds * 1_000_000
    case 'audio': {
      const { format, milliseconds } = media
      const isSampled = format === 'wav' || format === 'pcm16'
      return milliseconds * (isSampled ? soundBytes.samples : soundBytes.encoded)
    }
  }
}
