/** How the tests of clients reach a simulator, and what they all need to look at outcomes. */
import { setupServer } from 'msw/node'
import { onTestFinished } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import { type Integration, integrations } from '../_setup.ts'
import type { Way } from './_models.ts'

const named = (name: string): Integration =>
  integrations.find((integration) => integration.name === name) as Integration

/** By the client's `fetch` option; matrix.test.ts uses every client so. */
export const inProcess = named('fetch')

/** As a client meets a gateway. */
export const clientIntegrations: readonly Integration[] = [named('HTTP')]

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

/** Where a client goes. Over HTTP and under msw it keeps the `fetch` that it would use anyway. */
export async function wayTo(integration: Integration, sim: Simulator): Promise<Way> {
  const { fetch, url } = await integration.open(sim)
  return integration.name === 'fetch' ? { fetch, url } : { url }
}

/** What a promise is rejected with; fails when it is not. */
export async function rejectionOf(promise: PromiseLike<unknown>): Promise<unknown> {
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

/** A call that is rejected, and the class that the packages of both vendors throw for it. */
export interface RejectedCall {
  readonly by: string
  readonly key?: string
  readonly model?: string
  readonly thrown:
    | 'BadRequestError'
    | 'AuthenticationError'
    | 'PermissionDeniedError'
    | 'NotFoundError'
    | 'RateLimitError'
    | 'InternalServerError'
  readonly status: number
  readonly type: string
  readonly param?: string
  readonly message: string
}

/**
 * What chat and messages reject alike; an overload has a status of its own in each, an unknown model its
 * words.
 */
export const rejectedAlike = (overloaded: number, noModel: string): readonly RejectedCall[] => [
  {
    by: 'a bad field',
    model: 'm'.repeat(513),
    thrown: 'BadRequestError',
    status: 400,
    type: 'invalid_request_error',
    param: 'model',
    message: '`model`: expected at most 512 characters, got 513.',
  },
  {
    by: 'an unknown model',
    model: 'no-such-model',
    thrown: 'NotFoundError',
    status: 404,
    type: 'not_found_error',
    message: noModel,
  },
  {
    by: 'a bad key',
    key: 'sk-invalid',
    thrown: 'AuthenticationError',
    status: 401,
    type: 'authentication_error',
    message: 'Incorrect API key provided: the key contains the reserved word "invalid".',
  },
  {
    by: 'a key without access',
    key: 'sk-forbidden',
    thrown: 'PermissionDeniedError',
    status: 403,
    type: 'permission_error',
    message: 'No access permission: the key contains the reserved word "forbidden".',
  },
  {
    by: 'a forbidden model',
    model: 'sim-forbidden',
    thrown: 'PermissionDeniedError',
    status: 403,
    type: 'permission_error',
    message: 'No access permission for this request (reserved value forbidden).',
  },
  {
    by: 'a rate limit',
    model: 'sim-rate-limit',
    thrown: 'RateLimitError',
    status: 429,
    type: 'rate_limit_error',
    message: 'Rate limit reached: retry after 1 s (reserved value rate-limit).',
  },
  {
    by: 'a server error',
    model: 'sim-server-error',
    thrown: 'InternalServerError',
    status: 500,
    type: 'api_error',
    message: 'The server had an error while processing your request (reserved value server-error).',
  },
  {
    by: 'an overload',
    model: 'sim-overloaded',
    thrown: 'InternalServerError',
    status: overloaded,
    type: 'overloaded_error',
    message: 'The engine is currently overloaded, please try again later (reserved value overloaded).',
  },
]
