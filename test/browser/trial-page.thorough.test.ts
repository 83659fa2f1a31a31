/** The HTML report on a trial in Chromium: opened from file://, by mouse, keyboard and axe. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTrialPage } from '../../src/cli/trial/trial-page.ts'
import type { SavedTrace } from '../../src/trace/trace.ts'
import { post, simulator } from '../_setup.ts'
import { again, everyCell, judged, runWith, trialOf } from '../trial/_report.ts'
import { startChromium } from './_chromium.ts'

const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const hostile = '</script><script>globalThis.hit = 1</script><img src=x onerror="globalThis.hit = 1">'

/** A run with a few requests, and its sessions. */
async function traced(stderr = '') {
  const sim = simulator()
  const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: hostile }] }
  await (await post(sim, '/v1/chat/completions', chat)).text()
  await (await post(sim, `/v1/videos/${encodeURIComponent(hostile)}`, {})).text()
  return { run: runWith(sim.journal(), stderr), sim }
}

async function page(): Promise<string> {
  const trial = createTrialPage()
  const runs = [await traced(), await traced(), await traced(hostile)] as const
  for (const { run, sim } of runs)
    trial.keep(run, { sessions: [...sim.core.sessions.all()], parts: sim.core })
  const [healthy, good, bad] = runs.map(({ run }) => run)
  const cells = [
    judged({ nth: 1, run: good as never }),
    judged({ verdict: 'ignored', acceptable: false, run: bad as never }),
    ...everyCell(['videos.create', 'models.list']),
  ]
  return trial.html(trialOf(cells, healthy), again, 0)
}

describe('the HTML report on a trial', () => {
  let browser: Browser
  let opened: Page
  let html: string
  const problems: string[] = []
  const directory = mkdtempSync(join(tmpdir(), 'gateway-sim-test-'))
  beforeAll(async () => {
    browser = await startChromium()
    html = await page()
    const file = join(directory, 'trial.html')
    writeFileSync(file, html)
    opened = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    opened.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    opened.on('pageerror', (error) => problems.push(error.message))
    await opened.goto(pathToFileURL(file).href)
    await opened.locator('.verdict').first().waitFor()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    rmSync(directory, { recursive: true })
  })

  it('shows the table first, and the requests of a run beside those of the healthy run', async () => {
    expect(await opened.locator('nav a').first().textContent()).toBe('Trial')
    await opened.getByRole('link', { name: /ignored\s*, not acceptable: reset, chat.create/ }).click()
    await expect.poll(() => opened.getByLabel('Healthy run').locator('li').count()).toBe(2)
    await expect.poll(() => opened.getByLabel('This run').locator('li.marked').count()).toBe(1)
    expect(await opened.locator('.run').textContent()).toContain('operation: chat.create')
    expect(await opened.locator('.run').textContent()).toContain(again())
    await opened.getByLabel('This run').locator('a').first().click()
    await opened.getByText('Request body').waitFor()
    expect(await opened.evaluate(() => (globalThis as { hit?: number }).hit)).toBeUndefined()
    expect(problems).toEqual([])
  })

  it('says what was omitted, and has no bodies of acceptable runs', async () => {
    expect(await opened.locator('.saved-trace').textContent()).toContain('acceptable runs were omitted')
    const [, json = ''] = /id="trace">([^<]*)</.exec(html) ?? []
    const { sessions } = JSON.parse(json) as SavedTrace
    const bodiesOf = (name: string) =>
      sessions.find((one) => one.name === name)?.entries[0]?.request.body?.text
    expect(bodiesOf('healthy run')).toContain('gpt-4o')
    expect(bodiesOf('chat.create: reset, every request')).toContain('gpt-4o')
    expect(bodiesOf('chat.create: reset, request 1')).toBeUndefined()
    expect(html.length).toBeLessThan(10_000_000)
  })

  it('can be used by keyboard, and filtered to what is not acceptable', async () => {
    await opened.getByRole('link', { name: 'Trial' }).click()
    await opened.locator('.verdict').first().focus()
    await opened.keyboard.press('ArrowRight')
    await opened.keyboard.press('Enter')
    await opened.locator('.run h2', { hasText: 'every request' }).waitFor()
    await opened.getByLabel('Only failures whose verdict').check()
    await expect.poll(() => opened.locator('.verdicts tbody tr').count()).toBe(2)
    await opened.getByLabel('Only failures whose verdict').uncheck()
  })

  it('has no barriers that axe can find, light and dark, wide and narrow', async () => {
    await opened.evaluate(axe)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 390]) {
        await opened.emulateMedia({ colorScheme })
        await opened.setViewportSize({ width, height: 800 })
        const found = await opened.evaluate(async () => {
          const { violations } = await (globalThis as any).axe.run(document, {
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
          })
          return violations.map(({ id, nodes }: any) => `${id}: ${nodes[0].html}`)
        })
        expect(found, `${colorScheme}, ${width}`).toEqual([])
      }
  })

  it('leaves the first load of the page below 80 KB', () => {
    const code = readFileSync(new URL('../../dist/ui/page.js', import.meta.url))
    expect(gzipSync(code).length).toBeLessThan(80_000)
  })
})
