/** The page in Chromium, on traffic of real clients: what a person would do there. */
import { readFileSync } from 'node:fs'
import OpenAI from 'openai'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { listen, type SimulatorServer } from '../../src/node.ts'
import { jsonCall } from '../_setup.ts'
import { startChromium } from '../browser/_chromium.ts'

const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

let browser: Browser
let server: SimulatorServer
let sim: Simulator
let page: Page
let problems: string[]

beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

const rules = [
  {
    id: 'busy',
    when: { operation: 'chat.create', conversation: { lastUser: { contains: 'busy' } } },
    then: { error: { status: 503 } },
  },
  {
    id: 'slow',
    when: { operation: 'chat.create', conversation: { lastUser: { contains: 'slow' } } },
    then: { text: 'one two three four', stream: { eventInterval: '1s' } },
  },
  {
    id: 'breaks-off',
    when: { operation: 'chat.create', conversation: { lastUser: { contains: 'cut' } } },
    then: { text: 'one two three', fault: { kind: 'disconnect', afterEvents: 3 } },
  },
]

beforeEach(async () => {
  sim = createSimulator({ clock: 'manual', scenarios: [{ title: 'Two rules', rules }] } as never)
  server = await listen(sim)
  page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  problems = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
})
afterEach(async () => {
  await page.context().close()
  await server.close()
})

const client = (session = 'default'): OpenAI =>
  new OpenAI({
    ...{ baseURL: `${server.url}/v1`, apiKey: 'sk-test', maxRetries: 0 },
    defaultHeaders: { 'x-sim-session': session },
  })
const chat = (content: string, more: object = {}, session?: string) =>
  client(session).chat.completions.create({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content }],
    ...more,
  })
/** Requests a stream; resolves when it begins. */
async function stream(content: string): Promise<{ readonly end: Promise<void> }> {
  const events = (await chat(content, { stream: true })) as unknown as AsyncIterable<unknown>
  const readToEnd = async (): Promise<void> => {
    for await (const _ of events);
  }
  return { end: readToEnd().catch(() => undefined) }
}
const open = (fragment = ''): Promise<unknown> => page.goto(`${server.url}/__sim/ui/${fragment}`)

/** What axe finds of A and AA. */
async function barriers(): Promise<readonly string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
    })
    return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
      nodes.map(({ html }) => `${id}: ${html}`),
    )
  })
}

