/** What only @anthropic-ai/sdk does with errors and keys; matrix.test.ts has what every client does. */
import { describe, expect, it } from 'vitest'
import { simulator } from '../_setup.ts'
import { anthropicVia, ask, packages } from './_anthropic.ts'
import { clientIntegrations, rejectionOf } from './_integrations.ts'

const done = ask('Say "done"')
const counted = ask('Say "one two three"')

for (const { version, Sdk } of packages) {
  for (const integration of clientIntegrations) {
    describe(`@anthropic-ai/sdk ${version} streams that fail, through ${integration.name}`, () => {
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
