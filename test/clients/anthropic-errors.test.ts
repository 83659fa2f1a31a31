import { describe, expect, it } from 'vitest'
import { simulator } from '../_setup.ts'
import { anthropicVia, ask, packages } from './_anthropic.ts'
import { clientIntegrations, type RejectedCall, rejectionOf } from './_integrations.ts'

const done = ask('Say "done"')
const counted = ask('Say "one two three"')

const rejected: readonly RejectedCall[] = [
  {
    by: 'a value out of range',
    request: { max_tokens: 8193 },
    thrown: 'BadRequestError',
    status: 400,
    type: 'invalid_request_error',
    message: '`max_tokens`: expected at most 8192 (setting messages.maxTokens), got 8193.',
  },
]

for (const { version, Sdk } of packages) {
  for (const integration of clientIntegrations) {
    describe(`@anthropic-ai/sdk ${version} error classes, through ${integration.name}`, () => {
      for (const { by, key, request, thrown, status, type, message } of rejected) {
        it(`${status}: ${by} throws ${thrown}, plain and streamed`, async () => {
          const sim = simulator({ clock: 'auto' })
          const client = await anthropicVia(Sdk, integration, sim, key === undefined ? {} : { apiKey: key })
          for (const stream of [false, true]) {
            const error = await rejectionOf(client.messages.create({ ...done, ...request, stream }))
            expect(error).toBeInstanceOf(Sdk[thrown])
            expect(error).toMatchObject({
              status,
              type,
              requestID: sim.journal().at(-1)?.requestId,
              error: {
                type: 'error',
                error: { type, code: status, message, trace_id: expect.stringMatching(/^trc_/) },
                request_id: sim.journal().at(-1)?.requestId,
              },
            })
          }
        })
      }

      it('the stream helper throws what went wrong, with what had come', async () => {
        const client = await anthropicVia(Sdk, integration)
        const failed = client.messages.stream({ ...counted, model: 'sim-error-after-4' })
        expect(await rejectionOf(failed.finalMessage())).toMatchObject({
          error: { error: { type: 'api_error' } },
        })
        expect(failed.currentMessage?.content).toMatchObject([{ type: 'text', text: 'one' }])
        expect(
          await rejectionOf(client.messages.stream({ ...counted, model: 'sim-missing-end' }).finalMessage()),
        ).toBeInstanceOf(Sdk.AnthropicError)
      })
    })
  }
}

describe('@anthropic-ai/sdk, what is sent', () => {
  it.each([
    ['1.x', 'authorization', '2026-10-21'],
    ['0.x', 'x-api-key', '2023-06-01'],
  ])('%s sends its key in %s and the version %s', async (version, header, date) => {
    const { Sdk } = packages.find((one) => one.version === version) as (typeof packages)[number]
    const sim = simulator({ clock: 'auto' })
    let sent = new Headers()
    const client = new Sdk({
      apiKey: 'sk-test',
      baseURL: 'http://gateway.test',
      fetch: (url: string | URL | Request, init?: RequestInit) => {
        sent = new Headers(init?.headers)
        return sim.fetch(url, init)
      },
    })
    expect((await client.messages.create(done)).content).toMatchObject([{ text: 'done' }])
    expect(['authorization', 'x-api-key'].filter((name) => sent.has(name))).toEqual([header])
    expect(sent.get('anthropic-version')).toBe(date)
  })
})
