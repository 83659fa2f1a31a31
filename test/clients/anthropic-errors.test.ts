/**
 * The @anthropic-ai/sdk package, things that go wrong: rejections as its classes, streams that break or are
 * left.
 */
import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { simulator } from '../_setup.ts'
import { anthropicVia, ask, packages } from './_anthropic.ts'
import {
  clientIntegrations,
  mswIntegration,
  type RejectedCall,
  rejectedAlike,
  rejectionOf,
  until,
} from './_integrations.ts'

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
  ...rejectedAlike(529, 'model: no-such-model'),
]

/** The text of a stream to its end, and how it ended. */
async function readToEnd(
  stream: AsyncIterable<Anthropic.RawMessageStreamEvent>,
): Promise<{ text: string; error: unknown }> {
  let text = ''
  try {
    for await (const event of stream)
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text
  } catch (error) {
    return { text, error }
  }
  return { text, error: undefined }
}

for (const { version, Sdk } of packages) {
  for (const integration of [...clientIntegrations, mswIntegration]) {
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

      it('keeps the text that came before a stream went wrong', async () => {
        const sim = simulator({ clock: 'auto' })
        const client = await anthropicVia(Sdk, integration, sim)
        const read = async (model: string) =>
          readToEnd(await client.messages.create({ ...counted, model, stream: true }))
        const cut = await read('sim-disconnect-after-5')
        expect([cut.text, cut.error]).toEqual(['one two', expect.any(Error)])
        expect(sim.journal()[0]).toMatchObject({ status: 200, ended: 'disconnected', eventCount: 5 })
        const failed = await read('sim-error-after-4')
        expect(failed.text).toBe('one')
        expect(failed.error).toBeInstanceOf(Sdk.APIError)
        expect(failed.error).toMatchObject({
          status: undefined,
          requestID: sim.journal()[1]?.requestId,
          error: {
            type: 'error',
            error: {
              type: 'api_error',
              message: 'The server had an error while streaming (reserved value error-after).',
            },
          },
        })
        expect(await read('sim-missing-end')).toEqual({ text: 'one two three', error: undefined })
      })

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

  for (const integration of clientIntegrations) {
    describe(`@anthropic-ai/sdk ${version} on a manual clock, through ${integration.name}`, () => {
      const settings = { messages: { firstEventAfter: '200ms', eventInterval: '50ms' } } as const

      it('a delta comes when time passes it; aborting ends it there', async () => {
        const sim = simulator({ clock: 'manual', settings })
        const client = await anthropicVia(Sdk, integration, sim)
        const stream = await client.messages.create({ ...counted, stream: true })
        const events = stream[Symbol.asyncIterator]()
        sim.clock.advance(250)
        const types: (string | undefined)[] = []
        for (let count = 0; count < 3; count++) types.push((await events.next()).value?.type)
        expect(types).toEqual(['message_start', 'content_block_start', 'content_block_delta'])
        sim.clock.advance(49)
        expect(sim.journal()[0]).toMatchObject({ ended: 'open', eventCount: 4 })
        stream.controller.abort()
        expect(await events.next()).toEqual({ value: undefined, done: true })
        await until(() => sim.journal()[0]?.ended !== 'open')
        expect(sim.journal()[0]).toMatchObject({ ended: 'aborted', eventCount: 4 })
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
