import { test as base, expect } from '@playwright/test'
import { clientReportText } from 'gateway-sim'
import { connect } from 'gateway-sim/client'

const test = base.extend({
  scenarios: [[], { option: true }],
  // A session for each test. `gateway-sim exec` starts the simulator and sets its URL.
  async sim({ scenarios }, use, { title }) {
    const sim = await connect(process.env.GATEWAY_SIM_URL).createSession({ title, scenarios })
    await use(sim)
    await sim.dispose()
  },
})

/** A stand-in for your web app. In your tests, `page.goto` opens the app, with `sim.baseUrl` as gateway. */
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
  await openApp(page, sim.baseUrl)
  await expect(page.getByRole('heading')).toHaveText('pending')
  await sim.verify({ requests: 'videos.create', times: 1 })
})

test.describe(() => {
  test.use({ scenarios: [['scenarios/lost-response.yaml'], { scope: 'test' }] })

  // This test fails on purpose: the app retries after the lost response and creates a second video. To fix it,
  // look up the video in the list of videos (GET /v1/videos) instead of submitting it again.
  test('survives a lost response', async ({ page, sim }) => {
    await openApp(page, sim.baseUrl)
    const report = await sim.clientReport()
    expect(report.ok, clientReportText(report)).toBe(true)
  })
})
