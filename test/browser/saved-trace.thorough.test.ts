/** A saved trace in Chromium: opened from file://, without a server and without a network. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { traceReport } from '../../src/cli/trace-report.ts'
import { listen } from '../../src/node.ts'
import { collectTrace } from '../../src/trace/collect-trace.ts'
import { saveFailedTest } from '../../src/vitest/failed-test.ts'
import { bodyOf, post, simulator, withRules } from '../_setup.ts'
import { emptyDirectory } from '../cli/_io.ts'
import { startChromium } from './_chromium.ts'

const hostile = '</script><script>document.title = "hacked"</script><img src=x onerror="alert(1)">'
const slow =
  'id: slow, when: { operation: chat.create, body: { stream: true } }, ' +
  'then: { text: one two three, stream: { eventInterval: 1s } }'

async function busy() {
  const sim = simulator({ ...withRules([slow]), clock: 'manual' })
  const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: hostile }] }
  await post(sim, '/v1/chat/completions', chat)
  const reading = post(sim, '/v1/chat/completions', { ...chat, stream: true }).then((got) => got.text())
  await sim.settled()
  const video = (await bodyOf(post(sim, '/v1/videos', { model: 'sora-2', prompt: hostile }))) as {
    id: string
  }
  sim.clock.advance('1h')
  await reading
  await post(sim, '/v1/images/generations', { model: 'gpt-image-1', prompt: hostile })
  await post(sim, `/v1/videos/${video.id}/remix`, { prompt: hostile })
  sim.overrides.add({ fault: 'disconnect', times: 1, when: { operation: 'images.edit', model: hostile } })
  return sim
}

describe('a saved trace', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  /** Opens the file, and collects what must not happen. */
  async function open(file: string): Promise<{ page: Page; problems: string[] }> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on(
      'request',
      (request) => /^(?:file|data|blob):/.test(request.url()) || problems.push(request.url()),
    )
    await page.goto(pathToFileURL(file).href)
    await page.locator('.row').first().waitFor()
    return { page, problems }
  }

  /** What a colleague sees: requests, why, a stream, jobs, rules, and nothing that needs a server. */
  async function look(page: Page): Promise<void> {
    expect(await page.locator('.row').count()).toBe(5)
    expect(await page.locator('[role=status]').textContent()).toBe('Saved')
    await page.locator('.row').last().click()
    await page.getByText('Why this response').waitFor()
    await page.getByText('onerror').first().waitFor()
    await page.locator('.row').nth(3).click()
    await page.locator('.events li').first().waitFor()
    expect(await page.locator('pre.text').textContent()).toContain('one two three')
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.locator('.lane .segment').first().waitFor()
    await page.getByRole('link', { name: 'Rules' }).click()
    await page.locator('td code', { hasText: 'slow' }).waitFor()
    await page.locator('li', { hasText: 'disconnect' }).waitFor()
    await page.getByRole('link', { name: 'Clients' }).click()
    await page.locator('.sheet [role=status]', { hasText: 'in 5 requests' }).waitFor()
  }

  /** The names of the buttons and fields of every view, of which none may need a server. */
  async function controlsOf(page: Page): Promise<readonly string[]> {
    const names = new Set<string>()
    for (const link of await page.locator('nav a').all()) {
      await link.click()
      await page.locator('main h1, main .list, main .timeline').first().waitFor()
      for (const name of await page.locator('button:visible').allTextContents()) names.add(name)
      expect(await page.locator('.notice').count()).toBe(0)
    }
    return [...names]
  }

  it('shows requests, reasons, a stream and the timeline', async () => {
    const { core } = await busy()
    const sessions = [...core.sessions.all()]
    const file = join(emptyDirectory(), 'run.html')
    writeFileSync(
      file,
      await traceReport('html', [{ sessions, parts: core }], { savedAt: 0, title: hostile }),
    )
    const { page, problems } = await open(file)
    await look(page)
    const buttons = (await controlsOf(page)).join(', ')
    expect(buttons).not.toMatch(/Advance|Reset|Remove|Add|Save|Fail|Finish|Insert|Play|Make/)
    expect(problems).toEqual([])
  })

  it.each([
    ['Clients', 0.5],
    ['Requests', undefined],
  ])('of a failed test shows the failure, and starts with %s', async (title, top_p) => {
    const sim = simulator()
    const messages = [{ role: 'user', content: 'Hi' }]
    await post(sim, '/v1/chat/completions', { model: 'gpt-4o', messages, temperature: 0.5, top_p })
    const session = sim.core.sessions.get('default')
    const trace = async () => collectTrace([{ sessions: [session], parts: sim.core }], { savedAt: 0 })
    const folder = emptyDirectory()
    await saveFailedTest(folder, { name: 'failed', path: ['a test'], failure: hostile, trace })
    const page = await browser.newPage()
    await page.goto(pathToFileURL(join(folder, 'failed.html')).href)
    expect(await page.locator('.report').textContent()).toBe(hostile)
    expect(await page.locator('nav [aria-current=page]').textContent()).toBe(title)
    await page.close()
  })

  it('of a run starts with the findings of all its sessions', async () => {
    const sim = simulator()
    const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
    for (const [name, top_p] of [
      ['works', undefined],
      ['warns', 0.5],
    ] as const) {
      const messages = [{ role: 'user', content: 'Hi' }]
      const body = JSON.stringify({ model: 'gpt-4o', messages, temperature: 0.5, top_p })
      await sim.createSession({ name }).fetch('/v1/chat/completions', { method: 'POST', headers, body })
    }
    const file = join(emptyDirectory(), 'run.html')
    const runs = [{ sessions: [...sim.core.sessions.all()], parts: sim.core }]
    writeFileSync(
      file,
      await traceReport('html', runs, { savedAt: 0, title: 'npm test: npm test exited with 0' }),
    )
    const page = await browser.newPage()
    await page.goto(pathToFileURL(file).href)
    await page.locator('.panel a').first().waitFor()
    expect(await page.locator('main h1').allTextContents()).toEqual(['Clients in session warns'])
    await page.locator('.panel a').first().click()
    await expect.poll(() => page.url()).toContain('/requests/warns/0')
    await page.locator('.session select').selectOption('works (1)')
    await expect.poll(() => page.locator('.row').count()).toBe(1)
    await page.close()
  })

  it('stays below 4 MB, and says what was cut', async () => {
    const sim = simulator()
    const filler = '<p>'.repeat(12_000)
    for (let count = 0; count < 1500; count++)
      await post(sim, '/v1/chat/completions', {
        model: 'gpt-4o',
        messages: [{ role: 'user', content: filler + count }],
      })
    const html = await traceReport('html', [{ sessions: [...sim.core.sessions.all()], parts: sim.core }], {
      savedAt: 0,
    })
    expect(Buffer.byteLength(html)).toBeLessThan(4_000_000)
    const file = join(emptyDirectory(), 'run.html')
    writeFileSync(file, html)
    const { page, problems } = await open(file)
    expect(await page.locator('.saved-trace').textContent()).toMatch(/were truncated after|were omitted/)
    expect(problems).toEqual([])
  }, 120_000)

  it('is what the button of the page saves', async () => {
    const { url, close } = await listen(await busy())
    const page = await browser.newPage()
    await page.goto(`${url}/__sim/ui/`)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save', exact: true }).click(),
    ])
    const file = join(emptyDirectory(), 'saved.html')
    await download.saveAs(file)
    await page.close()
    await close()
    const saved = await open(file)
    await look(saved.page)
    expect(saved.problems).toEqual([])
  })
})
