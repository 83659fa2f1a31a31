/** The page in Chromium, on traffic of real clients: what a person would do there. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { bufferingProxy, http2Front } from '../_fronts.ts'
import { jsonCall } from '../_setup.ts'
import { barriers, type OpenPage, pages } from './_page.ts'

const about = (text: string) => ({ operation: 'chat.create', conversation: { lastUser: { contains: text } } })
const rules = [
  { id: 'busy', when: about('busy'), then: { error: { status: 503 } } },
  {
    id: 'slow',
    when: about('slow'),
    then: { text: 'one two three four', stream: { eventInterval: '1s' } },
  },
  {
    id: 'breaks-off',
    when: about('cut'),
    then: { text: 'one two three', fault: { kind: 'disconnect', afterEvents: 3 } },
  },
]
const newPage = pages({ scenarios: [{ title: 'Three rules', rules }] })

/** Requests a stream; resolves when it begins. */
async function stream({ chat }: OpenPage, content: string): Promise<{ readonly text: Promise<string> }> {
  const events = (await chat(content, { stream: true })) as unknown as AsyncIterable<any>
  const read = async (): Promise<string> => {
    let text = ''
    for await (const { choices } of events) text += choices[0]?.delta.content ?? ''
    return text
  }
  return { text: read().catch(() => '') }
}

const operations = ({ page }: OpenPage) => page.locator('.row strong').allTextContents()

describe('the requests', () => {
  it('appear as they come, newest first, with the root of the server as the address to open', async () => {
    const shown = await newPage()
    await shown.chat('first')
    await shown.page.goto(shown.server.url)
    await expect.poll(() => operations(shown)).toEqual(['chat.create'])
    await shown.chat('busy').catch(() => undefined)
    await expect.poll(() => shown.page.locator('.row .code').allTextContents()).toEqual(['503', '200'])
    expect(shown.problems).toEqual([])
  })

  it('are complete however many there are, a part at a time', async () => {
    const shown = await newPage()
    for (let count = 0; count < 250; count++) await shown.sim.fetch('/v1/models')
    await shown.open()
    await shown.page.getByText('Show older (50)').click()
    await expect.poll(() => shown.page.locator('.row').count()).toBe(250)
    expect(await shown.page.locator('.row .seq').last().textContent()).toBe('0')
  })

  it('can be searched and filtered, and the address keeps the filter', async () => {
    const shown = await newPage()
    for (const text of ['one', 'two', 'busy']) await shown.chat(text).catch(() => undefined)
    await stream(shown, 'slow')
    await shown.open()
    const rows = (count: number) => expect.poll(() => shown.page.locator('.row').count()).toBe(count)
    await shown.page.getByLabel('Kind').selectOption('Streams')
    await rows(1)
    await shown.page.reload()
    await rows(1)
    await shown.page.getByLabel('Kind').selectOption('All requests')
    for (const [text, count] of [
      ['busy', 1],
      ['503', 1],
      ['#1', 1],
      ['chat.create', 4],
      ['nothing', 0],
    ] as const) {
      await shown.page.getByLabel('Search').fill(text)
      await rows(count)
    }
  })

  it('can be read by keyboard alone', async () => {
    const shown = await newPage()
    for (const text of ['one', 'two', 'three']) await shown.chat(text)
    await shown.open()
    await shown.page.locator('.row').first().waitFor()
    await shown.page.keyboard.press('/')
    for (const seq of [2, 1]) {
      await shown.page.keyboard.press('ArrowDown')
      await shown.page.getByLabel(`Request ${seq} in session default`).waitFor()
    }
    await shown.page.keyboard.press('Escape')
    await shown.page.locator('.detail').waitFor({ state: 'detached' })
  })

  it('are saved as a HAR file, all of a session or one', async () => {
    const shown = await newPage()
    await shown.chat('x', { temperature: 9 }).catch(() => undefined)
    await shown.chat('Hello')
    await shown.open('#/requests/default/1')
    await shown.page.locator('.detail h1').waitFor()
    const statuses = async (index: number): Promise<readonly number[]> => {
      const [download] = await Promise.all([
        shown.page.waitForEvent('download'),
        shown.button('Save as HAR').nth(index).click(),
      ])
      const { log } = JSON.parse(readFileSync(await download.path(), 'utf8'))
      return log.entries.map(({ response }: { response: { status: number } }) => response.status)
    }
    expect(await statuses(0)).toEqual([400, 200])
    expect(await statuses(1)).toEqual([200])
  })
})

