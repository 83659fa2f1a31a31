/**
 * The simulator in a browser, behind msw's `setupWorker`: its core and the msw integration are free of node.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import type { Page as BrowserPage } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf, get, post, simulator } from '../_setup.ts'
import { startChromium } from './_chromium.ts'
import type { Page } from './_page.ts'
import { serveSite } from './_site.ts'

const question = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Name a colour.' }] }

describe.each([
  [2, 'msw'],
  [3, 'msw3'],
])(`in Chromium, with setupWorker of msw %i`, (generation, msw) => {
  const closing: (() => unknown)[] = []
  const problems: string[] = []
  let browserPage: BrowserPage

  /** Calls a function of the page's. */
  const inPage = <Name extends keyof Page>(
    name: Name,
    ...args: Parameters<Page[Name]>
  ): Promise<Awaited<ReturnType<Page[Name]>>> =>
    browserPage.evaluate(
      ([called, given]) =>
        (globalThis as unknown as { page: Record<string, (...list: unknown[]) => unknown> }).page[
          called as string
        ]?.(...(given as unknown[])),
      [name, args] as const,
    ) as Promise<Awaited<ReturnType<Page[Name]>>>

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-sim-browser-'))
    closing.push(() => rmSync(folder, { recursive: true }))
    await build({
      entryPoints: { page: resolve('test/browser/_page.ts') },
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2023',
      loader: { '.wasm': 'binary' },
      alias: msw === 'msw' ? {} : { msw },
      logLevel: 'error',
    })

    const { url, close } = await serveSite(folder, msw)
    closing.push(close)

    const browser = await startChromium()
    closing.push(() => browser.close())
    browserPage = await browser.newPage()
    browserPage.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`))
    browserPage.on('console', (message) => {
      if (message.type() === 'error') problems.push(`console: ${message.text()}`)
    })
    await browserPage.goto(url)
    await browserPage
      .waitForFunction(() => 'page' in globalThis)
      .catch((error: unknown) => {
        throw new Error(`the page did not start: ${problems.join('\n')}`, { cause: error })
      })
  })

  afterAll(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  it('answers a chat call with the same bytes as in node', async () => {
    expect(await inPage('generation')).toBe(generation)
    const answer = await inPage('chat', question)
    const expected = await post(simulator(), '/v1/chat/completions', question)
    expect(answer).toEqual({ status: 200, text: await expected.text() })
  })

  it('streams with the virtual clock: nothing before its time', async () => {
    const { type, before, text, error } = await inPage('stream', { ...question, stream: true })
    expect({ type, before, error }).toEqual({
      type: 'text/event-stream; charset=utf-8',
      before: '',
      error: undefined,
    })
    const data = dataOf(text)
    expect(data.at(-1)).toBe('[DONE]')
    const content = data
      .slice(0, -1)
      .map(
        (chunk) =>
          (JSON.parse(chunk) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ??
          '',
      )
    const plain = JSON.parse((await inPage('chat', question)).text) as {
      choices: { message: { content: string } }[]
    }
    expect(content.join('')).toBe(plain.choices[0]?.message.content)
  })

  it('breaks a stream with an error, after what was said', async () => {
    const { text, error } = await inPage('stream', {
      ...question,
      model: 'sim-disconnect-after-3',
      stream: true,
    })
    expect(dataOf(text)).toHaveLength(3)
    expect(error).toBe('TypeError')
  })

  it('hears of a client that leaves', async () => {
    expect(await inPage('leave', { ...question, stream: true })).toEqual({
      error: 'AbortError',
      ended: 'aborted',
      events: 3,
    })
  })

  it('renders images that the browser can show', async () => {
    const sim = simulator()
    const { id } = (await (await post(sim, '/v1/tob/diffusion', { model: 'v7', text: 'a cat' })).json()) as {
      id: string
    }
    sim.clock.advance('1m')
    const { urls } = (await (await get(sim, `/v1/tob/job/${id}`)).json()) as { urls: string[] }
    const bytes = new DataView(await (await sim.fetch(urls[0] as string)).arrayBuffer())
    expect(await inPage('image')).toEqual({
      type: 'image/png',
      width: bytes.getUint32(16),
      height: bytes.getUint32(20),
    })
  })

  it('warned of nothing and left no error in the console', async () => {
    expect(await inPage('warnings')).toEqual([])
    // The break that was asked for shows in the console of a browser.
    expect(problems.filter((problem) => !problem.includes('net::ERR_FAILED'))).toEqual([])
  })
})
