/** The list of requests and the frame around it, in Chromium. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { listen, type SimulatorServer } from '../../src/node.ts'
import { startChromium } from '../browser/_chromium.ts'

let browser: Browser
let server: SimulatorServer
let sim: Simulator
let page: Page

beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())
beforeEach(async () => {
  sim = createSimulator({ clock: 'manual' })
  server = await listen(sim)
  page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
})
afterEach(async () => {
  await page.context().close()
  await server.close()
})

const send = (path: string, body: object, session = 'default'): Promise<string> =>
  fetch(server.url + path, {
    method: 'POST',
    headers: {
      ...{ authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      'x-sim-session': session,
    },
    body: JSON.stringify(body),
  }).then((response) => response.text())
const chat = (content: string, session?: string): Promise<string> =>
  send('/v1/chat/completions', { model: 'gpt-4o-mini', messages: [{ role: 'user', content }] }, session)
async function chats(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await chat(`request ${n}`)
}
const open = (fragment = ''): Promise<unknown> => page.goto(`${server.url}/__sim/ui/${fragment}`)
const activeElement = (): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.className || document.activeElement?.localName)

/** Stops the server and starts another at the same address. */
async function restart(): Promise<void> {
  const { port } = server
  await server.close()
  await page.getByText('Disconnected').waitFor()
  sim = createSimulator({ clock: 'manual' })
  server = await listen(sim, { port })
}

describe('an open request', () => {
  it('closes when its session is reset, and the page shows no trace of it', async () => {
    await chats(6)
    await open('#/requests/default/4')
    await page.getByRole('heading', { name: 'chat.create' }).waitFor()
    sim.resetAll()
    await page.getByText('No requests yet').waitFor()
    await expect.poll(() => page.locator('.detail').count()).toBe(0)
    await chats(6)
    await page.locator('.row').nth(5).waitFor()
    expect(await page.locator('.row[aria-current], .detail').count()).toBe(0)
    expect(page.url()).not.toContain('default/4')
  })

  it.each([6, 9])('closes when another server has its number, after %d requests', async (count) => {
    await chats(8)
    await open('#/requests/default/4')
    await page.getByRole('heading', { name: 'chat.create' }).waitFor()
    await restart()
    await chats(count)
    await expect.poll(() => page.locator('.row').count()).toBe(count)
    expect(await page.locator('.row[aria-current], .detail').count()).toBe(0)
    const notice = page.getByRole('alert').getByText('The server was started again')
    await notice.waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await chat('one more')
    await expect.poll(() => page.locator('.row').count()).toBe(count + 1)
    expect(await notice.count()).toBe(0)
  })

  it('says that its body was not read if its path is unknown', async () => {
    await send('/v1/embeddings', { model: 'x', input: 'hello' })
    await fetch(`${server.url}/v1/embeddings`, { headers: { authorization: 'Bearer sk-test' } })
    await open('#/requests/default/0')
    await page.getByText('The request body was not read: the path is unknown.').waitFor()
    await page.keyboard.press('ArrowUp')
    await page.getByRole('article', { name: 'Request 1 in' }).getByText('Response body').waitFor()
    expect(await page.getByText('was not read').count()).toBe(0)
  })
})

