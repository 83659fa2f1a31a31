import { test as base, expect } from '@playwright/test'
import { connect } from 'gateway-sim/client'

/** A session for each test, so that tests can run in parallel. The app's server passes its name on. */
const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern
  async sim({}, use, { title }) {
    const sim = await connect(process.env.GATEWAY_SIM_URL).createSession({ title })
    await use(sim)
    await sim.dispose()
  },
  extraHTTPHeaders: ({ sim }, use) => use({ 'x-sim-session': sim.name }),
})

async function ask(page, question) {
  await page.goto('/')
  await page.getByLabel('Question').fill(question)
  await page.getByRole('button', { name: 'Ask' }).click()
}

test('shows the answer', async ({ page, sim }) => {
  await ask(page, 'Reply with exactly: pong')
  await expect(page.getByRole('status')).toHaveText('pong')
  await sim.verify({ requests: 'chat.create', times: 1 })
})

test('asks the user to try again when the model is overloaded', async ({ page, sim }) => {
  await sim.overrides.add({ fault: 'overloaded', times: 1 })
  await ask(page, 'Reply with exactly: pong')
  await expect(page.getByRole('status')).toHaveText('The model is busy. Please ask again.')
  await page.getByRole('button', { name: 'Ask' }).click()
  await expect(page.getByRole('status')).toHaveText('pong')
})
