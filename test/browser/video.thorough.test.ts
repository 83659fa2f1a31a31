/** A video in a browser's own player: from the address of a server, seeking included. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { flatPng } from '../../src/media/image/png.ts'
import { listen } from '../../src/node.ts'
import { simulator } from '../_setup.ts'
import { startChromium } from './_chromium.ts'

/** An image in one colour, as operations take it. */
function image(colour: string): object {
  const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ]
  return {
    bytesBase64Encoded: Buffer.from(
      flatPng({ width: 64, height: 36, transparent: false, colour: channels }),
    ).toString('base64'),
    mimeType: 'image/png',
  }
}

/** What the player shows; pixels as a sum of a small copy's. */
interface Shown {
  readonly duration: number
  readonly width: number
  readonly height: number
  /** Bytes of sound that were decoded, and seconds that were played. */
  readonly heard: number
  readonly played: number
  readonly images: readonly { readonly at: number; readonly pixels: readonly number[] }[]
}

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

describe(`a video in Chromium`, () => {
  // A video of 2160 lines takes Chromium's own decoder a while; what differs from the others is its size
  // alone.
  it.each([
    ['of 720 lines', {}, {}, [1280, 720]],
    ['upright, without sound', {}, { aspectRatio: '9:16', generateAudio: false }, [720, 1280]],
    ['of 1080 lines', {}, { resolution: '1080p' }, [1920, 1080]],
    ['of 2160 lines', {}, { resolution: '4k' }, [3840, 2160]],
    [
      'that is made from two images',
      { image: image('#d03020'), lastFrame: image('#2030d0') },
      {},
      [1280, 720],
    ],
    [
      'of 1080 lines that is made from an image',
      { image: image('#d03020') },
      { resolution: '1080p', resizeMode: 'crop' },
      [1920, 1080],
    ],
  ])(
    '%s plays from its address: right size and length, and seeking shows other images',
    async (_, instance, parameters, [width, height]) => {
      const sim = simulator()
      const { url, close } = await listen(sim)
      onTestFinished(() => close())
      const { name } = (await (
        await fetch(`${url}/v1beta/models/veo-3.0:predictLongRunning`, {
          method: 'POST',
          headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
          body: JSON.stringify({
            instances: [{ prompt: 'a fox', ...instance }],
            parameters: { durationSeconds: 6, ...parameters },
          }),
        })
      ).json()) as { name: string }
      sim.clock.advance('1h')

      const page = await browser.newPage()
      onTestFinished(() => page.close())
      // A page of the same origin, so that its pixels may be read.
      await page.route('**/page', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>page</title>' }),
      )
      await page.goto(`${url}/page`)
      const shown = (await page.evaluate(
        `(${watch.toString()})(${JSON.stringify(`${url}/v1beta/files/${name.slice(-36).replaceAll('-', '')}0:download`)})`,
      )) as Shown
      expect(shown).toMatchObject({
        duration: 6,
        width,
        height,
        heard: 'generateAudio' in parameters ? 0 : expect.any(Number),
        played: expect.any(Number),
      })
      if (!('generateAudio' in parameters)) expect(shown.heard).toBeGreaterThan(0)
      expect(shown.played).toBeGreaterThan(0.3)
      const [first, half, late, back] = shown.images.map(({ pixels }) => pixels)
      expect(shown.images.map(({ at }) => at)).toEqual([0.02, 0.52, 4.52, 0.02, 5.52])
      expect(off(first, half)).toBeGreaterThan(0.2)
      expect(off(first, late)).toBeGreaterThan(5)
      expect(off(first, back)).toBe(0)
    },
  )
})

/** The mean difference of two images. */
const off = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0) / a.length

// Runs in the page, so it can name nothing from outside.
async function watch(address: string): Promise<Shown> {
  const { document } = globalThis as unknown as { document: { createElement(name: string): any } }
  const video = document.createElement('video')
  const heard = (event: string): Promise<void> =>
    new Promise((resolve, reject) => {
      video.addEventListener(event, () => resolve(), { once: true })
      video.addEventListener(
        'error',
        () => reject(new Error(`${video.error.code}: ${video.error.message}`)),
        { once: true },
      )
    })
  video.muted = true
  video.preload = 'auto'
  const loaded = heard('loadeddata')
  video.src = address
  await loaded
  const canvas = document.createElement('canvas')
  canvas.width = 64
  canvas.height = 36
  const brush = canvas.getContext('2d')
  const images: { at: number; pixels: number[] }[] = []
  for (const at of [0.02, 0.52, 4.52, 0.02, 5.52]) {
    const sought = heard('seeked')
    video.currentTime = at
    await sought
    // A busy browser may still draw the former picture; each differs from the one before.
    const before = String(images.at(-1)?.pixels)
    let pixels: number[] = []
    for (let frame = 0; frame < 100 && (frame === 0 || String(pixels) === before); frame++) {
      if (frame > 0) await new Promise((resolve) => setTimeout(resolve, 20))
      brush.drawImage(video, 0, 0, 64, 36)
      pixels = Array.from(brush.getImageData(0, 0, 64, 36).data as ArrayLike<number>)
    }
    images.push({ at: video.currentTime, pixels })
  }
  // The end of the fourth second and the beginning of the fifth, as they come.
  video.currentTime = 3.5
  const begun = video.currentTime
  await video.play()
  await new Promise<void>((resolve) =>
    video.addEventListener('timeupdate', function further() {
      if (video.currentTime < begun + 0.4) return
      video.removeEventListener('timeupdate', further)
      resolve()
    }),
  )
  video.pause()
  return {
    duration: video.duration,
    width: video.videoWidth,
    height: video.videoHeight,
    heard: video.webkitAudioDecodedByteCount,
    played: video.currentTime - begun,
    images,
  }
}
