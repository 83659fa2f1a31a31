import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { chromium } from 'playwright-core'
import { serve } from '../serve.js'

let site
let browser
let page

before(async () => {
  site = await serve()
  // Default: the browser that `npx playwright-core install chromium` downloads.
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM })
  page = await browser.newPage()
  await page.goto(site.url)
  await page.waitForFunction(() => globalThis.gateway !== undefined)
})
after(async () => {
  await browser?.close()
  await site?.close()
})
beforeEach(() => page.evaluate(() => gateway.resetAll()))

const shows = (hasText) => page.getByRole('status').filter({ hasText }).waitFor()
const draw = () => page.getByRole('button', { name: 'Draw' }).click()

test('shows the image', async () => {
  await draw()
  const image = page.getByRole('img', { name: 'a fox' })
  await image.waitFor()
  assert.equal(await image.evaluate((element) => element.decode().then(() => element.naturalWidth)), 512)
  await page.evaluate(() => gateway.verify({ requests: 'images.generate', times: 1 }))
})

test('asks the user to wait while the gateway is overloaded', async () => {
  await page.evaluate(() => gateway.overrides.add({ then: { error: { status: 503 } }, times: 1 }))
  await draw()
  await shows('Wait a minute')
  await draw()
  await shows('This is a fox.')
})

test('reports a broken connection, and does not pay twice', async () => {
  await page.evaluate(() => gateway.overrides.add({ then: { fault: 'reset' } }))
  await draw()
  await shows('The connection broke.')
  await page.evaluate(() => gateway.verify({ requests: 'images.generate', times: 1 }))
  assert.deepEqual(await page.evaluate(() => gateway.clientReport().findings), [])
})
