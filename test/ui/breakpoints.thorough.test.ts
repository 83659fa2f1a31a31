/** Breakpoints and rules on the page, in Chromium: what a person would do there. */
import { readFileSync } from 'node:fs'
import OpenAI from 'openai'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { listen, type SimulatorServer } from '../../src/node.ts'
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
]

async function start(options: object = {}): Promise<void> {
  sim = createSimulator({ clock: 'manual', scenarios: [{ title: 'Two rules', rules }], ...options } as never)
  server = await listen(sim)
}

beforeEach(async () => {
  await start()
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  page = await context.newPage()
  problems = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
})
afterEach(async () => {
  expect(problems).toEqual([])
  await page.context().close()
  await server.close()
})

const chat = (content: string, more: object = {}) =>
  new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-test', maxRetries: 0 }).chat.completions.create({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content }],
    ...more,
  })
const open = (fragment = ''): Promise<unknown> => page.goto(`${server.url}/__sim/ui/${fragment}`)
const button = (name: string) => page.getByRole('button', { name, exact: true })

/** What axe finds of A and AA, in both colours, on a phone and a desktop. */
async function barriers(): Promise<readonly string[]> {
  const found: string[] = []
  for (const [colorScheme, width] of [
    ['light', 390],
    ['dark', 1280],
    ['dark', 390],
    ['light', 1280],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    await page.evaluate(axe)
    const here = await page.evaluate(async () => {
      const { violations } = await (globalThis as any).axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
      })
      return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
        nodes.map(({ html }) => `${id}: ${html}`),
      )
    })
    found.push(...here)
  }
  return found
}

/** Copies a rule, and adds it to the session. */
async function copyAndUse(name: string): Promise<string> {
  await button(name).click()
  await button('Copied').waitFor()
  const text = (await page.evaluate('navigator.clipboard.readText()')) as string
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ text })
  const response = await fetch(`${server.url}/__sim/scenarios`, { method: 'POST', headers, body })
  expect(response.status).toBe(201)
  return text
}

async function arm(before: 'request' | 'response' | 'event', once = true): Promise<void> {
  await open('#/breakpoints')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByLabel('Hold before').selectOption(before)
  if (!once) await page.getByLabel('Only the next request').uncheck()
  await button('Add breakpoint').click()
  await page.getByText('Active (1)').waitFor()
}

