/** A film in a browser's own player: from the address of a server, seeking included. */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/transports/node.ts'
import { simulator } from '../_setup.ts'

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const missing = !existsSync(executablePath)
const reason = `no Chromium at ${executablePath}: apt-get install chromium, or set CHROMIUM to its path`
// Where tests decide what is shipped, a browser that is missing is a failure.
const skip = missing && process.env['CI'] !== 'true'
if (skip) console.warn(`test/browser/film.test.ts is NOT RUN: ${reason}`)

/** What the player shows; pixels as a sum of a small copy's. */
interface Shown {
  readonly duration: number
  readonly width: number
  readonly height: number
  readonly pictures: readonly { readonly at: number; readonly pixels: readonly number[] }[]
}

describe.skipIf(skip)(`a film in Chromium${skip ? `, NOT RUN: ${reason}` : ''}`, () => {
  it('plays from its address: right size and length, and seeking shows other pictures', async () => {
    if (missing) throw new Error(reason)
    const sim = simulator()
    const { url, close } = await listen(sim)
    onTestFinished(() => close())
    const { name } = (await (await fetch(`${url}/v1beta/models/veo-3.0:predictLongRunning`, { method: 'POST', headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' }, body: JSON.stringify({ instances: [{ prompt: 'a fox' }], parameters: { durationSeconds: 6 } }) })).json()) as { name: string }
    sim.clock.advance('1h')

    const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] })
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    // A page of the same origin, so that its pixels may be read.
    await page.route('**/page', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>page</title>' }))
    await page.goto(`${url}/page`)
    const shown = (await page.evaluate(`(${watch.toString()})(${JSON.stringify(`${url}/media/operations/${name.slice(-36)}/0.mp4`)})`)) as Shown
    expect(shown).toMatchObject({ duration: 6, width: 1280, height: 720 })
    const [first, half, late, back] = shown.pictures.map(({ pixels }) => pixels)
    expect(shown.pictures.map(({ at }) => at)).toEqual([0.02, 0.52, 4.52, 0.02])
    expect(off(first, half)).toBeGreaterThan(0.5)
    expect(off(first, late)).toBeGreaterThan(5)
    expect(off(first, back)).toBe(0)
  })
})

/** The mean difference of two pictures. */
const off = (a: readonly number[] = [], b: readonly number[] = []): number => a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0) / a.length

// Runs in the page, so it can name nothing from outside.
async function watch(address: string): Promise<Shown> {
  const { document } = globalThis as unknown as { document: { createElement(name: string): any } }
  const video = document.createElement('video')
  const heard = (event: string): Promise<void> => new Promise((resolve, reject) => {
    video.addEventListener(event, () => resolve(), { once: true })
    video.addEventListener('error', () => reject(new Error(`${video.error.code}: ${video.error.message}`)), { once: true })
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
  const pictures: { at: number; pixels: number[] }[] = []
  for (const at of [0.02, 0.52, 4.52, 0.02]) {
    const sought = heard('seeked')
    video.currentTime = at
    await sought
    brush.drawImage(video, 0, 0, 64, 36)
    pictures.push({ at: video.currentTime, pixels: Array.from(brush.getImageData(0, 0, 64, 36).data) })
  }
  return { duration: video.duration, width: video.videoWidth, height: video.videoHeight, pictures }
}
