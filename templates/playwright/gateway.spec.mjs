import { test as base, expect } from '@playwright/test'
import { clientReportText, createSimulator } from 'gateway-sim'
import { listen } from 'gateway-sim/node'

const test = base.extend({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern
    async ({}, use) => {
      const simulator = createSimulator()
      const { url, close } = await listen(simulator)
      await use({ simulator, url })
      await close()
    },
    { scope: 'worker' },
  ],
  scenarios: [[], { option: true }],
  sim: async ({ server, scenarios }, use) => {
    const session = server.simulator.createSession({ scenarios })
    await use(Object.assign(session, { address: session.on(server.url).baseUrl }))
    session.dispose()
  },
})

/** A stand-in for your web app. In your tests, `page.goto` opens the app, with `sim.address` as gateway. */
async function openApp(page, gateway) {
  await page.setContent('<title>App</title><h1></h1>')
  await page.evaluate(async (url) => {
    const submit = async () => {
      const response = await fetch(`${url}/v1/videos`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sora-2', prompt: 'a sunset' }),
      })
      return response.json()
    }
    const { status } = await submit().catch(submit)
    document.querySelector('h1').textContent = status
  }, gateway)
}

test('submits a video once', async ({ page, sim }) => {
  await openApp(page, sim.address)
  await expect(page.getByRole('heading')).toHaveText('pending')
  sim.verify({ requests: 'videos.create', times: 1 })
})

test.describe(() => {
  test.use({ scenarios: [['scenarios/lost-response.yaml'], { scope: 'test' }] })

  // This test fails on purpose: the app retries after the lost response and creates a second video. To fix it,
  // look up the video in the list of videos (GET /v1/videos) instead of submitting it again.
  test('survives a lost response', async ({ page, sim }) => {
    await openApp(page, sim.address)
    const report = sim.clientReport()
    expect(report.ok, clientReportText(report)).toBe(true)
  })
})
