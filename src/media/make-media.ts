/**
 * Makes the bytes of media, one at a time, wherever it runs. Keeps nothing of what it made and knows nothing
 * of replies.
 */
import type { Media } from '../protocol/media.ts'
import { audioTypes, renderAudio } from './audio/audio.ts'
import { loadJpegEncoder, loadWebpEncoder, whileSound } from './codecs/image-codecs.ts'
import { createImageMaker } from './image/image.ts'
import { renderFrames } from './video/frames.ts'
import { drawStills } from './video/stills.ts'

/** Bytes with their true media type. */
export interface MadeMedia {
  readonly bytes: Uint8Array
  readonly type: string
}

/** Rejects with a `RangeError` for media that cannot be made. */
export type MakeMedia = (media: Media) => Promise<MadeMedia>

export function createMediaMaker(): MakeMedia {
  const encoders = { webp: whileSound(loadWebpEncoder), jpeg: whileSound(loadJpegEncoder) }
  const images = createImageMaker(encoders)
  return async (media) => {
    switch (media.kind) {
      case 'image':
        return { bytes: await images.file(media), type: `image/${media.format}` }
      case 'frames':
        return {
          bytes: await renderFrames(media, await drawStills(media.of, images), encoders),
          type: `image/${media.format}`,
        }
      case 'video':
        return {
          bytes: await (await import('./video/video.ts')).renderVideo(media, await drawStills(media, images)),
          type: 'video/mp4',
        }
      case 'audio':
        return { bytes: await renderAudio(media), type: audioTypes[media.format] }
    }
  }
}
