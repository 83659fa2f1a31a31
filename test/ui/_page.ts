/** The page of a simulator in Chromium, for the tests of a file. */
import { readFileSync } from 'node:fs'
import OpenAI from 'openai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { listen, type SimulatorServer } from '../../src/node.ts'
import { startChromium } from '../browser/_chromium.ts'

const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

export interface OpenPage {
  readonly sim: Simulator
  readonly server: SimulatorServer
  readonly page: Page
  /** Errors of the console. */
  readonly problems: string[]
  open(fragment?: string): Promise<void>
  button(name: string): ReturnType<Page['getByRole']>
  chat(content: string, more?: object): Promise<OpenAI.ChatCompletion>
  readonly client: OpenAI
}

/** Starts a browser for the tests of a file, each of which opens a page of its own simulator. */
export function pages(defaults: object) {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())
  return async (options: object = {}): Promise<OpenPage> => {
    const sim = createSimulator({ clock: 'manual', ...defaults, ...options } as never)
    const server = await listen(sim)
    const context: BrowserContext = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    onTestFinished(async () => {
      await context.close()
      await server.close()
    })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('dialog', (dialog) => void dialog.accept())
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-test', maxRetries: 0 })
    const chat = (content: string, more: object = {}) =>
      client.chat.completions.create({
        model: 'gpt-4o-mini',
        messages: [{ role: 'user', content }],
        ...more,
      }) as Promise<OpenAI.ChatCompletion>
    return {
      ...{ sim, server, page, problems, client, chat },
      async open(fragment = '') {
        await page.goto(`${server.url}/__sim/ui/${fragment}`)
        await page.getByText('Live', { exact: true }).waitFor()
      },
      button: (name) => page.getByRole('button', { name, exact: true }),
    }
  }
}

/** What axe finds of A and AA, light and dark, wide and narrow. */
export async function barriers(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate(axe)
      const here = await page.evaluate(async () => {
        const { violations } = await (globalThis as any).axe.run(document, {
          runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
        })
        return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
          nodes.map(({ html }) => `${id}: ${html}`),
        )
      })
      found.push(...here.map((one: string) => `${colorScheme}, ${width}: ${one}`))
    }
  return found
}
