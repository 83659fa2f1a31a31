/** Renders one media description into the bytes of its file, without a cache. */
import type { Media } from '../protocol/media.ts'
import { audioTypes, renderAudio } from './audio.ts'
import { createImageRenderer } from './image/render-image.ts'

/** The bytes of a file and their media type. */
export interface MediaFile {
  readonly bytes: Uint8Array
  readonly type: string
}

/** Rejects with a `RangeError` for media that cannot be rendered. */
export type Render = (media: Media) => Promise<MediaFile>

export function createRenderer(): Render {
  const renderImage = createImageRenderer()
  return async (media) => {
    switch (media.kind) {
      case 'image':
        return { bytes: await renderImage(media), type: `image/${media.format}` }
      case 'video': {
        const { renderVideo } = await import('./video.ts')
        return { bytes: await renderVideo(media), type: 'video/mp4' }
      }
      case 'audio':
        return { bytes: await renderAudio(media), type: audioTypes[media.format] }
    }
  }
}