it('needs four requests and 50 KB of code for its first view, which older requests and other views follow', async () => {
  for (let at = 0; at < 100; at++) await chat('Hello')
  const paths: string[] = []
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('.row') === null) return
      observer.disconnect()
      // Its height now: the others follow at the latest after half a second, whether a frame was drawn or not.
      performance.mark('first row', { detail: document.querySelector('.rows')?.scrollHeight })
    })
    observer.observe(document, { subtree: true, childList: true })
  })
  await Promise.all([page.waitForRequest(/\/later-[\w-]+\.js$/), open()])
  const before = await page.evaluate(() => {
    const end = performance.getEntriesByName('first row')[0]?.startTime ?? 0
    const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    return resources
      .filter(({ startTime }) => startTime < end)
      .map(({ name, decodedBodySize }) => ({ name: name.replace(/^.*\//, ''), size: decodedBodySize }))
  })
  // The feed, which does not end, is not in this list.
  const names = before.map(({ name }) => name)
  expect(names.sort()).toEqual(['page.css', 'page.js'])
  expect(before.find(({ name }) => name === 'page.js')?.size).toBeLessThan(50_000)
  expect(paths.filter((path) => path === '/__sim/events')).toHaveLength(1)
  const first = async (): Promise<unknown> => {
    await open()
    await page.locator('.row').first().waitFor()
    return page.evaluate(
      () => (performance.getEntriesByName('first row')[0] as PerformanceMark | undefined)?.detail,
    )
  }
  // More than once: a browser that is slower than half a second reads the older requests with the latest.
  await expect.poll(first).toBe(80 * 30)
  await page.waitForFunction(() => document.querySelector('.rows')?.scrollHeight === 100 * 30)
})

describe('requests', () => {
  it('say that a body is cut, and which copies that rules out', async () => {
    await chat('lorem ipsum '.repeat(10_000))
    await open('#/requests/default/0')
    await page
      .getByText(/^The journal keeps only the first 65,536 characters of these 120,\d+ bytes\.$/)
      .waitFor()
    await page.getByText('No copy as curl, SDK call or step').waitFor()
    for (const name of ['curl', 'SDK call', 'step'])
      expect(await page.getByRole('button', { name, exact: true }).isDisabled(), name).toBe(true)
    expect(await page.getByRole('button', { name: 'rule', exact: true }).isEnabled()).toBe(true)
  })

  it('appear as they come, newest first, with the root of the server as the address to open', async () => {
    await chat('first')
    await page.goto(server.url)
    await page.getByText('Live', { exact: true }).waitFor()
    await expect.poll(() => page.locator('.row .operation').allTextContents()).toEqual(['chat.create'])
    await chat('busy').catch(() => undefined)
    await page.locator('.row .code', { hasText: '503' }).waitFor()
    await expect.poll(() => page.locator('.row .code').allTextContents()).toEqual(['503', '200'])
    expect(problems).toEqual([])
  })

  it('show why one was rejected, with the field and what to write', async () => {
    await chat('x', { model: undefined }).catch(() => undefined)
    await open()
    await page.locator('.row').first().click()
    await page.getByRole('heading', { name: 'Rejected' }).waitFor()
    await expect
      .poll(() => page.locator('.problems').textContent())
      .toContain('is required: expected a string')
    expect(page.url()).toContain('#/requests/default/0')
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const button = await page.getByRole('button', { name: 'Keep as recording' }).last().boundingBox()
      const box = await page.locator('.problems').boundingBox()
      const end = (button?.y ?? 0) + (button?.height ?? 0)
      expect((box?.y ?? 0) - end, `${width} pixels wide`).toBeGreaterThanOrEqual(16)
    }
  })

  it('show which rule answered, and which were considered', async () => {
    await chat('busy').catch(() => undefined)
    await open('#/requests/default/0')
    await page.getByRole('heading', { name: 'Why this response' }).waitFor()
    await expect.poll(() => page.locator('.detail').textContent()).toContain('busy')
    await page.locator('.detail').getByRole('link', { name: 'busy' }).first().click()
    await page.getByRole('heading', { name: 'Scenarios' }).waitFor()
  })

  it('show the findings about them', async () => {
    const fault = { kind: 'rate-limit', retryAfter: '7s' }
    await sim.fetch('/__sim/overrides', jsonCall({ fault, times: 1 }))
    const headers = { authorization: 'Bearer sk-test' }
    for (const content of ['first', 'first', 'second']) {
      const body = { model: 'gpt-4o', messages: [{ role: 'user', content }] }
      await sim.fetch('/v1/chat/completions', jsonCall(body, headers))
    }
    await open('#/requests/default/1')
    const finding = page.locator('.detail li', { hasText: 'ignored-retry-after: ' })
    await finding.waitFor()
    const [report] = await Promise.all([page.waitForResponse(/client-report$/), open('#/requests/default/2')])
    await report.finished()
    await page.locator('.detail', { hasText: '2 in session default' }).waitFor()
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await page.getByRole('heading', { name: 'Findings' }).count()).toBe(0)
    await open('#/requests/default/1')
    await finding.getByRole('link').click()
    await page.getByRole('heading', { name: 'Clients in session default' }).waitFor()
  })

  it('show after which event a response was cut, when, and by which fault and rule', async () => {
    const { end } = await stream('cut')
    sim.clock.advance('1m')
    await end
    const { endedAfter = 0 } = sim.journal()[0] ?? {}
    await open('#/requests/default/0')
    const facts = page.locator('.facts')
    await facts.getByText(`disconnected after event 3, at ${endedAfter / 1000} s`).waitFor()
    await facts.getByText('disconnect, by rule breaks-off').waitFor()
    await facts.getByRole('link', { name: 'Show events' }).click()
    await page.locator('.stream-head', { hasText: 'disconnected after event 3' }).waitFor()
    expect(page.url()).toContain('#/stream/default/0')
  })

  it('say that a stream has stalled, and after which event: in the list, the panel and the view', async () => {
    sim.overrides.add({ fault: { kind: 'stall', afterEvents: 3 }, times: 1 })
    await stream('slow')
    await open()
    await page.locator('.row .ended', { hasText: /^open$/ }).waitFor()
    sim.clock.advance('1m')
    await page.locator('.row .ended', { hasText: /^stalled$/ }).waitFor()
    await page.locator('.row').click()
    await page.locator('.facts').getByText('stalled after event 3, at ').waitFor()
    await page.getByRole('link', { name: 'Show events' }).click()
    await page.locator('.stream-head', { hasText: 'stalled after event 3, at ' }).waitFor()
    expect(await page.locator('.stream-head .ended').getAttribute('title')).toContain('keeps the connection')
    expect(await page.locator('.events li').nth(3).textContent()).toBe('Never sent')
  })

  it('to an unknown path are unmatched, say what is wrong, and cannot get a rule', async () => {
    await chat('Hello')
    await fetch(`${server.url}/chat/completions`, { method: 'POST' })
    await open('#/requests?only=unmatched')
    await page.locator('.row .why', { hasText: 'unknown path' }).waitFor()
    await expect.poll(() => page.locator('.row').count()).toBe(1)
    await page.locator('.row').click()
    await page.locator('.problems', { hasText: 'the base URL of this client must end in /v1' }).waitFor()
    await open('#/rules')
    const section = page.locator('section', {
      has: page.getByRole('heading', { name: 'Unknown paths' }),
    })
    await section.getByText('All unmatched requests (1)').waitFor()
    await section.getByText('the base URL of this client must end in /v1').waitFor()
    expect(await section.getByRole('button', { name: 'Copy a rule for this request' }).count()).toBe(0)
  })

  it('name the rule of a fault as they name any other', async () => {
    sim.overrides.add({ when: { operation: 'chat.create' }, fault: 'keep-alive', times: 1 })
    await stream('slow')
    await open()
    await page.locator('.row').first().waitFor()
    await expect.poll(() => page.locator('.row .why').allTextContents()).toEqual(['override-1keep-alive'])
  })

  it('can be filtered by text, status and kind, and the address keeps the filter', async () => {
    for (const text of ['one', 'two', 'busy']) await chat(text).catch(() => undefined)
    await open()
    await page.getByLabel('Status').selectOption('5xx')
    await page.locator('.row').first().waitFor()
    await expect.poll(() => page.locator('.row').count()).toBe(1)
    await page.reload()
    await expect.poll(() => page.locator('.row').count()).toBe(1)
    await page.getByLabel('Status').selectOption('')
    await expect.poll(() => page.locator('.row').count()).toBe(3)
    await page.getByLabel('Search').fill('busy')
    await expect.poll(() => page.locator('.row').count()).toBe(1)
  })

  it('can be read by keyboard alone', async () => {
    for (const text of ['one', 'two', 'three']) await chat(text)
    await open()
    await page.locator('.row').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.locator('.detail h1').waitFor()
    expect(page.url()).toContain('/requests/default/2')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.url()).toContain('/requests/default/1')
    await page.keyboard.press('Escape')
    await page.locator('.detail').waitFor({ state: 'detached' })
    const focused = (place: string) =>
      expect.poll(() => page.evaluate((at) => document.activeElement?.matches(at), place)).toBe(true)
    await page.keyboard.press('2')
    await page.locator('.timeline').waitFor()
    await focused('#view')
    await page.keyboard.press('4')
    await focused('h1')
    await page.keyboard.press('8')
    await page.getByLabel('Filter operations').press('4')
    await page.keyboard.press('Escape')
    await focused('#view')
    await page.keyboard.press('1')
    await focused('.rows')
    await page.keyboard.press('/')
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
  })

  it('stay where they are while someone reads further down, and follow again at the top', async () => {
    for (let n = 0; n < 120; n++) await chat(`request ${n}`)
    await open()
    await page.locator('.row').first().waitFor()
    const rows = page.locator('.rows')
    await rows.evaluate((element) => element.scrollTo({ top: 1500 }))
    await expect.poll(() => page.getByLabel('Follow').isChecked()).toBe(false)
    const seen = await page.locator('.row .seq').nth(20).textContent()
    const before = await page
      .locator('.row', { hasText: seen as string })
      .first()
      .boundingBox()
    await chat('one more')
    await expect.poll(() => rows.evaluate((element) => element.scrollTop)).toBeGreaterThan(1500)
    const after = await page
      .locator('.row', { hasText: seen as string })
      .first()
      .boundingBox()
    expect(after?.y).toBe(before?.y)
    await rows.evaluate((element) => element.scrollTo({ top: 0 }))
    await expect.poll(() => page.getByLabel('Follow').isChecked()).toBe(true)
    await chat('the newest')
    await page.locator('.row .seq', { hasText: '121' }).waitFor()
  })
})