describe('a breakpoint', () => {
  it('and the requests that it held are gone when another server responds', async () => {
    await arm('response', false)
    const { port } = server
    chat('hello').catch(() => undefined)
    await expect.poll(() => page.getByText('No requests are held.').count()).toBe(0)
    await server.close()
    await page.getByText('Disconnected').waitFor()
    problems.length = 0
    sim = createSimulator({ clock: 'manual' })
    server = await listen(sim, { port })
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('The server was started again').waitFor()
    await page.getByText('No requests are held.').waitFor()
    expect(await page.getByText('Active (1)').count()).toBe(0)
    problems.length = 0
  })

  it('holds a stream event by event, changes one, and continues to the end', async () => {
    await arm('event')
    const stream = (await chat('slow', { stream: true })) as unknown as AsyncIterable<any>
    const reading = (async () => {
      let text = ''
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
      return text
    })()
    sim.clock.advance('1m')
    await page.getByText('Event 1 of 7').waitFor()
    expect(await barriers()).toEqual([])
    await button('Continue to the next event').click()
    await page.getByText('Event 2 of 7').waitFor()
    const data = page.getByLabel('Event data')
    await data.fill((await data.inputValue()).replace('one', 'ONE'))
    await button('Send the change').click()
    await page.getByText('Event 3 of 7').waitFor()
    await button('Continue to the end').click()
    expect(await reading).toBe('ONE two three four')
    expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1, 0, 1))
    await page.getByText('No requests are held.').waitFor()

    await copyAndUse('Copy the change as a rule')
    const again = (await chat('slow', { stream: true })) as unknown as AsyncIterable<any>
    sim.clock.advance('1m')
    let text = ''
    for await (const { choices } of again) text += choices[0]?.delta.content ?? ''
    expect(text).toBe('ONE two three four')
  })

  it('changes a response, which becomes a rule', async () => {
    await arm('response')
    const held = chat('hello').catch((error) => error.status)
    await page.getByLabel('Status').fill('418')
    expect(await page.getByLabel('Response body').inputValue()).toContain('\n  "object": "chat.completion"')
    // The breakpoint was for one request.
    await page.getByText('Active (0)').waitFor()
    await page.getByText('No longer active (1)').waitFor()
    await page.getByLabel('Response body').fill('{"error":{"message":"I am a teapot"}}')
    await button('Send the change').click()
    expect(await held).toBe(418)
    await page.getByText('chat.create: changed to 418').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Waiting requests (0)')
    expect(await barriers()).toEqual([])
    await copyAndUse('Copy the change as a rule')
    expect(await chat('hello').catch((error) => `${error.status} ${error.message}`)).toContain('teapot')
  })

  it('changes a text, which becomes a rule for streams too', async () => {
    await arm('response')
    const held = chat('hello')
    const body = page.getByLabel('Response body')
    const shown = await body.inputValue()
    await body.fill('{"a": ')
    await page.getByText('This is not valid JSON').waitFor()
    await body.fill(shown.replace(/"content": ".*"/, '"content": "Changed"'))
    await expect.poll(() => page.getByText('This is not valid JSON').count()).toBe(0)
    await button('Send the change').click()
    expect((await held).choices[0]?.message.content).toBe('Changed')
    await copyAndUse('Copy the change as a rule')
    expect((await chat('hello')).choices[0]?.message.content).toBe('Changed')
    const stream = (await chat('hello', { stream: true })) as unknown as AsyncIterable<any>
    sim.clock.advance('1m')
    let text = ''
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
    expect(text).toBe('Changed')
  })

  it('keeps a change that its client did not wait for', async () => {
    await arm('response')
    const leave = new AbortController()
    const { signal } = leave
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] })
    const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
    const answer = fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body, signal })
    const typed = page.getByLabel('Response body')
    await typed.fill('{"typed":true}')
    await page.getByLabel('Status').fill('218')
    leave.abort()
    await answer.catch(() => undefined)
    await page.getByText('The client has closed the connection').waitFor()
    await open('#/media')
    await page.reload()
    await open('#/breakpoints')
    expect(await typed.inputValue()).toBe('{"typed":true}')
    await button('Keep the change').click()
    await page.getByText('chat.create: changed, but not sent: the client had left').waitFor()
    expect(await copyAndUse('Copy the change as a rule')).toContain('"typed": true')
    const again = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body })
    expect([again.status, await again.json()]).toEqual([218, { typed: true }])
  })

  it('before processing says how the request can fail', async () => {
    await arm('request')
    const held = chat('hello')
    await page.getByRole('link', { name: 'Break something' }).waitFor()
    await button('Continue').click()
    expect((await held).choices).toHaveLength(1)
  })

  it('cuts a connection, which becomes a rule with a fault', async () => {
    await arm('response')
    const held = chat('hello').catch((error) => error.name)
    await button('Cut the connection').click()
    await held
    await button('Remove all').click()
    await page.getByText('No longer active').waitFor({ state: 'detached' })
    expect(await copyAndUse('Copy the change as a rule')).toContain('"fault": "reset"')
    await expect(chat('hello')).rejects.toThrow('Connection error')
  })

  it('shows that the client has left, and still what was typed into an event', async () => {
    await arm('event', false)
    const leave = new AbortController()
    const stream = fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'gpt-4o-mini',
        stream: true,
        messages: [{ role: 'user', content: 'slow' }],
      }),
      signal: leave.signal,
    }).then((response) => response.text())
    await expect.poll(() => sim.journal().length).toBe(1)
    sim.clock.advance('1m')
    await page.getByText('Event 1 of').waitFor()
    const data = page.getByLabel('Event data')
    await data.fill('{"typed":true}')
    leave.abort()
    await stream.catch(() => undefined)
    await page.getByText('The client has closed the connection').waitFor()
    expect(await data.inputValue()).toBe('{"typed":true}')
    expect(await button('Cut the connection').count()).toBe(0)
    await button('Dismiss').click()
    await page.getByText('No requests are held.').waitFor()
  })
})

describe('rules', () => {
  it('say what the list of unmatched requests leaves out', async () => {
    await chat('hello')
    await chat('busy').catch(() => undefined)
    await open('#/rules')
    await page.getByText('Requests to unknown paths. Not listed: 1 request without a matching rule').waitFor()
  })

  it('are switched off and on', async () => {
    await open('#/rules')
    const toggle = page.getByLabel('Rule busy is on')
    await toggle.uncheck()
    await expect.poll(() => sim.scenarios.list()[0]?.rules[0]?.enabled).toBe(false)
    expect((await chat('busy')).choices).toHaveLength(1)
    await toggle.check()
    await expect.poll(() => sim.scenarios.list()[0]?.rules[0]?.enabled).toBe(true)
    expect(await chat('busy').catch((error) => error.status)).toBe(503)
  })

  it('are copied for unmatched requests, which show the nearest rule', async () => {
    await server.close()
    await start({ settings: { strict: true } })
    await chat('hello').catch(() => undefined)
    await open('#/rules')
    await page.getByText('expected a value containing').waitFor()
    expect(await barriers()).toEqual([])
    await copyAndUse('Copy a rule for this request')
    expect((await chat('hello')).choices).toHaveLength(1)
  })

  it('need not exist for reserved values, which can be copied', async () => {
    await fetch(`${server.url}/v1beta/models/gemini-2.5-flash:generateContent`, { method: 'POST' })
    await open('#/rules')
    await page.getByText(/^Values \(/).click()
    expect(await barriers()).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    const widths = 'Array.from(document.querySelectorAll("main, .scroll"), (one) => one.scrollWidth)'
    for (const width of (await page.evaluate(widths)) as number[]) expect(width).toBeLessThanOrEqual(390)
    await page.getByRole('button', { name: 'Copy sim-rate-limit', exact: true }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('sim-rate-limit')
  })
})
