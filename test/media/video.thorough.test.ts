import { describe, expect, it } from 'vitest'
import { createMedia } from '../../src/media/media.ts'
import type { VideoMedia } from '../../src/protocol/media.ts'
import { complaintsOf, probe, syncPackets } from '../_ffmpeg.ts'

const video = (change: Partial<VideoMedia> = {}): VideoMedia => ({
  kind: 'video',
  width: 720,
  height: 1280,
  seconds: 4,
  seed: 'fox',
  label: 'a fox',
  ...change,
})
const bytesOf = async (media: VideoMedia): Promise<Uint8Array> =>
  (await createMedia({ cacheBytes: 0 }).render(media)).bytes

const sizes = [
  [720, 1280],
  [1280, 720],
  [1024, 1792],
  [1792, 1024],
  [1080, 1920],
  [1920, 1080],
  [2160, 3840],
  [3840, 2160],
] as const
// Every length that videos and operations can be asked for, and every size; of the largest one length, as a
// second of them takes as long as all of the others.
const asked = [
  ...[4, 5, 6, 7, 8, 12].map((seconds) => ({ width: 1280, height: 720, seconds })),
  ...sizes.slice(2, 4).map(([width, height]) => ({ width, height, seconds: 4 })),
  { width: 720, height: 1280, seconds: 8 },
  ...sizes.slice(4).map(([width, height]) => ({ width, height, seconds: 4 })),
]
/** By their width: what a decoder must be able to do for so many blocks (ISO/IEC 14496-10, table A-1). */
const levels: Readonly<Record<number, number>> = {
  720: 31,
  1280: 31,
  1024: 40,
  1792: 40,
  1080: 40,
  1920: 40,
  2160: 51,
  3840: 51,
}

describe('a video, to ffmpeg', () => {
  it.each(asked)(
    'of $width x $height and $seconds s is H.264 of that size and length, 24 pictures a second, one a second to seek to',
    async ({ width, height, seconds }) => {
      const bytes = await bytesOf(video({ width, height, seconds }))
      expect(probe(bytes)).toMatchObject({
        codec: 'h264',
        profile: 'Main',
        pixels: 'yuv420p',
        level: levels[width],
        width,
        height,
        duration: seconds,
        frames: seconds * 24,
        rate: '24/1',
        whole: seconds,
      })
      expect(syncPackets(bytes)).toEqual(Array.from({ length: seconds }, (_, second) => second * 24))
      expect(complaintsOf(bytes)).toBe('')
    },
  )

  it.each([4, 5, 12])(
    'of %i s has a sound beside its pictures, which ends with them or less than a frame before',
    async (seconds) => {
      const { sound, whole } = probe(await bytesOf(video({ seconds })))
      expect(sound).toMatchObject({
        codec: 'aac LC',
        rate: 24_000,
        channels: 1,
        frames: Math.floor((seconds * 24_000) / 1024),
      })
      expect(sound?.duration).toBeLessThanOrEqual(seconds)
      expect(sound?.duration).toBeGreaterThan(seconds - 1024 / 24_000)
      expect(whole).toBe(seconds)
    },
  )

  it('has no sound when it was asked to be silent', async () => {
    const bytes = await bytesOf(video({ silent: true }))
    expect(probe(bytes)).toMatchObject({ sound: undefined, whole: 4, frames: 96 })
    expect(complaintsOf(bytes)).toBe('')
  })
})

describe('a video', () => {
  it('has its index before its pictures, and nothing else that a player would have to wait for', async () => {
    expect(topBoxes(await bytesOf(video()))).toEqual(['ftyp', 'moov', 'mdat'])
  })

  it('is refused in a size or length that no video has', async () => {
    await expect(bytesOf(video({ width: 100, height: 100 }))).rejects.toThrow(
      'expected a video size of 720x1280, 1280x720, 1024x1792, 1792x1024, 1080x1920, 1920x1080, 2160x3840, 3840x2160; got 100x100',
    )
    await expect(bytesOf(video({ seconds: 0.5 }))).rejects.toThrow(
      'expected a video of 1 to 600 whole seconds, got 0.5',
    )
  })
})

/** The boxes of an MP4 at the top, in order. Throws when they do not fill the file. */
function topBoxes(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const names: string[] = []
  let at = 0
  for (; at < bytes.length; at += view.getUint32(at))
    names.push(String.fromCharCode(...bytes.subarray(at + 4, at + 8)))
  expect(at).toBe(bytes.length)
  return names
}
