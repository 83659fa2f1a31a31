/** Five questions, answered with the page alone by someone who knows only the names on its links and buttons. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import OpenAI from 'openai'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { listen, type SimulatorServer } from '../../src/node.ts'
import { startChromium } from '../browser/_chromium.ts'

let browser: Browser
let server: SimulatorServer
let page: Page
let client: OpenAI

beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

const folder = mkdtempSync(join(tmpdir(), 'gateway-sim-newcomer-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const rules = [
  {
    id: 'breaks-off',
    when: { operation: 'chat.create', body: { stream: true } },
    then: { text: 'one two three four five', fault: { kind: 'disconnect', afterEvents: 3 } },
  },
  { id: 'greeting', when: { operation: 'chat.create' }, then: { text: 'Good morning' } },
]

beforeEach(async () => {
  const sim = createSimulator({ clock: 'auto', scenarios: [{ title: 'Two rules', rules }] } as never)
  server = await listen(sim)
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-test', maxRetries: 0 })
  page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.goto(server.url)
  await page.getByText('Live', { exact: true }).waitFor()
})
afterEach(async () => {
  await page.context().close()
  await server.close()
})

const chat = (more: object = {}) =>
  client.chat.completions.create({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'Hello' }],
    ...more,
  })
const openView = (name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true }).click()
const openRequest = (): Promise<void> => page.locator('.row').first().click()
const saved = async (button: string): Promise<string> => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ])
  const path = join(folder, download.suggestedFilename())
  await download.saveAs(path)
  return path
}

it('why a request got 400: one click on the request', async () => {
  await chat({ temperature: 9 }).catch(() => undefined)
  await openRequest()
  await page.getByRole('heading', { name: 'Rejected' }).waitFor()
  await expect.poll(() => page.locator('.problems').innerText()).toContain('temperature')
})

it('which rule responded: one click on the request', async () => {
  await chat()
  await openRequest()
  await page.getByRole('heading', { name: 'Why this response' }).waitFor()
  await expect.poll(() => page.locator('.detail').innerText()).toContain('greeting')
})

it('where a stream stopped: one click on the view, which counts the events', async () => {
  const stream = (await chat({ stream: true })) as unknown as AsyncIterable<unknown>
  await (async () => {
    for await (const _ of stream);
  })().catch(() => undefined)
  await openView('Streams')
  await page
    .getByText(/disconnected/i)
    .first()
    .waitFor()
  await expect.poll(() => page.locator('main').innerText()).toMatch(/after 3|3 events|3 of/)
})

it('making the second video fail: two clicks, and its next poll reports it', async () => {
  for (const prompt of ['a fox', 'a hare']) await client.videos.create({ model: 'sora-2', prompt })
  await openView('Timeline')
  await page.locator('.lane .state').nth(1).waitFor()
  const lane = page.locator('.lane a.label').nth(1)
  const id = (await lane.getAttribute('title'))?.replace('video ', '') as string
  await lane.click()
  await page.getByRole('button', { name: 'Fail', exact: true }).click()
  await page.locator('.lane .state', { hasText: 'failed' }).waitFor()
  expect((await client.videos.retrieve(id)).status).toBe('failed')
})

it('showing it to a colleague: one click, and a file that opens without the server', async () => {
  await chat({ temperature: 9 }).catch(() => undefined)
  await page.locator('.row').first().waitFor()
  const file = await saved('Save')
  await server.close()
  await page.goto(pathToFileURL(file).href)
  await openRequest()
  await page.getByRole('heading', { name: 'Rejected' }).waitFor()
})

it('keeping requests as a recording: one click, and a HAR file with what the list shows', async () => {
  await chat({ temperature: 9 }).catch(() => undefined)
  await chat()
  await page.locator('.row').nth(1).waitFor()
  const statuses = async (button: string): Promise<readonly number[]> => {
    const { log } = JSON.parse(readFileSync(await saved(button), 'utf8'))
    return log.entries.map(({ response }: { response: { status: number } }) => response.status)
  }
  expect(await statuses('Keep as recording')).toEqual([400, 200])
  await page.getByLabel('Status').selectOption('4xx')
  await expect.poll(() => page.locator('.row').count()).toBe(1)
  expect(await statuses('Keep as recording')).toEqual([400])
})
