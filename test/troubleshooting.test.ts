/** What docs/reference/troubleshooting.md says of causes is true. */
import { expect, it } from 'vitest'
import { bodyOf, post, simulator } from './_setup.ts'

const headers = { authorization: 'Bearer sk-test' }

it('a video is `pending` first, and its content needs a key', async () => {
  const sim = simulator()
  const { id, status } = await bodyOf(post(sim, '/v1/videos', { model: 'sora-2', prompt: 'a' }))
  expect(status).toBe('pending')
  expect((await sim.fetch(`/v1/videos/${id}/content`)).status).toBe(401)
})

it('a delay takes no time in `auto`, so that no timeout passes', async () => {
  const sim = simulator({ clock: 'auto' })
  sim.overrides.add({ then: { delay: '1h' } })
  const response = await sim.fetch('/v1/models', { headers, signal: AbortSignal.timeout(5000) })
  expect(response.status).toBe(200)
})

it('a hang is aborted in `auto` too', async () => {
  const sim = simulator({ clock: 'auto' })
  sim.overrides.add({ fault: 'hang' })
  const hanging = sim.fetch('/v1/models', { headers, signal: AbortSignal.timeout(20) })
  await expect(hanging).rejects.toThrow()
})

it('responses allow any origin, and no credentials', async () => {
  const response = await simulator().fetch('/v1/models', {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:5173', 'access-control-request-method': 'GET' },
  })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-allow-credentials')).toBeNull()
})

it('a path with /v1 twice is explained', async () => {
  const { error } = await bodyOf(simulator().fetch('/v1/v1/models', { headers }))
  expect(error.message).toContain('The path contains /v1 twice')
})

it.each([
  ['a default response', undefined, [16_384, 'length']],
  ['a scripted text', 'word '.repeat(20_000), [20_001, 'stop']],
])('a limit of 16,384 tokens: %s', async (_what, text, expected) => {
  const sim = simulator()
  if (text !== undefined) sim.overrides.add({ then: { text } })
  const messages = [{ role: 'user', content: `Reply with exactly: ${'word '.repeat(20_000)}` }]
  const body = { model: 'gpt-4o', messages, max_completion_tokens: 50_000 }
  const { usage, choices } = await bodyOf(post(sim, '/v1/chat/completions', body))
  expect([usage.completion_tokens, choices[0].finish_reason]).toEqual(expected)
})
