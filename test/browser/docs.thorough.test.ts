/**
 * The samples of docs/browser.md, each in a page of its own in Chromium, from a server that holds the page,
 * its chunks and msw's worker.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startChromium } from './_chromium.ts'
import { serveSite } from './_site.ts'

const root = resolve(import.meta.dirname, '../..')
const samples = [
  ...readFileSync(join(root, 'docs/browser.md'), 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm),
].map(([, text = '']) => text)

interface Ran {
  readonly printed: readonly string[]
  readonly problems: readonly string[]
  /** Paths that reached the server. */
  readonly served: readonly string[]
}

/** Runs a sample until it has printed so many lines, or has failed. */
async function run(text: string, lines: number): Promise<Ran> {
  // Inside the checkout, so that the sample finds the packages it imports.
  const folder = mkdtempSync(join(root, 'node_modules/.cache-browser-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'sample.js'), text)
  await build({
    entryPoints: { page: join(folder, 'sample.js') },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    loader: { '.wasm': 'binary' },
    logLevel: 'error',
    alias: { 'gateway-sim/msw': join(root, 'src/msw.ts'), 'gateway-sim': join(root, 'src/index.ts') },
  })

  const { url, served, close } = await serveSite(folder)
  onTestFinished(close)

  const browser = await startChromium()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const printed: string[] = []
  const problems: string[] = []
  await new Promise<void>((done, failed) => {
    const problem = (what: string): void => {
      problems.push(what)
      done()
    }
    page.on('pageerror', (error) => problem(error.stack ?? error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') return problem(message.text())
      // msw tells of each call in a group; what a sample prints is a plain line.
      if (message.type() !== 'log' || message.text().startsWith('[MSW]')) return
      printed.push(message.text())
      if (printed.length === lines) done()
    })
    page.goto(url).catch(failed)
  })
  return { printed, problems, served }
}

const promisedBy = (text: string): (string | undefined)[] =>
  [...text.matchAll(/console\.log\(.*\/\/ → (.*)$/gm)].map(([, line]) => line)

describe(`docs/browser.md in Chromium`, () => {
  const page = (index: number): string => {
    return (samples[index] ?? '').replace(
      "onUnhandledRequest: 'bypass' }",
      "onUnhandledRequest: 'bypass', quiet: true }",
    )
  }

  it('has two samples', () => expect(samples.length).toBe(2))

  it.each([
    ['with an address of its own', 0],
    ['at the address of the page', 1],
  ])('a gateway %s answers as the page says', async (_where, index) => {
    const { printed, problems } = await run(page(index), promisedBy(samples[index] ?? '').length)
    expect({ printed, problems }).toEqual({ printed: promisedBy(samples[index] ?? ''), problems: [] })
  })

  it("a film plays in a page at whose own address the gateway is, and the parts of the package come from the network: unknown: 'passthrough'", async () => {
    const { printed, problems, served } = await run(
      `${page(1).split('const response')[0]}
      const headers = { authorization: 'Bearer sk-anything', 'content-type': 'application/json' }
      const { name } = await (await fetch('/v1beta/models/veo-3.0:predictLongRunning', { method: 'POST', headers, body: JSON.stringify({ instances: [{ prompt: 'a fox' }], parameters: { durationSeconds: 4 } }) })).json()
      let operation
      do operation = await (await fetch('/v1beta/' + name, { headers })).json()
      while (!operation.done)
      const video = document.createElement('video')
      video.muted = true
      const loaded = new Promise((resolve, reject) => Object.assign(video, { onloadeddata: resolve, onerror: () => reject(new Error(video.error.message)) }))
      video.src = operation.response.generatedVideos[0].uri
      await loaded
      console.log(video.videoWidth, video.videoHeight, video.duration)`,
      1,
    )
    expect({ printed, problems }).toEqual({ printed: ['1280 720 4'], problems: [] })
    const late = served.filter(
      (path) => path.endsWith('.js') && path !== '/page.js' && path !== '/mockServiceWorker.js',
    )
    expect(late.length).toBeGreaterThan(1)
    expect(served.filter((path) => path.startsWith('/v1'))).toEqual([])
  })

  it("without it the page's own files meet the simulator, as the page says", async () => {
    const text = page(1).replace(", unknown: 'passthrough'", '').replace('console.log(', 'console.info(')
    const { problems } = await run(text, 1)
    expect(problems.join('\n')).toMatch(/404|500/)
  })
})
