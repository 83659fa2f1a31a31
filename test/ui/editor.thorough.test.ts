/** The editor and the contract of the page in Chromium: what a person would do there. */
import { readdirSync, readFileSync } from 'node:fs'
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
let requested: string[]

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
  requested = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => requested.push(new URL(request.url()).pathname.replace(/.*\//, '')))
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
const editFile = (): Promise<void> => open(`#/rules/edit/${encodeURIComponent(file)}`)
const content = () => page.locator('.cm-content')
const written = async (): Promise<string> => (await content().locator('.cm-line').allInnerTexts()).join('\n')

async function write(text: string): Promise<void> {
  await content().click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

describe('the editor', () => {
  it('is a chunk that loads when it opens, and that a saved page does not need', async () => {
    const chunks = readdirSync(join(root, 'dist/ui')).filter((name) => name.startsWith('code-editor-'))
    expect(chunks).toHaveLength(1)
    const code = readFileSync(join(root, 'dist/ui/page.js'))
    expect(/(?:^|;)import[\s{"*]/.test(code.toString())).toBe(false)
    const chunk = chunks[0]?.replace(/\.gz$/, '') as string
    expect(readFileSync(join(root, 'dist/ui', `${chunk}.gz`)).length).toBeLessThan(125_000)
    await open('#/rules')
    expect(requested).not.toContain(chunk)
    await page.getByRole('link', { name: 'New scenario' }).click()
    await content().waitFor()
    expect(requested).toContain(chunk)
    const response = await fetch(`${server.url}/__sim/ui/${chunk}`)
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect((await response.text()).length).toBeGreaterThan(300_000)
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe')
    expect(problems).toEqual([])
  })

  it('shows a file as loaded, and its errors in place and in a list that leads to them', async () => {
    await open('#/rules')
    await page.getByRole('link', { name: `Edit ${file}` }).click()
    await content().waitFor()
    await expect.poll(() => written()).toContain('title:')
    await write('title: x\nrules:\n  - then: { eror: { status: 503 } }\n')
    await page.getByText('1 error', { exact: true }).waitFor()
    await page.locator('.cm-lintRange-error').waitFor()
    await page.getByRole('button', { name: 'Line 3' }).click()
    await page.keyboard.press('Delete')
    await page.keyboard.insertText('er')
    await page.getByText('No errors.', { exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  it('completes keys and values from the schema', async () => {
    await open('#/rules/new')
    await content().waitFor()
    await write('title: x\nrules:\n  - ')
    await page.keyboard.type('wh')
    await page.locator('.cm-tooltip-autocomplete li', { hasText: 'when' }).waitFor()
    expect(await page.locator('.cm-completionInfo').textContent()).toMatch(/^[^`]+$/)
    // Until then, Enter is a new line.
    await page.waitForTimeout(150)
    await page.keyboard.press('Enter')
    await page.keyboard.type('{ operation: videos.cr')
    await page.locator('.cm-tooltip-autocomplete li', { hasText: 'videos.create' }).waitFor()
    await page.waitForTimeout(150)
    await page.keyboard.press('Enter')
    await expect.poll(() => written()).toBe('title: x\nrules:\n  - when: { operation: videos.create}')
    expect(problems).toEqual([])
  })

  it('tries the text in a new session, in place of the file of the server', async () => {
    await editFile()
    await content().waitFor()
    await write('title: x\nrules:\n  - id: outage\n    then: { error: { status: 418 } }\n')
    await page.getByText('No errors.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Try it in a new session' }).click()
    await page.getByRole('button', { name: 'Copy the Base URL', exact: true }).click()
    expect(page.url()).toContain('session=s1')
    const baseUrl = `${server.url}/s/s1`
    await expect.poll(() => clipboard()).toBe(baseUrl)
    await page.getByRole('button', { name: 'Copy the Base URL for OpenAI' }).click()
    await expect.poll(() => clipboard()).toBe(`${baseUrl}/v1`)
    const chat = jsonCall({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] })
    expect((await fetch(`${baseUrl}/v1/chat/completions`, chat)).status).toBe(418)
    await page.getByRole('link', { name: 'Requests of the session s1' }).click()
    await page.locator('.row .code', { hasText: '418' }).waitFor()
    expect(problems).toEqual([])
  })

  it('uses the text in the session after a question, and keeps it until then', async () => {
    await open('#/rules/new')
    await content().waitFor()
    await write('title: Teapot\nrules:\n  - id: teapot\n    then: { error: { status: 418 } }\n')
    await page.getByRole('link', { name: 'Clients' }).click()
    await page.getByRole('link', { name: 'Rules' }).click()
    await page.getByRole('link', { name: 'New scenario' }).click()
    await expect.poll(written).toContain('Teapot')
    await page.getByRole('button', { name: 'Use in the session default' }).click()
    expect(sim.scenarios.list()).toHaveLength(1)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('The session default uses "Teapot"').waitFor()
    expect(sim.scenarios.list()[0]).toMatchObject({ title: 'Teapot', of: 'session' })
    await page.getByRole('link', { name: 'Rules' }).first().click()
    await page.getByRole('link', { name: 'Edit added scenario 1' }).click()
    await content().waitFor()
    const mark = page.getByText('Edited, not applied')
    expect(await mark.count()).toBe(0)
    await write('title: Kettle\nrules: []\n')
    await mark.waitFor()
    await page.getByRole('link', { name: 'Rules' }).first().click()
    await page
      .locator('.scenario', { has: mark })
      .getByRole('link', { name: 'Edit added scenario 1' })
      .click()
    await mark.waitFor()
    const use = page.getByRole('button', { name: 'Use in the session default' })
    await use.click()
    await page.getByRole('group', { name: 'Replace "Teapot" in the session default?' }).waitFor()
    await page.getByRole('button', { name: 'Replace' }).click()
    await expect.poll(() => sim.scenarios.list().map(({ title }) => title)).toContain('Kettle')
    await mark.waitFor({ state: 'detached' })
    await expect.poll(() => use.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(sim.scenarios.list()).toHaveLength(2)
  })

  it('copies and downloads the text', async () => {
    await editFile()
    await content().waitFor()
    await page.getByRole('button', { name: 'Copy the scenario' }).click()
    await expect.poll(() => clipboard()).toBe(readFileSync(file, 'utf8'))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('upstream-outage.yaml')
  })

  it('does not trap Tab, keeps the keys of the page to itself, and has no barriers', async () => {
    await open('#/rules/new')
    await content().waitFor()
    await page.keyboard.type('12/')
    expect(page.url()).toContain('#/rules/new')
    await page.keyboard.press('Tab')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('Try it in a new session')
    await expectNoBarriers(async () => {
      await editFile()
      await content().waitFor()
      await page.waitForTimeout(600)
    })
    expect(problems).toEqual([])
  })
})

describe('the contract', () => {
  const send = (): Promise<void> => page.getByRole('button', { name: 'Send', exact: true }).click()
  const response = () => page.locator('section[aria-label=Response]')

  it('lists operations, filters them, and sends an example with a link to the request', async () => {
    await open('#/contract')
    await page.getByLabel('Filter operations').fill('chat create')
    await page.getByRole('link', { name: 'chat.create' }).click()
    await send()
    await response().getByText('200 OK').waitFor()
    await response().getByText('pong').first().waitFor()
    await response().getByRole('link', { name: 'Request 0' }).click()
    await page.getByRole('heading', { name: 'Why this response' }).waitFor()
    expect(problems).toEqual([])
  })

  it('shows a stream as it comes, and why a request is rejected', async () => {
    await open('#/contract/chat.create')
    await page.getByLabel('Example').selectOption('stream')
    await send()
    await response().getByText('Receiving the response').waitFor()
    const text = () => response().locator('pre').textContent({ timeout: 5000 })
    sim.clock.advance('150ms')
    await expect.poll(text).toContain('data: ')
    expect(await text()).not.toContain('[DONE]')
    sim.clock.advance('1m')
    await expect.poll(text).toContain('[DONE]')
    await page.getByLabel('Body, application/json').fill('{ "model": "gpt-4o" }')
    await send()
    await response().getByText('400 Bad Request').waitFor()
    await expect.poll(() => text()).toContain('messages')
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

  it('sends forms with files, in a session with its own key', async () => {
    sim.createSession({ name: 'other' })
    await open('#/contract/images.edit?session=other')
    await page.getByLabel('mask file').waitFor()
    await send()
    await response().getByText('200 OK').waitFor()
    await expect.poll(() => journalOf('other')).toMatchObject([{ operation: 'images.edit', status: 200 }])
  })

  it('uploads a file to a signed URL of another session', async () => {
    const asked = jsonCall({ path: 'cat.txt' }, { 'x-sim-session': 'other' })
    const made = await fetch(`${server.url}/v1/files/upload_url`, asked)
    const { upload_url: url } = (await made.json()) as { upload_url: string }
    await open('#/contract/uploads.send')
    await send()
    await page.getByLabel('upload_url').fill(url)
    const upload = { name: 'cat.txt', mimeType: 'text/plain', buffer: Buffer.from('meow') }
    await page.getByLabel('File; default').setInputFiles(upload)
    await send()
    await response().getByText('200 OK').waitFor()
    await response().getByRole('link', { name: 'Request 1 of the session other' }).waitFor()
    await expect
      .poll(() => journalOf('other'))
      .toMatchObject([{ status: 200 }, { operation: 'uploads.send', status: 200 }])
    const { visit_url: read } = (await (await fetch(`${server.url}/v1/files/upload_url`, asked)).json()) as {
      visit_url: string
    }
    expect(await (await fetch(read)).text()).toBe('meow')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await expect.poll(() => clipboard()).toContain("--data-binary '@cat.txt'")
    expect(problems).toEqual([])
  })

  it('shows the request in the journal, whatever header has its id', async () => {
    await open('#/contract/messages.create')
    await send()
    await response().getByRole('link', { name: 'Request 0' }).waitFor()
  })

  it('fills in paths, and shows an image', async () => {
    const made = await fetch(
      `${server.url}/v1/images/generations`,
      jsonCall({ model: 'dall-e-3', prompt: 'a boat' }),
    )
    const { data } = (await made.json()) as { data: { url: string }[] }
    const [, imageId, image] = /images\/([^/]+)\/([^/]+)$/.exec(new URL(data[0]?.url ?? '').pathname) ?? []
    await open('#/contract/images.readImage')
    await page.getByLabel('imageId').fill(imageId as string)
    await page.getByLabel('image path', { exact: true }).fill(image as string)
    await send()
    await page.locator('img.received').waitFor()
    expect(problems).toEqual([])
  })

  it('copies curl, which gets the same response', async () => {
    await open('#/contract/videos.retrieve')
    await page.getByLabel('video_id').fill('video_1/2')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await expect
      .poll(() => clipboard())
      .toBe(`curl '${server.url}/v1/videos/video_1/2' \\\n  -H 'authorization: Bearer sk-test'`)
  })

  it('has no barriers', async () => {
    await expectNoBarriers(async () => {
      await open('#/contract/chat.create')
      await send()
      await response().getByText('200 OK').waitFor()
      await response().getByText('Headers', { exact: true }).click()
      await page.getByText('Fields of ChatMessageTool').click()
    })
    await open('#/contract/images.edit/size')
    await page.getByLabel('mask file').waitFor()
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
  await page.getByRole('heading', { name: 'Clients of the session s1' }).waitFor()
  await page.getByRole('link', { name: 'Requests of the session s1' }).click()
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
  await page.getByRole('heading', { name: 'Clients of the session default' }).waitFor()
  expect(await button('Delete default').count()).toBe(0)
  expect(await page.getByRole('option', { name: 's1' }).count()).toBe(0)
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

async function journalOf(session: string): Promise<readonly object[]> {
  const headers = { 'x-sim-session': session }
  const { entries } = (await (await fetch(`${server.url}/__sim/journal`, { headers })).json()) as {
    entries: readonly object[]
  }
  return entries
}
