/** The whole suite against our own simulator, and against the gateway of the tests. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/node.ts'
import { check } from '../../src/run/check.ts'
import type { Fetch } from '../../src/run/send.ts'
import { simulator } from '../_setup.ts'
import { targetOf } from './_time.ts'
import { createGateway } from './gateway/gateway.ts'

const checked = (base: string, fetch?: Fetch) =>
  check({ target: targetOf(base, 'sk-check', fetch), apiKey: 'sk-check', spend: 'all' })

it('a check of everything finds nothing in our own simulator', async () => {
  const sim = simulator({ clock: 'auto' })
  const { report } = await checked('http://gateway.test', (url, init) => sim.fetch(url, init))
  expect(report.violations).toEqual([])
  // The newest models answer with the image itself.
  expect(report.skipped.map(({ probe, reason }) => `${probe}: ${reason}`)).toEqual([
    'the image URL: the response to an image has no /data/0/url',
  ])
})

it('a check of everything finds nothing over HTTP and below a path, in one session', async () => {
  const { url, close } = await listen(simulator({ clock: 'auto' }))
  onTestFinished(close)
  const { report } = await checked(`${url}/s/checked`)
  expect(report.violations).toEqual([])
  expect(report.summary.skipped).toBe(1)
})

it('a check of everything finds nothing in a gateway that was written from the contract alone', async () => {
  const { baseUrl, apiKey, fetch } = createGateway()
  const { report } = await check({ target: targetOf(baseUrl, apiKey, fetch), apiKey, spend: 'all' })
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
      () => new Response('<h1>no</h1>', { status: 422, headers: { 'content-type': 'text/html' } }),
    ],
  ])('(%s) gets a report', async (_name, answer) => {
    const urls = new Set<string>()
    const fetch: Fetch = async (url) => {
      urls.add(new URL(url).origin)
      return answer()
    }
    const { report } = await checked('http://gateway.test', fetch)
    expect(report.violations.length).toBeGreaterThan(0)
    expect(report.violations.length).toBeLessThan(150)
    expect([...urls]).toEqual(['http://gateway.test'])
    expect(() => JSON.stringify(report)).not.toThrow()
  })
})
