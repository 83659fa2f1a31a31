/** Videos that are made from images: what of the image is seen in the file, its thumbnail and its sheet. */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { createMedia } from '../../src/media/media.ts'
import { drawScene, sceneOf, signs, signsOf } from '../../src/media/video/scene.ts'
import type { FrameMedia, ImageSource, VideoMedia } from '../../src/protocol/media.ts'
import { complaintsOf, imagesOf } from '../_ffmpeg.ts'
import { drawn, imageMedia, sent } from './_images.ts'
import { difference, rgbOf } from './_pixels.ts'

const video = (first: ImageSource | undefined, change: Partial<VideoMedia> = {}): VideoMedia => ({
  kind: 'video',
  width: 1280,
  height: 720,
  seconds: 4,
  seed: 'fox',
  label: 'a fox',
  ...(first === undefined ? {} : { images: { first, fit: 'cover' } }),
  ...change,
})
const bytesOf = async (media: VideoMedia | FrameMedia): Promise<Uint8Array> =>
  (await createMedia({ cacheBytes: 0 }).render(media)).bytes
const framesOf = (of: VideoMedia, sheet: boolean): FrameMedia => ({
  kind: 'frames',
  of,
  sheet,
  format: sheet ? 'jpeg' : 'webp',
})
/** The signs by the title of the file, which holds them. */
const signsIn = async (media: VideoMedia): Promise<string> =>
  /([A-Z]+): a fox/.exec(Buffer.from(await bytesOf(media)).toString('latin1'))?.[1] ?? ''

async function plain(background: string, width = 300, height = 300): Promise<Uint8Array> {
  return new Uint8Array(
    await sharp({ create: { width, height, channels: 4, background } })
      .png()
      .toBuffer(),
  )
}

/** Soft colours and an edge. */
async function photo(width: number, height: number): Promise<Uint8Array> {
  const stops = '<stop offset="0" stop-color="#e33"/><stop offset="1" stop-color="#24d"/>'
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="g" x2="1" y2="1">${stops}</linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#g)"/><circle cx="30%" cy="40%" r="20%" fill="#fe6"/></svg>`
  return new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer())
}

describe('the seconds of a video', () => {
  const groundOf = (sign: string) => sceneOf(sign, 0, 1280, 720).ground

  it('begin with the sign whose ground is nearest to the colour of the image', async () => {
    for (const sign of signs) {
      const [red, green, blue] = groundOf(sign)
      const source = sent(await plain(`rgb(${red + 3}, ${green - 2}, ${blue + 4})`))
      const shown = await signsIn(video(source))
      expect(shown).toMatch(new RegExp(`^${sign}[A-Z]{3}$`))
      expect(shown).not.toMatch(/(.)\1/)
    }
  })

  it('end with that of the last image, and never with the same sign twice', () => {
    expect(signsOf(video(undefined), undefined, groundOf('K'))).toMatch(/^[A-Z]{3}K$/)
    expect(signsOf(video(undefined), groundOf('A'), groundOf('K'))).toMatch(/^A[A-Z]{2}K$/)
    expect(signsOf(video(undefined, { seconds: 1 }), groundOf('A'), groundOf('K'))).toBe('A')
    for (let index = 0; index < 50; index++)
      expect(signsOf(video(undefined, { seed: `${index}` }), undefined, groundOf('K'))).not.toMatch(/(.)\1/)
  })

  it('are those of the seed where there is no image, and of both where there is', async () => {
    const source = sent(await plain('rgb(150, 40, 45)'))
    expect(await signsIn(video(undefined))).toBe(signsOf(video(undefined)))
    const shown = await Promise.all(['fox', 'wolf'].map((seed) => signsIn(video(source, { seed }))))
    expect(shown[0]?.slice(1)).not.toBe(shown[1]?.slice(1))
  })
})