describe('a request', () => {
  const notRead = 'The request body was not read: the path is unknown.'
  it.each([
    [
      'that was rejected names the field',
      { temperature: 9 },
      ['Rejected', 'invalid_request_error', 'temperature'],
    ],
    ['shows the rule that responded', { content: 'busy' }, ['Why this response', 'rule busy']],
    [
      'says that its body is cut',
      { content: 'lorem '.repeat(20_000) },
      ['keeps only the beginning of these 120,'],
    ],
  ] as const)('%s', async (_, { content = 'Hello', ...more }: any, texts) => {
    const shown = await newPage()
    await shown.chat(content, more).catch(() => undefined)
    await shown.open()
    await shown.page.locator('.row').click()
    for (const text of texts) await shown.page.locator('.detail', { hasText: text }).waitFor()
  })

  it('to an unknown path says what is wrong', async () => {
    const shown = await newPage()
    await fetch(`${shown.server.url}/chat/completions`, jsonCall({}))
    await shown.open('#/requests?only=unmatched')
    await shown.page.locator('.row', { hasText: 'unknown path' }).click()
    await shown.page
      .locator('.problems', { hasText: 'the base URL of this client must end in /v1' })
      .waitFor()
    await shown.page.getByText(notRead).waitFor()
  })

  it('shows where a stream was cut, by which fault and rule', async () => {
    const shown = await newPage()
    const { text } = await stream(shown, 'cut')
    shown.sim.clock.advance('1m')
    await text
    const { endedAfter = 0 } = shown.sim.journal()[0] ?? {}
    await shown.open('#/requests/default/0')
    const detail = shown.page.locator('.detail')
    await detail.getByText(`disconnected after event 3, at ${endedAfter / 1000} s`).waitFor()
    await detail.getByText('disconnect, by rule breaks-off').waitFor()
  })

  it('shows the findings about it', async () => {
    const shown = await newPage()
    shown.sim.overrides.add({ fault: { kind: 'rate-limit', retryAfter: '7s' }, times: 1 })
    const headers = { authorization: 'Bearer sk-test' }
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'first' }] }
    for (const _ of [1, 2]) await shown.sim.fetch('/v1/chat/completions', jsonCall(body, headers))
    await shown.open('#/requests/default/1')
    await shown.page.locator('li', { hasText: 'ignored-retry-after: ' }).getByRole('link').click()
    await shown.page.getByRole('heading', { name: 'Clients in session default' }).waitFor()
  })

  it('shows a stream event by event while the clock stands, and its text by event', async () => {
    const shown = await newPage()
    await stream(shown, 'slow')
    await shown.open('#/requests/default/0')
    const text = shown.page.locator('pre.text')
    await shown.page.getByText(/^open, \d of 7 events sent/).waitFor()
    await shown.button('Finish').click()
    await expect.poll(() => text.textContent()).toBe('one two three four')
    await shown.page.locator('input[type=range]').fill('3')
    await expect.poll(() => text.textContent()).toBe('one two')
    expect(await shown.page.locator('.events li').count()).toBe(7)
  })

  it('is copied as a curl command', async () => {
    const shown = await newPage()
    await shown.chat('Hello')
    await shown.open('#/requests/default/0')
    await shown.button('Copy as curl').click()
    await shown.button('Copied').waitFor()
    const copied = (await shown.page.evaluate('navigator.clipboard.readText()')) as string
    expect(copied).toContain(`curl -X POST '${shown.server.url}/v1/chat/completions'`)
  })
})

