/**
 * What pages in a real browser can do to a simulator on loopback: nothing, unless their origin is allowed.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listen, type SimulatorServer } from '../../src/node.ts'
import { post, simulator } from '../_setup.ts'
import { startChromium } from './_chromium.ts'

interface Attempt {
  readonly method: string
  readonly mode?: 'no-cors'
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Tries to read from the page, and says what came of it. */
const read = (page: Page, address: string): Promise<string> =>
  page.evaluate(
    (url) =>
      fetch(url).then(
        async (response) => `${response.status} ${await response.text()}`,
        () => 'kept from the page',
      ),
    address,
  )

/** Tries to change something from the page; without CORS, it never learns what came of it. */
const send = (page: Page, address: string, init: Attempt): Promise<string> =>
  page.evaluate(
    ([url, how]) =>
      fetch(url, how).then(
        ({ type, status }) => `${type} ${status}`,
        () => 'kept from the page',
      ),
    [address, init] as const,
  )

const plain = { 'content-type': 'text/plain' }
const attempts: readonly Attempt[] = [
  { method: 'POST', mode: 'no-cors', headers: plain, body: '{"all":true}' },
  { method: 'POST', mode: 'no-cors' },
  { method: 'POST', headers: plain, body: '{}' },
  { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
]

describe(`a page in Chromium`, () => {
  const sim = simulator({ settings: { control: { origins: ['http://friend.example'] } } })
  const pages = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><link rel="icon" href="data:,">'),
  )
  // Browsers ask for icons too.
  const calls = () => sim.journal({ operation: 'chat.create' })
  let listening: SimulatorServer
  let browser: Browser
  let page: Page
  let port: number

  beforeAll(async () => {
    listening = await listen(sim)
    await new Promise<void>((ready) => pages.listen(0, '127.0.0.1', ready))
    port = (pages.address() as AddressInfo).port
    browser = await startChromium([
      // A name that leads to loopback, as it does after DNS rebinding.
      `--host-resolver-rules=MAP evil.example 127.0.0.1, MAP friend.example:80 127.0.0.1:${port}`,
    ])
    page = await browser.newPage()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await listening?.close()
    pages.closeAllConnections()
    pages.close()
  })
  beforeEach(async () => {
    sim.resetAll()
    await post(sim, '/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: 'x' }] })
  })

  it.each(['evil.example', 'localhost'])(
    'of another origin (%s) can neither reset it nor read its journal',
    async (host) => {
      await page.goto(`http://${host}:${port}/`)
      for (const init of attempts) await send(page, `${listening.url}/__sim/reset`, init)
      await page.setContent(`<form method=post action="${listening.url}/__sim/reset"></form>`)
      await page.evaluate(() =>
        (globalThis as unknown as { document: { forms: [{ submit(): void }] } }).document.forms[0].submit(),
      )
      await page.waitForURL('**/__sim/reset')
      expect(calls()).toHaveLength(1)

      await page.goto(`http://${host}:${port}/`)
      for (const path of ['/__sim/journal', '/__sim/health', '/s/default/__sim/journal'])
        expect(await read(page, `${listening.url}${path}`)).toBe('kept from the page')
      expect(await read(page, `${listening.url}/v1/models`)).toMatch(/^401 /)
    },
  )

  it('whose name leads to the simulator (DNS rebinding) can do neither', async () => {
    const here = `http://evil.example:${listening.port}`
    await page.goto(`${here}/v1/models`)
    expect(await read(page, `${here}/__sim/journal`)).toMatch(/^403 .*host: expected localhost/)
    for (const init of attempts) await send(page, `${here}/__sim/reset`, init)
    expect(calls()).toHaveLength(1)
  })

  it('whose origin is allowed can do both', async () => {
    await page.goto('http://friend.example/')
    expect(await read(page, `${listening.url}/__sim/journal`)).toMatch(/^200 .*"chat\.create"/)
    const json = { 'content-type': 'application/json' }
    const reset = { method: 'POST', headers: json, body: '{}' }
    expect(await send(page, `${listening.url}/__sim/reset`, reset)).toBe('cors 200')
    expect(calls()).toEqual([])
  })

  it('that the user opens shows the journal', async () => {
    await page.goto(`${listening.url}/__sim/journal`)
    expect(await page.textContent('body')).toContain('"chat.create"')
  })
})