describe('time', () => {
  it('is advanced by the buttons, and lanes show jobs before and after', async () => {
    await client().videos.create({ model: 'sora-2', prompt: 'a fox' })
    await open('#/timeline')
    await page.locator('.lane .state').waitFor()
    const status = () => page.locator('.lane .state').textContent()
    const next = page.getByRole('button', { name: 'Advance to the next status' })
    await next.getByText('(in_progress in 6 s)').waitFor()
    await next.click()
    await expect.poll(status).toBe('in_progress 10 %')
    await next.getByText('(completed in 54 s)').waitFor()
    // One bar for one status: progress, to which the header's button advances, shows beside the job.
    await page.getByRole('button', { name: 'Next (9 s)' }).click()
    await expect.poll(status).toBe('in_progress 25 %')
    const bars = page.locator('.segment')
    expect(await bars.allTextContents()).toEqual(['pending', 'in_progress', ''])
    expect(await bars.nth(2).getAttribute('title')).toMatch(/^completed, still to come/)
    const bar = await bars.nth(1).boundingBox()
    const passed = await bars
      .nth(1)
      .evaluate((one) => Number.parseFloat(one.style.getPropertyValue('--gone')))
    const hand = await page.locator('.hand.now').boundingBox()
    expect((bar?.x ?? 0) + passed).toBeCloseTo(hand?.x ?? 0, 0)
    expect(passed).toBeLessThan((bar?.width ?? 0) / 2)
    await page.getByRole('button', { name: 'Finish' }).click()
    await expect.poll(status).toBe('completed')
    const label = async () => (await page.locator('.lane .label').first().boundingBox())?.width
    await expect.poll(() => label()).toBe(250)
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(label).toBe(116)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: '◀ Change before' }).click()
    const now = sim.clock.now()
    await page.getByRole('button', { name: '◀ Change before' }).click()
    await expect.poll(status).not.toBe('completed')
    expect(sim.clock.now()).toBe(now)
    expect(problems).toEqual([])
  })

  it('passes in every session, also in those that are not selected', async () => {
    await server.close()
    sim = createSimulator({ clock: 'real' })
    server = await listen(sim)
    await chat('one', {}, 'a')
    await chat('one', {}, 'b')
    await page.clock.install()
    await open('#/requests?session=a')
    const shown = async () => Date.parse((await page.locator('.clock time').getAttribute('datetime')) ?? '')
    await page.locator('.clock time').waitFor()
    const begin = await shown()
    await page.clock.runFor(60_000)
    for (const session of ['b', 'a']) {
      await page.locator('.session select').selectOption(session)
      await page.getByRole('group', { name: `Clock of session ${session}` }).waitFor()
      await expect.poll(async () => (await shown()) - begin).toBeGreaterThan(58_000)
    }
  })

  it('is in sight on a phone, on a timeline that is wider', async () => {
    for (const pause of ['1s', '1s', '1h', '1s', '1s', '1h', '1s', '1s', '1h', '1s', '1s', '1h', '1h']) {
      await chat('Hello')
      sim.clock.advance(pause)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await open('#/timeline')
    const hand = async () => (await page.locator('.hand.now').boundingBox())?.x ?? Infinity
    await expect.poll(hand).toBeLessThan(376)
    const lanes = page.locator('.lanes')
    expect(await lanes.evaluate((one) => one.scrollLeft)).toBeGreaterThan(0)
    // Someone who looks back stays there.
    await lanes.evaluate((one) => one.scrollTo(0, 0))
    await expect.poll(hand).toBeGreaterThan(376)
    const marks = page.locator('.track .tick')
    const before = await marks.count()
    await chat('Hello')
    await expect.poll(() => marks.count()).toBeGreaterThan(before)
    expect(await lanes.evaluate((one) => one.scrollLeft)).toBe(0)
  })

  it('has its mark on the timeline after all requests while a real clock runs', async () => {
    await server.close()
    sim = createSimulator({ clock: 'real' })
    server = await listen(sim)
    await chat('one')
    await open('#/rules')
    await page.getByRole('group', { name: 'Clock of session default' }).waitFor()
    await chat('two')
    await chat('three')
    await page.getByRole('link', { name: 'Timeline' }).click()
    const marks = page.locator('.track .tick')
    await expect.poll(() => marks.count()).toBeGreaterThan(1)
    const track = (await page.locator('.track').first().boundingBox())?.x ?? 0
    const now = async () => ((await page.locator('.hand.now').boundingBox())?.x ?? 0) - track
    const last = async () =>
      Math.max(
        ...(await marks.evaluateAll((all) =>
          all.map((one) => Number.parseFloat((one as HTMLElement).style.left)),
        )),
      )
    await expect.poll(async () => (await now()) - (await last())).toBeGreaterThanOrEqual(0)
  })

  it('makes a video fail from its lane', async () => {
    const { id } = await client().videos.create({ model: 'sora-2', prompt: 'a fox' })
    await open(`#/timeline/job/${id}`)
    await page.locator('.panel .prompt', { hasText: 'a fox' }).waitFor()
    await page.getByRole('button', { name: 'Fail', exact: true }).click()
    await expect.poll(() => page.locator('.lane .state').textContent()).toBe('failed')
    await expect.poll(() => page.getByRole('button', { name: 'Fail', exact: true }).isDisabled()).toBe(true)
    await page.locator('.lane a.label', { hasText: `a fox · sora-2 …${id.slice(-8)}` }).waitFor()
    expect((await client().videos.retrieve(id)).status).toBe('failed')
  })

  it('makes a video operation fail, whose statuses are in capitals', async () => {
    const { name } = (await (
      await fetch(`${server.url}/v1beta/models/veo-3.0-generate-preview:predictLongRunning`, {
        method: 'POST',
        headers: { 'x-goog-api-key': 'sk-test', 'content-type': 'application/json' },
        body: JSON.stringify({ instances: [{ prompt: 'waves' }] }),
      })
    ).json()) as { readonly name: string }
    await open('#/timeline')
    await page.locator('.lane a.label', { hasText: name.slice(-8) }).click()
    await page.getByRole('button', { name: 'Fail', exact: true }).click()
    const state = page.locator('.lane .state.s-bad')
    await state.waitFor()
    await expect.poll(() => state.textContent()).toBe('FAILED')
  })

  it('shows each stream as a row that opens it wherever it is clicked', async () => {
    const streams = [await stream('slow'), await stream('cut')]
    sim.clock.advance('1m')
    await Promise.all(streams.map(({ end }) => end))
    await chat('no stream')
    await open('#/stream')
    await page.locator('.streams .row').nth(1).waitFor()
    const cells = await page.locator('.streams .row').nth(0).locator('> *').allTextContents()
    expect(cells.slice(0, -1)).toEqual([
      ...['1', '200', 'chat.create', 'cut · gpt-4o-minibreaks-offdisconnect', '3 events', 'disconnected'],
    ])
    const list = await page.locator('.streams').boundingBox()
    for (const [row, share] of [
      [1, 0.02],
      [0, 0.6],
      [1, 0.98],
    ] as const) {
      const box = await page.locator('.streams .row').nth(row).boundingBox()
      expect(box?.width).toBe(list?.width)
      await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) * share, (box?.y ?? 0) + 3)
      await page.locator('.stream h1', { hasText: `#${1 - row}` }).waitFor()
      await page.goBack()
    }
  })

  it('opens streams by keyboard alone, and returns to the list', async () => {
    const streams = [await stream('slow'), await stream('cut')]
    sim.clock.advance('1m')
    await Promise.all(streams.map(({ end }) => end))
    await open('#/stream')
    await page.locator('.streams .row').nth(1).waitFor()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
    await page.locator('.stream h1', { hasText: '#1' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.streams .row[aria-current]', { hasText: 'breaks-off' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator('.stream h1', { hasText: '#0' }).waitFor()
  })

  it('names the end, the fault and the rule of a stream that is broken but complete', async () => {
    const fault = { kind: 'error-event', afterEvents: 2 }
    const { id } = sim.overrides.add({ fault, times: 1 } as never)
    const { end } = await stream('slow')
    sim.clock.advance('1m')
    await end
    await open('#/timeline')
    await page.locator('.lane .broken', { hasText: 'error event' }).waitFor()
    await open('#/stream')
    await page.locator('.row .broken', { hasText: 'error event' }).click()
    const head = page.locator('.stream-head')
    await head.getByText('ended with an error event, 3 events').waitFor()
    await head.getByRole('link', { name: 'error-event', exact: true }).click()
    await page.locator('.row .fault').waitFor()
    await page.goBack()
    await head.getByRole('link', { name: id }).click()
    await page.getByRole('heading', { name: 'Break something' }).waitFor()
  })

  it('shows a stream event by event while the clock stands', async () => {
    const { end } = await stream('slow')
    sim.clock.advance('2s')
    await open('#/stream/default/0')
    await page.getByText('sent').first().waitFor()
    const text = () => page.locator('.stream .text').textContent()
    await expect.poll(text).toContain('one')
    expect(await text()).not.toContain('four')
    await page.locator('.events .divider:has-text("Not sent yet") + .coming').waitFor()
    sim.clock.advance('1m')
    await end
    await expect.poll(text).toContain('four')
    await page.locator('input[type=range]').fill('2')
    await expect.poll(text).not.toContain('four')
  })

  it('shows the text of each event before its JSON, which takes one line until it is opened', async () => {
    const { end } = await stream('slow')
    sim.clock.advance('1m')
    await end
    await open('#/stream/default/0')
    const event = page.locator('.events li', { has: page.locator('strong', { hasText: 'one' }) })
    await event.locator('code', { hasText: /^data: … \{"choices":/ }).waitFor()
    const whole = event.locator('code', { hasText: /^data: \{"id":/ })
    expect(await whole.isVisible()).toBe(false)
    const height = async () => (await event.boundingBox())?.height ?? 0
    const closed = await height()
    expect(closed).toBeLessThan(32)
    await event.locator('summary').click()
    await expect.poll(height).toBeGreaterThan(closed)
    await expect.poll(() => whole.isVisible()).toBe(true)
    const text = await event.locator('details').boundingBox()
    expect(text?.width, 'the time leaves room for the text').toBeGreaterThan(470)
    const column = await page.locator('.stream-head').boundingBox()
    const slider = await page.locator('input[type=range]').boundingBox()
    const endOf = (box: typeof column) => (box?.x ?? 0) + (box?.width ?? 0)
    expect(endOf(column) - endOf(slider)).toBeGreaterThanOrEqual(3)
  })
})

it('the gallery keeps the room of a picture that is not there yet, and says why a video failed', async () => {
  await client().videos.create({ model: 'sora-2', prompt: 'a fox' })
  const { id } = await client().videos.create({ model: 'sora-2', prompt: 'a hen' })
  const body = JSON.stringify({ set: { status: 'failed' } })
  const headers = { 'content-type': 'application/json' }
  await fetch(`${server.url}/__sim/jobs/${id}`, { method: 'POST', headers, body })
  sim.clock.advance('10m')
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/__sim/media?*', async (route) => {
    await released
    await route.continue()
  })
  await open('#/media')
  const cards = page.locator('.work')
  await cards.getByText('The video could not be generated.').waitFor()
  const fox = cards.filter({ has: page.getByRole('button', { name: /^Play/ }) })
  await fox.waitFor()
  const height = async () => (await fox.boundingBox())?.height
  const before = await height()
  release()
  await fox.locator('img').waitFor()
  await expect
    .poll(() => fox.locator('img').evaluate((image) => (image as HTMLImageElement).complete))
    .toBe(true)
  expect(await height()).toBe(before)
})