describe('a video that is made from an image, to ffmpeg', () => {
  it('is whole, and shows the second of its signs', async () => {
    const media = video(sent(await plain('rgb(30, 90, 150)')))
    const bytes = await bytesOf(media)
    expect(complaintsOf(bytes)).toBe('')
    const [first] = imagesOf(bytes, 12, 160, 90) as [Buffer]
    const scene = rgbOf(drawScene(sceneOf('C', 0, 1280, 720), 1280, 720, 8).rgba)
    expect(difference(first, scene)).toBeLessThan(4)
  })
})

describe('a thumbnail', () => {
  const corners = async (media: VideoMedia): Promise<number[][]> => {
    const { data, info } = await sharp(await bytesOf(framesOf(media, false)))
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(info).toMatchObject({ width: media.width, height: media.height })
    return (
      [
        [0, 0],
        [info.width >> 1, info.height >> 1],
        [info.width - 1, info.height - 1],
      ] as const
    ).map(([x, y]) => {
      const at = (y * info.width + x) * 3
      return [...data.subarray(at, at + 3)].map((value) => Math.round(value / 40))
    })
  }
  const [black, red, white] = [
    [0, 0, 0],
    [5, 1, 1],
    [6, 6, 6],
  ]

  it('shows all of the image between black bars, or as much as fills the frame', async () => {
    const first = sent(await plain('#d02030'))
    const of = (fit: 'contain' | 'cover', change: Partial<VideoMedia> = {}): VideoMedia =>
      video(undefined, { images: { first, fit }, ...change })
    expect(await corners(of('cover'))).toEqual([red, red, red])
    expect(await corners(of('contain'))).toEqual([black, red, black])
    expect(await corners(of('contain', { width: 720, height: 1280 }))).toEqual([black, red, black])
  })

  it('shows white where the image is transparent', async () => {
    const first = sent(await plain('#d0203000'))
    expect(await corners(video(undefined, { images: { first, fit: 'contain' } }))).toEqual([
      black,
      white,
      black,
    ])
  })

  it('shows a placeholder for an image that is not here or that nobody can read', async () => {
    const sources: ImageSource[] = [
      { kind: 'absent', name: 'a.example/fox.png' },
      { kind: 'absent', name: 'a.example/wolf.png' },
      sent(new TextEncoder().encode('hello')),
      drawn(imageMedia()),
    ]
    const thumbnails = await Promise.all(
      sources.map(async (first) =>
        Buffer.from(await bytesOf(framesOf(video(first), false))).toString('base64'),
      ),
    )
    expect(new Set(thumbnails).size).toBe(4)
  })
})

describe('a sheet', () => {
  it('shows the images for the first and the last second, and the signs between', async () => {
    const [first, last] = [sent(await photo(640, 360)), sent(await plain('#d02030', 640, 360))]
    const media = video(undefined, { images: { first, last, fit: 'cover' } })
    const sheet = sharp(await bytesOf(framesOf(media, true)))
    expect(await sheet.metadata()).toMatchObject({ width: 1280, height: 540 })
    const tile = (place: number): Promise<Buffer> =>
      sheet
        .clone()
        .extract({ left: (place % 4) * 320, top: Math.floor(place / 4) * 180, width: 320, height: 180 })
        .raw()
        .toBuffer()
    const image = await sharp(await photo(640, 360))
      .resize(320, 180, { kernel: 'nearest' })
      .removeAlpha()
      .raw()
      .toBuffer()
    for (const place of [0, 1, 2]) expect(difference(await tile(place), image)).toBeLessThan(6)
    for (const place of [9, 10, 11])
      expect([...(await tile(place)).subarray(0, 3)].map((value) => Math.round(value / 40))).toEqual([
        5, 1, 1,
      ])
    const sign = (await signsIn(media)).charAt(1)
    const scene = rgbOf(drawScene(sceneOf(sign, 0, 1280, 720), 1280, 720, 4).rgba)
    expect(difference(await tile(3), scene)).toBeLessThan(6)
  })
})
