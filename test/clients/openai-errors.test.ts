/** Rejections that only the openai package meets; matrix.test.ts has those of every client. */
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { simulator } from '../_setup.ts'
import { clientIntegrations, rejectionOf } from './_integrations.ts'
import { ask, openaiVia } from './_openai.ts'

const messages = ask('Say "done"')

for (const integration of clientIntegrations) {
  describe(`openai rejections, through ${integration.name}`, () => {
    it('throws the bare APIError for a status that has no class of its own: 413, and the 424 of image jobs', async () => {
      const sim = simulator({ clock: 'auto', settings: { limits: { jsonBytes: 1024 } } })
      const client = await openaiVia(integration, sim, { maxRetries: 2 })
      const large = await rejectionOf(
        client.chat.completions.create({ model: 'gpt-4o', messages: ask('x'.repeat(2000)) }),
      )
      expect(large).toMatchObject({
        status: 413,
        type: 'request_too_large',
        message: expect.stringContaining('larger than 1024 bytes (setting limits.jsonBytes)'),
      })
      expect(Object.getPrototypeOf(large)).toBe(OpenAI.APIError.prototype)

      const failed = (await rejectionOf(
        client.post('/tob/diffusion', { body: { model: 'sim-ambiguous-submit-424', text: 'a fox' } }),
      )) as InstanceType<typeof OpenAI.APIError>
      expect(Object.getPrototypeOf(failed)).toBe(OpenAI.APIError.prototype)
      expect(failed).toMatchObject({
        status: 424,
        code: 2002,
        type: 'downstream_unavailable',
        requestID: expect.stringMatching(/^req_/),
      })
      // 424 is not retried by this package: the original job is to be queried.
      expect(sim.journal().filter(({ response }) => response?.status === 424)).toHaveLength(1)
      const { job_id } = failed.error as { job_id: string }
      expect(failed.message).toContain(`poll GET /v1/tob/job/${job_id}`)
      expect(await client.get(`/tob/job/${job_id}`)).toMatchObject({ id: job_id, text: 'a fox', status: 1 })
    })

    it('says what to call in the place of a path that does not exist', async () => {
      const client = await openaiVia(integration)
      const misled = client.withOptions({ baseURL: client.baseURL.replace(/\/v1$/, '') })
      for (const [call, words] of [
        [
          client.responses.create({ model: 'gpt-4o', input: 'Hi' }),
          '`client.chat.completions.create(…)` in the openai package',
        ],
        [
          client.embeddings.create({ model: 'text-embedding-3-small', input: 'Hi' }),
          'This gateway does not offer that API',
        ],
        [
          misled.chat.completions.create({ model: 'gpt-4o', messages }),
          'the base URL of this client must end in /v1',
        ],
      ] as const)
        expect(await rejectionOf(call)).toMatchObject({
          status: 404,
          message: expect.stringContaining(words),
        })
    })
  })
}
