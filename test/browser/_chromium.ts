/** Debian's Chromium, without the parts of it that ask the network for things. */
import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'

export const chromiumPath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Throws what to install where there is no Chromium: a test that is not run says nothing about the code. */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  if (!existsSync(chromiumPath))
    throw new Error(
      `there is no Chromium at ${chromiumPath}: run apt-get install chromium, or set CHROMIUM to its path`,
    )
  // Loaded here, because it takes a second, and many files import the path only.
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  })
}