describe('the clock and the timeline', () => {
  it('advance a job, fail another, and a number without a unit is in seconds', async () => {
    const shown = await newPage()
    for (const prompt of ['a fox', 'a hare']) await shown.client.videos.create({ model: 'sora-2', prompt })
    await shown.open('#/timeline')
    const state = shown.page.locator('.lane .state')
    await shown.page.locator('.lane a.label').nth(1).click()
    await shown.button('Fail').click()
    await state.nth(1).getByText('failed').waitFor()
    const before = shown.sim.clock.now()
    await shown.page.getByLabel('Duration to advance by').fill('5')
    await shown.button('Advance').click()
    await expect.poll(() => shown.sim.clock.now()).toBe(before + 5000)
    await shown.page.locator('.clock').getByRole('button', { name: 'Finish' }).click()
    await state.nth(0).getByText('completed').waitFor()
    expect(await shown.page.locator('.segment').count()).toBeGreaterThan(3)
  })

  it('stop and resume a real clock, and say that the server is away', async () => {
    const shown = await newPage({ clock: 'real' })
    await shown.chat('Hello')
    await shown.open()
    await shown.button('Stop').click()
    await shown.button('Resume').click()
    await shown.button('Stop').waitFor()
    await shown.server.close()
    await shown.page.getByText('Disconnected').waitFor()
  })
})

describe('a breakpoint', () => {
  async function arm(before: string, isOnce = true): Promise<OpenPage> {
    const shown = await newPage()
    await shown.open('#/breakpoints')
    await shown.page.getByLabel('Hold before').selectOption(before)
    if (!isOnce) await shown.page.getByLabel('Only the next request').uncheck()
    await shown.button('Add breakpoint').click()
    await shown.page.getByText('Active (1)').waitFor()
    return shown
  }

  it('holds a stream event by event, changes one, and continues to the end', async () => {
    const shown = await arm('event')
    const { text } = await stream(shown, 'slow')
    shown.sim.clock.advance('1m')
    await shown.page.getByText('Event 1 of 7').waitFor()
    expect(await barriers(shown.page)).toEqual([])
    await shown.button('Continue').click()
    await shown.page.getByText('Event 2 of 7').waitFor()
    const data = shown.page.getByLabel('Event data')
    await data.fill((await data.inputValue()).replace('one', 'ONE'))
    await shown.button('Send the change').click()
    await shown.page.getByText('Event 3 of 7').waitFor()
    await shown.button('Continue to the end').click()
    expect(await text).toBe('ONE two three four')
    await shown.page.getByText('No requests are held.').waitFor()
  })

  it('changes a response, or cuts its connection', async () => {
    const shown = await arm('response', false)
    const changed = shown.chat('hello').catch((error) => `${error.status} ${error.message}`)
    await shown.page.getByLabel('Status').fill('418')
    await shown.page.getByLabel('Response body').fill('{"error":{"message":"I am a teapot"}}')
    await shown.button('Send the change').click()
    expect(await changed).toContain('418 I am a teapot')
    await shown.page.getByText('No requests are held.').waitFor()
    const cut = shown.chat('hello').catch((error) => error.message)
    await shown.button('Cut the connection').click()
    expect(await cut).toBe('Connection error.')
  })
})

it('rules are switched off and on, and overrides removed', async () => {
  const shown = await newPage()
  shown.sim.overrides.add({ when: { operation: 'videos.create' }, fault: 'overloaded' })
  await shown.open('#/rules')
  const isOn = () => shown.sim.scenarios.list()[0]?.rules[0]?.enabled
  const toggle = shown.page.getByLabel('Rule busy is on')
  await toggle.uncheck()
  await expect.poll(isOn).toBe(false)
  expect((await shown.chat('busy')).choices).toHaveLength(1)
  await toggle.check()
  await expect.poll(isOn).toBe(true)
  await shown.page.locator('li', { hasText: 'overloaded' }).getByRole('button').click()
  await shown.page.getByText('None. ').waitFor()
  expect(shown.sim.overrides.list()).toEqual([])
})

it('sessions are created, reset and deleted, and a reset closes their open request', async () => {
  const shown = await newPage()
  await shown.chat('Hello')
  await shown.open('#/requests/default/0')
  await shown.page.locator('.detail h1').waitFor()
  await shown.button('Reset').click()
  await shown.page.getByText('No requests yet.').waitFor()
  await shown.page.getByRole('link', { name: 'Clients' }).click()
  await shown.button('New session').click()
  const remove = shown.page.getByRole('button', { name: /^Delete / })
  await remove.waitFor()
  const name = new URL(shown.page.url()).hash.split('session=')[1] ?? ''
  await expect.poll(() => shown.page.locator('.session select').inputValue()).toBe(name)
  await shown.page.locator('li', { hasText: `/s/${name}` }).waitFor()
  await remove.click()
  await remove.waitFor({ state: 'detached' })
  expect(shown.page.url()).not.toContain('session=')
  expect(shown.problems).toEqual([])
})

