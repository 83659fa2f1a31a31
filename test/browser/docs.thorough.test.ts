/**
 * The sample of docs/test/servers-and-browsers.md in Chromium, from a server that holds the page, its chunks
 * and msw's worker: with a gateway at its own address as it stands, and at the address of the page.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startChromium } from './_chromium.ts'
import { serveSite } from './_site.ts'

const root = resolve(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'docs/test/servers-and-browsers.md'), 'utf8')
/** The sample, and what the page gives `handlers` for a gateway at the page's own address. */
const [, sample = ''] = /^```js\n([\s\S]*?)^```$/m.exec(text) ?? []
const [, ownOrigin = ''] = /`(\{ origins: \[location\.origin\].*?\})`/.exec(text) ?? []

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

describe(`docs/test/servers-and-browsers.md in Chromium`, () => {
  const quiet = sample.replace(
    "onUnhandledRequest: 'bypass' }",
    "onUnhandledRequest: 'bypass', quiet: true }",
  )
  const [setUp = ''] = quiet
    .replace("{ origins: ['https://gateway.example'] }", ownOrigin)
    .split('const response')
  const bothThere = `
const { status } = await fetch('/v1/models', { headers: { authorization: 'Bearer sk-anything' } })
console.log(status, (await fetch('/logo.svg')).status)`

  it('a gateway with an address of its own answers as the page says', async () => {
    const promised = [...sample.matchAll(/console\.log\(.*\/\/ → (.*)$/gm)].map(([, line]) => line)
    expect(promised).toHaveLength(1)
    const { printed, problems } = await run(quiet, 1)
    expect({ printed, problems }).toEqual({ printed: promised, problems: [] })
  })

  it('a gateway at the address of the page answers, and so do the files of the page', async () => {
    expect(setUp).toContain('location.origin')
    const { printed, problems } = await run(setUp + bothThere, 1)
    expect({ printed, problems }).toEqual({ printed: ['200 200'], problems: [] })
  })

  it("a film plays in a page at whose own address the gateway is, and the parts of the package come from the network: unknown: 'passthrough'", async () => {
    const { printed, problems, served } = await run(
      `${setUp}
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
    const { problems } = await run(
      setUp.replace(", unknown: 'passthrough'", '') + bothThere.replace('console.log(', 'console.info('),
      1,
    )
    expect(problems.join('\n')).toMatch(/404|500/)
  })
})
