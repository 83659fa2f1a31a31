// Pictures of the page for the README and the docs: SDKs make traffic on a server with a scenario.
//
//   npm run screenshots          writes docs/images/page-*.webp
// Needs Chromium at /usr/bin/chromium, or at the path in CHROMIUM.
import { writeFile } from 'node:fs/promises'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { createSimulator } from '../dist/index.js'
import { listen } from '../dist/node.js'

const folder = new URL('../docs/images/', import.meta.url)
/** The maximum size of a picture, in bytes. */
const maxBytes = 60_000
const haiku = 'Waves fold into foam, the lighthouse counts its minutes, gulls argue at dawn.'

const scenario = `title: A bad afternoon
rules:
  - id: chat-is-overloaded
    when: { operation: chat.create, nth: 2 }
    then: { error: { status: 503, type: overloaded_error } }
  - id: stream-breaks-off
    when: { operation: chat.create, body: { stream: true } }
    then: { text: "${haiku}", stream: { eventInterval: 400ms }, fault: { kind: disconnect, afterEvents: 9 } }
  - id: second-video-fails
    when: { operation: videos.create, nth: 2 }
    then: { job: { failAt: 60 } }
`

const sim = createSimulator({ clock: 'manual', seed: 'screenshots' })
sim.scenarios.add({ text: scenario, name: 'bad-afternoon.yaml' })
const { url, close } = await listen(sim)
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
try {
  await makeTraffic()
  await picture('requests', '#/requests/default/3', { height: 560 })
  await picture('timeline', '#/timeline', { height: 340 })
  await picture('stream', '#/requests/default/6', { height: 560, startAt: 'Stream' })
} finally {
  await browser.close()
  await close()
}

async function makeTraffic() {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-test', maxRetries: 0 })
  const anthropic = new Anthropic({ baseURL: url, apiKey: 'sk-test', maxRetries: 0 })
  const ask = (content, more = {}) =>
    openai.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content }], ...more })
  const messages = [{ role: 'user', content: 'Name three harbours in Portugal.' }]
  await ask('Write a haiku about the sea.')
  await ask('Summarise the minutes of Monday.').catch(() => {})
  await anthropic.messages.create({ model: 'claude-haiku-4-5', max_tokens: 200, messages })
  await ask('Hello', { temperature: 9 }).catch(() => {})
  const first = await openai.videos.create({ model: 'sora-2', prompt: 'A fox in the snow' })
  const second = await openai.videos.create({ model: 'sora-2', prompt: 'A lighthouse at dawn' })
  const streamed = ask('Write a haiku about the sea.', { stream: true })
    .then(async (stream) => {
      for await (const _ of stream);
    })
    .catch(() => {})
  for (let step = 0; step < 12; step++) {
    await new Promise((done) => setTimeout(done, 30))
    sim.clock.advance('1s')
  }
  await streamed
  for (const { id } of [first, second, first, second]) {
    sim.clock.advance('20s')
    await openai.videos.retrieve(id)
  }
}

async function picture(name, fragment, { height, startAt }) {
  const page = await browser.newPage({ viewport: { width: 1180, height }, deviceScaleFactor: 1.5 })
  await page.goto(`${url}/__sim/ui/${fragment}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.waitForTimeout(800)
  if (startAt !== undefined)
    await page.getByRole('heading', { name: startAt }).evaluate((element) => element.scrollIntoView())
  // The page has few colours: lossless with a palette is smaller and sharper than lossy.
  const flat = await sharp(await page.screenshot())
    .png({ palette: true, colours: 64, dither: 0 })
    .toBuffer()
  const webp = await sharp(flat).webp({ lossless: true, effort: 6 }).toBuffer()
  if (webp.length > maxBytes) throw new Error(`${name}: ${webp.length} bytes, at most ${maxBytes}`)
  await writeFile(new URL(`page-${name}.webp`, folder), webp)
  process.stdout.write(`page-${name}.webp: ${webp.length} bytes\n`)
}