describe('the page', () => {
  const links = ({ page }: OpenPage) =>
    page.locator('nav a').evaluateAll((all) => all.map((link) => link.getAttribute('href') as string))

  it('has no barriers that axe can find', async () => {
    const shown = await newPage()
    await shown.chat('busy').catch(() => undefined)
    await shown.chat('one', { temperature: 9 }).catch(() => undefined)
    await shown.client.videos.create({ model: 'sora-2', prompt: 'a fox' })
    await stream(shown, 'slow')
    await shown.open()
    for (const fragment of [...(await links(shown)), '#/requests/default/1', '#/requests/default/3']) {
      await shown.open(fragment)
      await shown.page.locator('main h1, .lane, .row').first().waitFor()
      expect(await barriers(shown.page), fragment).toEqual([])
    }
    expect(shown.problems).toEqual([])
  })

  it('shows a text that is HTML or a script as text, wherever it occurs', async () => {
    const shown = await newPage()
    const hostile = [
      '<img src=x onerror="globalThis.hit = 1">',
      '"><svg onload=globalThis.hit=1>',
      'javascript:globalThis.hit=1',
      '</pre></article><iframe srcdoc="<script>parent.hit=1</script>">',
      '\u202eevil\u0000',
    ]
    for (const text of hostile) {
      await shown.chat(text).catch(() => undefined)
      await shown.chat(text, { model: text, [text]: text, user: text }).catch(() => undefined)
      const path = `/v1/videos/${encodeURIComponent(text)}?q=${encodeURIComponent(text)}`
      await fetch(shown.server.url + path, { headers: { 'x-text': encodeURI(text) } })
    }
    await shown.open()
    const requests = shown.sim.journal().map(({ seq }) => `#/requests/default/${seq}`)
    for (const fragment of [...(await links(shown)), ...requests]) {
      await shown.open(fragment)
      await shown.page.locator(fragment.includes('default/') ? '.detail h1' : 'main').waitFor()
    }
    expect(await shown.page.evaluate(() => (globalThis as { hit?: number }).hit)).toBeUndefined()
    expect(await shown.page.locator('iframe, article img, article script').count()).toBe(0)
  })

  it('asks for the token once, and never puts it in an address', async () => {
    const { page, server } = await newPage({ settings: { control: { token: 'secret-token' } } })
    await page.goto(`${server.url}/__sim/ui/`)
    await page.getByLabel('Token').fill('wrong-token')
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

  it('reconnects to another server, whose requests and breakpoints are others', async () => {
    const shown = await newPage()
    await shown.chat('before')
    await shown.open('#/requests/default/0')
    await shown.page.locator('.detail h1').waitFor()
    const { port } = shown.server
    await shown.server.close()
    await shown.page.getByText('Disconnected').waitFor()
    const next = await listen(createSimulator({ clock: 'manual' }), { port })
    await shown.chat('after')
    await shown.page.getByText('Live', { exact: true }).waitFor()
    await shown.page.getByText('The server was started again').waitFor()
    await expect
      .poll(() => shown.page.locator('.row .about').allTextContents())
      .toEqual(['after · gpt-4o-mini'])
    expect(await shown.page.locator('.detail').count()).toBe(0)
    await next.close()
  })

  it.each([
    ['a proxy that collects 4 kB', (target: string) => bufferingProxy(target, 4096)],
    ['HTTP/2 over TLS', (target: string) => http2Front(target, { secure: true })],
  ])('behind %s shows each request as it comes', async (_, makeFront) => {
    const shown = await newPage()
    const front = await makeFront(shown.server.url)
    const context = await shown.page.context().browser()?.newContext({ ignoreHTTPSErrors: true })
    const page = await context?.newPage()
    await page?.goto(`${front.url}/__sim/ui/`)
    await page?.getByText('Live', { exact: true }).waitFor()
    for (const count of [1, 2, 3]) {
      await (await shown.sim.fetch('/v1/models')).text()
      await expect.poll(() => page?.locator('.row').count()).toBe(count)
    }
    await context?.close()
    await front.close()
  })
})
