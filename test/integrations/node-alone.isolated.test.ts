/** `listen` without user handlers loads nothing of msw, express or the middleware. */
import { expect, it, vi } from 'vitest'
import { ask, question, serve } from './_listen.ts'

vi.mock('../../src/http/handlers/user-handlers.ts', () => {
  throw new Error('user handlers were loaded although none were given')
})

it('listens and answers without loading what user handlers need', async () => {
  const { url } = await serve()
  expect((await ask(url, question)).status).toBe(200)
})