describe('the list', () => {
  it('counts what the search finds, and names sessions only if there are several', async () => {
    await chats(3)
    await send('/v1/chat/completionz', {})
    await open()
    await page.locator('.row').nth(3).waitFor()
    expect(await page.locator('.row .of').count()).toBe(0)
    await page.getByLabel('Search').fill('404')
    await page.getByText('1 of 4', { exact: true }).waitFor()
    await page.getByLabel('Search').fill('unknown path')
    await page.getByText('1 of 4', { exact: true }).waitFor()
    await page.getByLabel('Search').fill('')
    await page.getByText('of 4').waitFor({ state: 'detached' })
    await chat('one more', 'other')
    await page.locator('.row .of', { hasText: 'other' }).waitFor()
    await expect.poll(() => page.locator('.row .of').count()).toBe(5)
  })

  it('says what each request is about, and finds it by that or by its number', async () => {
    await chats(12)
    const video = JSON.parse(await send('/v1/videos', { model: 'sora-2', prompt: 'a fox \u202e runs' }))
    const headers = { authorization: 'Bearer sk-test' }
    await fetch(`${server.url}/v1/videos/${video.id}`, { headers })
    await open()
    const about = page.locator('.row .about')
    await expect
      .poll(async () => (await about.allTextContents()).slice(0, 3))
      .toEqual([...[video.id, 'a fox \\u{202e} runs · sora-2', 'request 11 · gpt-4o-mini']])
    for (const text of ['11', '#11', 'request 11']) {
      await page.getByLabel('Search').fill(text)
      await page.getByText('1 of 14', { exact: true }).waitFor()
      await expect.poll(() => about.allTextContents()).toEqual(['request 11 · gpt-4o-mini'])
    }
  })

  it('offers to clear filters that hide requests, and keeps the session', async () => {
    await chats(2)
    await chat('mine', 'other')
    await open('#/requests?session=other&status=4xx&only=faults&q=fox&operation=chat.create')
    await page.getByText('No request matches the filters.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL('**/requests?session=other')
    await expect.poll(() => page.locator('.row .about').allTextContents()).toEqual(['mine · gpt-4o-mini'])
    await page.locator('.session select').selectOption('')
    await page.getByLabel('Search').fill('mine')
    await page.getByText('1 of 3', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => page.locator('.row').count()).toBe(3)
    await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('')
    await expect.poll(() => page.getByRole('button', { name: 'Clear filters' }).count()).toBe(0)
  })

  it('shows in a second line on a phone what a request is about and what decided its response', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    const prompt = `A long prompt [sim:rate-limit] ${'about foxes '.repeat(9)}`
    await send('/v1/chat/completions', {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: prompt }],
    })
    await chats(1)
    await open()
    const row = page.locator('.row', { hasText: 'A long prompt' })
    await row.locator('.why').waitFor()
    // At one moment: what comes later above the list moves it.
    const places = await row.evaluate((one) =>
      ['.operation', '.about', '.why', 'time'].map((part) =>
        one.querySelector(part)?.getBoundingClientRect().toJSON(),
      ),
    )
    const [box, about, why, time] = places as (DOMRect | undefined)[]
    if (!box?.width || !about?.width || !why?.width || !time?.width) throw new Error('a part has no place')
    expect(time.y + time.height).toBeLessThanOrEqual(about.y + 2)
    expect(Math.abs(about.y - why.y)).toBeLessThan(3)
    expect(about.width).toBeGreaterThan(60)
    expect(why.x + why.width).toBeLessThanOrEqual(390)
    const cut = row.locator('.why').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    expect(await cut).toBe(0)
    await page.setViewportSize({ width: 1280, height: 800 })
    await expect.poll(async () => (await row.boundingBox())?.height).toBe(30)
  })

  it('shows "unknown path" whole beside an open request', async () => {
    await send(`/v1beta/models/${'gemini-2.5-flash-'.repeat(4)}:generateContent`, {})
    await open('#/requests/default/0')
    await page.locator('.detail .problems').waitFor()
    const why = page.locator('.row .why')
    expect(await why.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    const [reason, time] = [await why.boundingBox(), await page.locator('.row time').boundingBox()]
    expect((reason?.x ?? 0) + (reason?.width ?? 0)).toBeLessThanOrEqual(time?.x ?? 0)
    const detail = page.locator('.detail')
    expect(await detail.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  })

  it('is reached from the search by an arrow or Escape', async () => {
    await chats(3)
    await open()
    await page.locator('.row').nth(2).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('chat')
    await page.keyboard.press('ArrowDown')
    await page.waitForURL('**/requests/default/2?q=chat')
    await page.keyboard.press('ArrowDown')
    await page.waitForURL('**/requests/default/1?q=chat')
    await page.keyboard.press('/')
    await page.keyboard.press('Escape')
    await page.waitForURL('**/requests/default/1')
    await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('')
    await page.keyboard.press('ArrowDown')
    await page.waitForURL('**/requests/default/0')
  })

  it('gives the focus to the request that Enter opens, and takes it back', async () => {
    await chats(3)
    await open()
    await page.locator('.row').nth(1).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/requests/default/1')
    await expect.poll(activeElement).toBe('detail')
    await page.keyboard.press('Escape')
    await expect.poll(activeElement).toBe('rows')
    await page.keyboard.press('End')
    await page.waitForURL('**/requests/default/0')
    await page.keyboard.press('Home')
    await page.waitForURL('**/requests/default/2')
    await expect.poll(() => activeElement()).toBe('rows')
    await page.keyboard.press('Enter')
    await expect.poll(activeElement).toBe('detail')
  })

  it('ends with the oldest of many requests after End', async () => {
    await chats(120)
    await open()
    // The feed sends the latest 80 requests first; before the others arrive, End opens the oldest of these.
    await page.waitForFunction(() => document.querySelector('.rows')?.scrollHeight === 120 * 30)
    await page.keyboard.press('End')
    await page.waitForURL('**/requests/default/0')
    await page.locator('.row[aria-current] .seq', { hasText: /^0$/ }).waitFor()
  })
})

