/** The page in Chromium behind proxies: its feed arrives. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { bufferingProxy, http2Front } from '../_fronts.ts'
import { startChromium } from '../browser/_chromium.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

describe.each([
  ['a proxy that collects 4 kB', (target: string) => bufferingProxy(target, 4096)],
  ['HTTP/2 over TLS', (target: string) => http2Front(target, { secure: true })],
])('behind %s', (_, makeFront) => {
  it('shows each request as it comes', async () => {
    const sim = createSimulator()
    const server = await listen(sim)
    const front = await makeFront(server.url)
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    await page.goto(`${front.url}/__sim/ui/`)
    await page.getByText('Live', { exact: true }).waitFor()
    for (const count of [1, 2, 3]) {
      await (await sim.fetch('/v1/models')).text()
      await expect.poll(() => page.locator('.row').count()).toBe(count)
    }
    expect(problems).toEqual([])
    await page.context().close()
    await front.close()
    await server.close()
  })
})