describe('the page', () => {
  it.each([
    ['timeline', /__sim\/jobs\?/, '.lane .state', 'completed'],
    ['stream/default/1', /__sim\/journal\?cursor=0/, '.stream .text', 'four'],
    ['requests/default/1', /__sim\/journal\?cursor=0/, '.facts', 'completed'],
    ['clients', /__sim\/client-report/, '.sheet [role=status]', 'in 3 requests'],
  ])(
    'shows the latest in %s, not a response that a later one has overtaken',
    async (view, url, place, text) => {
      await client().videos.create({ model: 'sora-2', prompt: 'a fox' })
      await stream('slow')
      let release = (): void => undefined
      const released = new Promise<void>((resolve) => (release = resolve))
      const fetched = new Promise<void>((resolve) => {
        let isFirst = true
        page.route(url, async (route) => {
          const isHeld = isFirst
          isFirst = false
          const response = await route.fetch()
          resolve()
          if (isHeld) await released
          await route.fulfill({ response })
        })
      })
      const held = page.waitForRequest(url)
      await open(`#/${view}`)
      await fetched
      await chat('later')
      sim.clock.advance('1m')
      await page.locator(place, { hasText: text }).waitFor()
      release()
      await (await (await held).response())?.finished()
      await page.evaluate(() => new Promise(requestAnimationFrame))
      expect(await page.locator(place).textContent()).toContain(text)
      // A view may be reading again.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    },
  )

  it('has a header that is no higher with a long name of a session', async () => {
    const height = async () => (await page.locator('header.top').boundingBox())?.height
    await open()
    await page.getByText('Live', { exact: true }).waitFor()
    const usual = await height()
    const session = 'a'.repeat(60)
    await chat('Hello', {}, session)
    await page.locator('.row').waitFor()
    await expect.poll(() => height()).toBe(usual)
    await page.locator('.session select').selectOption(session)
    await page.getByRole('group', { name: `Clock of session ${session}` }).waitFor()
    await expect.poll(() => height()).toBe(usual)
  })

  it.each(['manual', 'real'] as const)('has a header of one row at 1280 pixels, in %s', async (clock) => {
    await server.close()
    sim = createSimulator({ clock })
    server = await listen(sim)
    await page.setViewportSize({ width: 1280, height: 800 })
    await client('checkout-flow').videos.create({ model: 'sora-2', prompt: 'a fox' })
    await open('#/requests?session=checkout-flow')
    await page.getByRole('button', { name: 'Next (' }).waitFor()
    await expect.poll(async () => (await page.locator('header.top').boundingBox())?.height).toBeLessThan(50)
  })

  it('shows the link of the view on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await open('#/contract')
    const link = (name: string) => page.getByRole('navigation', { name: 'Views' }).getByText(name)
    const isInSight = async (name: string) => {
      const [box, nav] = [await link(name).boundingBox(), await page.locator('.top nav').boundingBox()]
      const start = (box?.x ?? 0) - (nav?.x ?? 0)
      return start >= 0 && start + (box?.width ?? 0) <= (nav?.width ?? 0)
    }
    await expect.poll(() => isInSight('Contract')).toBe(true)
    expect(await isInSight('Requests')).toBe(false)
    await page.keyboard.press('1')
    await expect.poll(() => isInSight('Requests')).toBe(true)
  })

  it('sends control requests that the log of the server leaves out', async () => {
    await server.close()
    const logged: unknown[] = []
    sim = createSimulator({ clock: 'manual' })
    server = await listen(sim, { accessLog: ({ operation, path }) => logged.push(operation ?? path) })
    await client().videos.create({ model: 'sora-2', prompt: 'a fox' })
    await open()
    await page.getByRole('button', { name: 'Finish' }).click()
    await page.getByRole('button', { name: 'Finish', disabled: true }).waitFor()
    await page.getByRole('link', { name: 'Media' }).click()
    await page.locator('.gallery').waitFor()
    await fetch(`${server.url}/__sim/clock`)
    await expect.poll(() => logged).toEqual(['videos.create', 'sim.getClock'])
  })

  it('has no barriers that axe can find, light and dark, wide and narrow', async () => {
    await chat('one')
    await chat('busy').catch(() => undefined)
    await client().videos.create({ model: 'sora-2', prompt: 'a fox' })
    await await chat('hello', { stream: true })
    const views = await viewLinks()
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        for (const fragment of [...views, '#/requests/default/1', '#/stream/default/3']) {
          await open(fragment)
          await page.getByText('Live', { exact: true }).waitFor()
          await page.locator('main').waitFor()
          expect(await barriers(), `${fragment}, ${colorScheme}, ${width}`).toEqual([])
        }
      }
    expect(problems).toEqual([])
  })

  it('asks for the token once, and never puts it in an address', async () => {
    await server.close()
    sim = createSimulator({ clock: 'manual', settings: { control: { token: 'secret-token' } } } as never)
    server = await listen(sim)
    await open()
    await page.getByLabel('Token').fill('wrong-token')
    // The form leaves until then.
    const rejected = page.waitForResponse((response) => response.status() === 401)
    await page.getByRole('button', { name: 'Open' }).click()
    await rejected
    await page.getByLabel('Token').fill('secret-token')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(page.url()).not.toContain('secret')
  })

  it('reconnects after the server was away', async () => {
    await chat('before')
    await open()
    await page.locator('.row').first().waitFor()
    const { port } = server
    await server.close()
    await page.getByText('Disconnected').waitFor()
    sim = createSimulator({ clock: 'manual' })
    server = await listen(sim, { port })
    await chat('after')
    await page.getByText('Live', { exact: true }).waitFor()
    await expect.poll(() => page.locator('.row .about').allTextContents()).toEqual(['after · gpt-4o-mini'])
  })
})

