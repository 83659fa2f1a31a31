/**
 * The page under /__sim/ui/ in Chromium: the time until the first view, frames while 10,000 requests scroll,
 * the cost of open pages for the server, and the time until a saved file shows its requests.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { load, postBytes } from './load.mjs'
import { cpuWindow, median, start } from './measure.mjs'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const rounds = 5
const entries = 10_000
const chat = (content) =>
  postBytes('/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content }] })

/** Resolves to promises, as the other parts of the benchmark do. */
export async function page(print) {
  if (!existsSync(executablePath)) throw new Error(`there is no Chromium at ${executablePath}`)
  const server = await start('simulator')
  const browser = await chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  const folder = mkdtempSync(join(tmpdir(), 'gateway-sim-page-'))
  const promises = []
  const promise = (name, got, bound) => {
    promises.push({ name, got, ...bound })
    print(`${name}: ${got.toFixed(2)}`)
  }
  try {
    const url = `http://127.0.0.1:${server.port}/__sim/ui/`
    const least = await leastPage()
    await load({ port: server.port, requests: [chat('Hello')], calls: entries, connections: 8 })
    const [one, many] = await firstViews(browser, [least.url, url])
    least.close()
    print(`first view of a page with one row (ms): ${one.toFixed(0)}, of 10,000 requests: ${many.toFixed(0)}`)
    promise('first view of 10,000 requests, in views of one row', many / one, { atMost: 2.8 })
    const { worst, share } = await scrolling(browser, url)
    promise('longest frame while 10,000 requests scroll (ms)', worst, { atMost: 50 })
    print(`frames of 20 ms or less: ${(share * 100).toFixed(0)} %`)
    const file = join(folder, 'saved.html')
    await saveLarge(browser, { url, port: server.port, file })
    const [saved] = await firstViews(browser, [pathToFileURL(file).href])
    promise('first view of a saved file (ms)', saved, { atMost: 1000 })
    promise('requests per second of CPU time with three pages open', await withPages(browser, url, server), {
      atLeast: 0.9,
    })
  } finally {
    await browser.close()
    server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return promises
}

/**
 * The median times from the end of the HTML to the frame with the first rows, of pages in turns. In the first
 * round, Chromium itself starts.
 */
async function firstViews(browser, urls) {
  const times = urls.map(() => [])
  for (let round = 0; round < rounds + 1; round++)
    for (const [at, url] of urls.entries()) {
      const time = await firstView(browser, url)
      if (round > 0) times[at].push(time)
    }
  return times.map(median)
}

/** In a fresh context. The page tells the time: to ask it would run Playwright's code in it meanwhile. */
async function firstView(browser, url) {
  const context = await browser.newContext()
  const tab = await context.newPage()
  // Chromium opens a window for the context, whose own parts take 1 s of CPU time.
  await tab.waitForTimeout(3000)
  await tab.addInitScript(() => {
    const told = new MessageChannel()
    told.port1.onmessage = () => {
      const [{ responseEnd }] = performance.getEntriesByType('navigation')
      console.debug('first view', performance.now() - responseEnd)
    }
    const observer = new MutationObserver(() => {
      if (document.querySelector('.row') === null) return
      observer.disconnect()
      // The message arrives after the frame has been drawn.
      requestAnimationFrame(() => told.port2.postMessage('drawn'))
    })
    observer.observe(document, { subtree: true, childList: true })
  })
  const [message] = await Promise.all([
    tab.waitForEvent('console', { predicate: (one) => one.text().startsWith('first view') }),
    tab.goto(url),
  ])
  await context.close()
  return Number(message.text().split(' ')[2])
}

/** A page with one row: the part that Chromium takes, whatever it shows. */
async function leastPage() {
  const files = {
    '/': [
      'text/html',
      '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="page.js"></script>',
    ],
    '/page.js': ['text/javascript', `document.body.innerHTML = '<p class="row">A row</p>'`],
  }
  const server = createServer(({ url }, response) => {
    const [type, text] = files[url]
    response.writeHead(200, { 'content-type': type }).end(text)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}/`, close }
}

/** The longest frame, and the share of short ones, while the list scrolls from top to bottom. */
async function scrolling(browser, url) {
  const worst = []
  const shares = []
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const tab = await context.newPage()
    await tab.goto(url)
    await tab.locator('.row').first().waitFor()
    await tab.waitForFunction(
      (height) => document.querySelector('.rows').scrollHeight >= height,
      entries * 30,
    )
    await tab.waitForTimeout(1000)
    const frames = await tab.evaluate(async () => {
      const list = document.querySelector('.rows')
      const durations = []
      let last = performance.now()
      for (let step = 0; step <= 120; step++) {
        list.scrollTop = (list.scrollHeight * step) / 120
        await new Promise((resolve) => requestAnimationFrame(resolve))
        const now = performance.now()
        durations.push(now - last)
        last = now
      }
      return durations.slice(1)
    })
    worst.push(Math.max(...frames))
    shares.push(frames.filter((ms) => ms <= 20).length / frames.length)
    await context.close()
  }
  // The least disturbed round: other work on the machine only makes frames longer.
  return { worst: Math.min(...worst), share: Math.max(...shares) }
}

/** A saved file at the limit of its size. */
async function saveLarge(browser, { url, port, file }) {
  const requests = (at) => chat(`${'A long prompt. '.repeat(500)}${at}`)
  await load({ port, requests, calls: 1500, connections: 8 })
  const context = await browser.newContext()
  const tab = await context.newPage()
  await tab.goto(url)
  await tab.locator('.row').first().waitFor()
  const [download] = await Promise.all([
    tab.waitForEvent('download'),
    tab.getByRole('button', { name: 'Save', exact: true }).click(),
  ])
  await download.saveAs(file)
  await context.close()
}

/**
 * Requests per second of the server's CPU time with three pages open, as a share of those without. Not of
 * real time: on two cores, Chromium takes the time that the server lacks. The least of alternating windows,
 * which other work on the machine disturbs least.
 */
async function withPages(browser, url, server) {
  const requests = [chat('Hello')]
  const window = () => cpuWindow({ server, requests }, { calls: 4000, connections: 8 })
  const alone = []
  const watched = []
  for (let round = 0; round < rounds + 1; round++) {
    const without = await window()
    const context = await browser.newContext()
    const tabs = await Promise.all([1, 2, 3].map(() => context.newPage()))
    for (const tab of tabs) {
      await tab.goto(url)
      await tab.locator('.row').first().waitFor()
    }
    // The pages have the journal so far.
    await tabs[0].waitForTimeout(3000)
    const costs = await window()
    await context.close()
    // V8 compiles in the first round.
    if (round === 0) continue
    alone.push(without)
    watched.push(costs)
  }
  return Math.min(...alone) / Math.min(...watched)
}
