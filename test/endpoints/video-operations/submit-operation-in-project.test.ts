/** videoOperations.submitForPublisher: the same submission, addressed by publisher. */
import { expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { body, poll, submit } from './_operations.ts'

const path = '/v1beta/publishers/acme/models/veo-3.0:predictLongRunning'

it('videoOperations.submitForPublisher answers a name that holds the publisher of its path', async () => {
  const sim = simulator()
  const name = await submit(sim, body(), path)
  expect(name).toContain('/publishers/acme/models/veo-3.0/operations/')
  expect((await poll(sim, name)).done).toBe(false)
})
