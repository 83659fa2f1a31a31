/** The whole suite against our own simulator, and against the gateway of the tests. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { check } from '../../src/check/check.ts'
import type { SettingsInput } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { simulator } from '../_setup.ts'
import { virtualTime } from './_time.ts'
import { createGateway } from './gateway/gateway.ts'

it('a check of everything finds nothing in our own simulator', async () => {
  const sim = simulator({ clock: 'auto' })
  const report = await check({
    baseUrl: 'http://gateway.test',
    apiKey: 'sk-check',
    fetch: (url, init) => sim.fetch(url, init),
    time: virtualTime(),
    spend: 'all',
  })
  expect(report.violations).toEqual([])
  // The newest models answer with the image itself.
  expect(report.skipped.map(({ probe, reason }) => `${probe}: ${reason}`)).toEqual([
    'the image URL: the response to an image has no /data/0/url',
  ])
})

it('a check of everything finds nothing over HTTP and below a path, in one session', async () => {
  const { url, close } = await listen(simulator({ clock: 'auto' }))
  onTestFinished(close)
  const report = await check({
    baseUrl: `${url}/s/checked`,
    apiKey: 'sk-check',
    time: virtualTime(),
    spend: 'all',
  })
  expect(report.violations).toEqual([])
  expect(report.summary.skipped).toBe(1)
})

it('what it learns of a simulator with settings are these settings', async () => {
  const settings = {
    models: { chat: ['gpt-4o-mini'], videos: ['sora-2'], imageJobs: ['image-job-v7'] },
    chat: { unknownParameters: 'reject' },
    messages: { maxTokens: 64_000, unknownParameters: 'reject' },
    images: { transparencyWithoutMask: 'all' },
    files: { method: 'POST' },
    imageJobs: { submitted: 'finished' },
    systemone: { upstreamModels: { 'jev-latest': 'jev-7' } },
  } as const
  const sim = simulator({ clock: 'auto', settings: settings as unknown as SettingsInput })
  const report = await check({
    baseUrl: 'http://gateway.test',
    apiKey: 'sk-check',
    fetch: (url, init) => sim.fetch(url, init),
    time: virtualTime(),
    spend: 'all',
  })
  // The durations of jobs in real time are no settings: in `auto`, time does not pass.
  expect(report.settings).toEqual(settings)
  expect(report.violations.map(({ rule }) => rule)).toEqual(['max_tokens: 1..8192'])
})

it('a check of everything finds nothing in a gateway that was written from the contract alone', async () => {
  const { baseUrl, apiKey, fetch } = createGateway()
  const report = await check({ baseUrl, apiKey, fetch, time: virtualTime(), spend: 'all' })
  expect(report.violations).toEqual([])
  expect(report.additions).toEqual([])
  expect(report.skipped.map(({ probe }) => probe)).toEqual(['the image URL'])
})

describe('a gateway that answers nonsense', () => {
  const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  it.each([
    ['null', () => Response.json(null)],
    ['a list', () => Response.json([1, 2])],
    ['a text', () => new Response('hello', { headers: { 'content-type': 'text/plain' } })],
    ['nothing', () => new Response(null, { status: 204 })],
    ['a redirection', () => new Response(null, { status: 302, headers: { location: 'http://b.test' } })],
    ['bytes', () => new Response(new Uint8Array([0xff, 0xfe, 0]), { headers: { 'content-type': '' } })],
    ['brackets', () => new Response(nested, { headers: { 'content-type': 'application/json' } })],
    [
      'other types',
      () => Response.json({ id: 1, name: [], status: {}, choices: 'x', upload_url: 7, method: {} }),
    ],
    [
      'odd links',
      () => Response.json({ upload_url: 'file:///etc/passwd', method: 'DELETE ALL', visit_url: ':' }),
    ],
    [
      'a stream of dots',
      () => new Response('data: .\n\n', { headers: { 'content-type': 'text/event-stream' } }),
    ],
    ['odd errors', () => Response.json({ error: { message: {}, code: [] } }, { status: 400 })],
    [
      'a rejection of all',
      () => new Response('<h1>no</h1>', { status: 403, headers: { 'content-type': 'text/html' } }),
    ],
  ])('(%s) gets a report', async (_name, answer) => {
    const urls = new Set<string>()
    const report = await check({
      baseUrl: 'http://gateway.test',
      apiKey: 'sk-check',
      fetch: async (url) => {
        urls.add(new URL(url).origin)
        return answer()
      },
      time: virtualTime(),
      spend: 'all',
      jobTimeout: 3000,
    })
    expect(report.violations.length).toBeGreaterThan(0)
    expect(report.violations.length).toBeLessThan(150)
    expect([...urls]).toEqual(['http://gateway.test'])
    expect(() => JSON.stringify(report)).not.toThrow()
  })
})
