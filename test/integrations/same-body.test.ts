/**
 * What an integration makes of a body must not depend on the integration: a suite that passes in-process must
 * pass over HTTP.
 */
import { expect, it } from 'vitest'
import { describeIntegrations, jsonCall, simulator } from '../_setup.ts'

describeIntegrations('a body', (integration) => {
  it('that is a string without a content type is text, as sent by fetch', async () => {
    const { fetch, url } = await integration.open(simulator())
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
    })
    expect([response.status, await response.json()]).toMatchObject([
      415,
      { error: { message: 'content-type: expected application/json, got text/plain.' } },
    ])
  })

  it('of a stream has no content-length, even if it never waits', async () => {
    const { fetch, url } = await integration.open(simulator({ clock: 'auto' }))
    const response = await fetch(
      `${url}/v1/chat/completions`,
      jsonCall({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
    )
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('content-length'),
    ]).toEqual([200, 'text/event-stream; charset=utf-8', null])
    expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true)
  })
})
