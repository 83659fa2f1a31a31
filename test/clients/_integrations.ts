/** How the tests of clients reach a simulator, and what they all need to look at outcomes. */
import { setupServer } from 'msw/node'
import { onTestFinished } from 'vitest'
import { handlers } from '../../src/msw.ts'
import { type Integration, integrations } from '../_setup.ts'

const named = (name: string): Integration =>
  integrations.find((integration) => integration.name === name) as Integration

/** In-process by the client's `fetch` option, and over HTTP. */
export const clientIntegrations: readonly Integration[] = [named('fetch'), named('HTTP')]

/** Under msw, as in a suite that cannot hand over a `fetch`. */
export const mswIntegration: Integration = {
  name: 'msw',
  async open(sim) {
    const url = 'http://gateway.test'
    const server = setupServer(...handlers(sim, { origins: [url] }))
    server.listen({
      onUnhandledRequest(request, print) {
        // The openai package reads a data: address to see whether its fetch knows forms.
        if (!request.url.startsWith('data:')) print.error()
      },
    })
    onTestFinished(() => server.close())
    return { fetch, url }
  },
}

/** What a promise is rejected with; fails when it is not. */
export async function refusalOf(promise: PromiseLike<unknown>): Promise<unknown> {
  const outcome = await Promise.resolve(promise).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('value' in outcome) throw new Error(`expected a rejection, got ${JSON.stringify(outcome.value)}`)
  return outcome.error
}

/**
 * Lets pending input and output happen until a condition holds; for what a socket tells the server in its own
 * time.
 */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn > 1_000_000) throw new Error(`this never came true: ${condition}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