describe('the header', () => {
  const height = async () => (await page.locator('header.top').boundingBox())?.height
  const isOneRow = async (): Promise<void> => {
    await expect.poll(() => height()).toBeLessThan(50)
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280)
    const last = await page.locator('.top .status').boundingBox()
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(1280)
  }
  const begin = async (): Promise<void> => {
    await server.close()
    sim = createSimulator({ clock: 'real', speed: 10 })
    server = await listen(sim)
    await send('/v1/videos', { model: 'sora-2', prompt: 'a fox' }, 'a'.repeat(60))
    await open(`#/requests?session=${'a'.repeat(60)}`)
  }

  it('is one row of 1280 pixels with held requests, a stopped clock, or no server', async () => {
    await begin()
    await page.getByRole('button', { name: 'Next (' }).waitFor()
    await isOneRow()
    await fetch(`${server.url}/__sim/breakpoints`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"operation":"chat.create","phase":"response"}',
    })
    const held = chat('held').catch(() => '')
    await page.locator('nav .count').waitFor()
    await isOneRow()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await isOneRow()
    await server.close()
    await held
    await page.getByText('Disconnected').waitFor()
    await isOneRow()
  })

  it('takes two rows and leaves two to the filters on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await chats(1)
    await open()
    await page.locator('.row').waitFor()
    await expect.poll(() => height()).toBeLessThan(140)
    await expect.poll(async () => (await page.locator('.filters').boundingBox())?.height).toBeLessThan(80)
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  })

  it('asks before a reset that deletes requests', async () => {
    await chats(2)
    await open()
    await page.locator('.row').nth(1).waitFor()
    const reset = page.locator('.session > button')
    await reset.focus()
    await page.keyboard.press('Enter')
    await reset.getByText('Reset 2 requests, jobs, rules and clock?').waitFor()
    await page.keyboard.press('Escape')
    await reset.getByText('Reset', { exact: true }).waitFor()
    await page.keyboard.press('Tab')
    expect(sim.journal()).toHaveLength(2)
    await reset.focus()
    await page.keyboard.press('Enter')
    await reset.getByText('Reset 2 requests, jobs, rules and clock?').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('No requests yet').waitFor()
    await reset.getByText('Reset', { exact: true }).waitFor()
  })

  it('stops its clock and says why nothing happens while the server is away', async () => {
    await page.clock.install()
    await begin()
    await page.getByRole('button', { name: 'Next (' }).waitFor()
    const { port } = server
    await server.close()
    await page.getByText('Disconnected').waitFor()
    const list = await page.locator('.list').boundingBox()
    await page.getByRole('button', { name: 'Finish' }).click()
    const notice = page.getByRole('alert')
    await notice.getByText('The server cannot be reached.').waitFor()
    expect(await page.locator('.list').boundingBox()).toEqual(list)
    const time = await page.locator('.clock time').textContent()
    await page.clock.runFor(5000)
    expect(await page.locator('.clock time').textContent()).toBe(time)
    server = await listen(createSimulator({ clock: 'manual' }), { port })
    await page.clock.runFor(2000)
    await page.getByText('Live', { exact: true }).waitFor()
    await notice.getByText('The server was started again').waitFor()
    expect(await notice.getByText('cannot be reached').count()).toBe(0)
  })
})