/** The links of the navigation. */
async function viewLinks(): Promise<readonly string[]> {
  await open()
  await page.locator('nav a').first().waitFor()
  return page
    .locator('nav a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') as string))
}

it('a text that is HTML or a script shows as text, wherever it occurs', async () => {
  const hostile = [
    '<img src=x onerror="globalThis.hit = 1">',
    '<script>globalThis.hit = 1</script>',
    '"><svg onload=globalThis.hit=1>',
    'javascript:globalThis.hit=1',
    '</pre></article><iframe srcdoc="<script>parent.hit=1</script>">',
    '{{constructor.constructor("globalThis.hit=1")()}}',
    '\u202eevil\u0000',
  ]
  const send = (path: string, init: RequestInit = {}) => fetch(server.url + path, init).then((r) => r.text())
  for (const text of hostile) {
    await chat(text).catch(() => undefined)
    const body = JSON.stringify({
      model: text,
      messages: [{ role: text, content: text, name: text }],
      [text]: text,
    })
    const headers = {
      authorization: 'Bearer sk-test',
      'content-type': 'application/json',
      'x-text': encodeURI(text),
    }
    await send('/v1/chat/completions', { method: 'POST', headers, body })
    await send(`/v1/videos/${encodeURIComponent(text)}?q=${encodeURIComponent(text)}`, { headers })
  }
  const total = sim.journal().length
  for (let seq = 0; seq < total; seq++) {
    await open(`#/requests/default/${seq}`)
    await page.locator('.detail h1').waitFor()
  }
  for (const fragment of await viewLinks()) {
    await open(fragment)
    await page.getByText('Live', { exact: true }).waitFor()
  }
  expect(await page.evaluate(() => (globalThis as { hit?: number }).hit)).toBeUndefined()
  expect(await page.locator('iframe, article img, article script').count()).toBe(0)
})
