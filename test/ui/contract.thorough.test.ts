/** The contract, sessions and messages of the page in Chromium: what a person would do there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { listen, type SimulatorServer } from '../../src/node.ts'
import { root } from '../_built.ts'
import { jsonCall } from '../_setup.ts'
import { startChromium } from '../browser/_chromium.ts'

const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const file = join(root, 'scenarios/upstream-outage.yaml')

let browser: Browser
let server: SimulatorServer
let sim: Simulator
let page: Page
let problems: string[]

beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

beforeEach(async () => {
  sim = createSimulator({ clock: 'manual', scenarios: [file] })
  server = await listen(sim)
  const permissions = ['clipboard-read', 'clipboard-write']
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, permissions })
  page = await context.newPage()
  problems = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => problems.push(error.message))
})
afterEach(async () => {
  await page.context().close()
  await server.close()
})

async function open(fragment: string): Promise<void> {
  await page.goto(`${server.url}/__sim/ui/${fragment}`)
  await page.getByText('Live', { exact: true }).waitFor()
}

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

/** Checks light and dark, wide and narrow. */
async function expectNoBarriers(prepare: () => Promise<unknown>): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      await prepare()
      expect(await barriers(), `${colorScheme}, ${width}`).toEqual([])
    }
}

const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
describe('the contract', () => {
  it('lists operations, filters them, and shows an example that curl can send', async () => {
    await open('#/contract')
    await page.getByLabel('Filter operations').fill('chat create')
    await page.getByRole('link', { name: 'chat.create' }).click()
    await page.locator('section[aria-label=Example]').getByText('"messages"').waitFor()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await expect.poll(clipboard).toContain(`curl -X POST '${server.url}/v1/chat/completions'`)
    expect(await clipboard()).toContain("-H 'authorization: Bearer sk-test'")
    expect(problems).toEqual([])
  })

  it('states the types and limits of fields, to which a rejected request links', async () => {
    const body = { model: 'gpt-4o', temperature: 3, messages: [{ role: 'user', content: 'x' }] }
    await fetch(`${server.url}/v1/chat/completions`, jsonCall(body, { authorization: 'Bearer sk-test' }))
    await open('#/requests/default/0')
    await page.getByRole('link', { name: 'temperature in the contract' }).click()
    await page.locator('.schema .marked', { hasText: 'temperature number or null (0 to 2)' }).waitFor()
    expect(
      await page.locator('.schema .marked').evaluate((row) => row.getBoundingClientRect().top),
    ).toBeLessThan(800)
    await page.getByText('Fields of ChatMessageTool').click()
    await page.locator('.schema .schema', { hasText: 'tool_call_id required string' }).waitFor()
    await page.getByRole('link', { name: 'sim.addScenario' }).click()
    await page.getByText('Fields of the object').first().click()
    await page.locator('.schema', { hasText: 'The scenario as YAML or JSON' }).waitFor()
    expect(await page.locator('.schema .marked').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('has no barriers', async () => {
    await expectNoBarriers(async () => {
      await open('#/contract/chat.create')
      await page.getByText('Fields of ChatMessageTool').click()
    })
    await open('#/contract/images.edit/size')
    await page.locator('.schema .marked').waitFor()
    expect(await barriers()).toEqual([])
    expect(problems).toEqual([])
  })
})

it('sessions are listed with clock and seed, created, reset and deleted after a question', async () => {
  const row = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
  const button = (name: string) => page.getByRole('button', { name })
  await open('#/clients')
  await button('New session').click()
  await page.getByText(`${server.url}/s/s1`, { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Clients in session s1' }).waitFor()
  await page.getByRole('link', { name: 'Requests in session s1' }).click()
  await page.getByText('No requests yet').waitFor()

  await fetch(`${server.url}/s/s1/v1/models`, { headers: { authorization: 'Bearer sk-test' } })
  await open('#/clients?session=s1')
  const stateOf = async () => (await fetch(`${server.url}/__sim/sessions/s1`)).json()
  const { seed, clock } = await stateOf()
  await row('s1').getByText(seed, { exact: true }).waitFor()
  await row('s1').getByText(`s1: 1 request, ${clock.mode} clock at `).waitFor()
  await button('Reset s1').click()
  await page.getByText('Reset 1 request, jobs, rules and clock?').press('Escape')
  expect((await stateOf()).requests).toBe(1)
  await button('Reset s1').click()
  await page.getByText('Reset 1 request, jobs, rules and clock?').click()
  await expect.poll(async () => (await stateOf()).requests).toBe(0)
  await row('s1').getByText('s1: 0 requests').waitFor()
  await button('Delete s1').click()
  await page.getByText('Delete the session and 0 requests?').click()
  await expect.poll(() => row('s1').count()).toBe(0)
  await page.getByRole('heading', { name: 'Clients in session default' }).waitFor()
  expect(await button('Delete default').count()).toBe(0)
  await expect.poll(() => page.getByRole('option', { name: 's1' }).count()).toBe(0)
  expect(problems).toEqual([])
})

it('a message leaves with its view; a duration without a unit is in seconds', async () => {
  await open('#/rules')
  const duration = page.getByLabel('Duration to advance by')
  await duration.fill('soon')
  await page.getByRole('button', { name: 'Advance' }).click()
  await page.getByRole('alert').getByText('expected a duration such as 5s').waitFor()
  await page.getByRole('link', { name: 'Clients' }).click()
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  const before = sim.clock.now()
  await duration.fill('5')
  await page.getByRole('button', { name: 'Advance' }).click()
  await expect.poll(() => sim.clock.now() - before).toBe(5000)
})
