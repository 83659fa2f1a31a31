/** The page under `/__sim/ui/`, and what the root of a server says. */
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { listen, type SimulatorServer } from '../../src/node.ts'

let server: SimulatorServer | undefined
afterEach(() => server?.close())

async function served(options?: Parameters<typeof createSimulator>[0]): Promise<string> {
  server = await listen(createSimulator(options))
  return server.url
}
const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url, { method, headers, redirect: 'manual' })
const html = { accept: 'text/html,application/xhtml+xml' }

describe('the root of a server', () => {
  it('leads a browser to the page', async () => {
    const response = await get(`${await served()}/`, html)
    expect([response.status, response.headers.get('location')]).toEqual([302, '/__sim/ui/'])
  })

  it('gives a program links', async () => {
    const response = await get(`${await served()}/`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      name: 'gateway-sim',
      page: '/__sim/ui/',
      events: '/__sim/events',
    })
  })

  it('is an unknown path where the control API is off', async () => {
    expect((await get(`${await served({ settings: { control: { enabled: false } } })}/`, html)).status).toBe(
      404,
    )
  })

  it('still rejects other methods', async () => {
    expect((await get(`${await served()}/`, {}, 'POST')).status).toBe(404)
  })
})

describe('the page', () => {
  it('is the built one, may load nothing from elsewhere, and cannot be embedded', async () => {
    const response = await get(`${await served()}/__sim/ui/`, html)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(
      readFileSync(new URL('../../dist/ui/index.html', import.meta.url), 'utf8'),
    )
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
  })

  it('has its files below it, and nothing else', async () => {
    const url = await served()
    expect((await get(`${url}/__sim/ui/page.css`)).headers.get('content-type')).toBe(
      'text/css; charset=utf-8',
    )
    expect((await get(`${url}/__sim/ui`)).headers.get('location')).toBe('/__sim/ui/')
    expect((await get(`${url}/__sim/ui/page.css`, {}, 'HEAD')).headers.get('content-length')).not.toBe('0')
    for (const path of ['..%2fpackage.json', 'none.js', '../index.js', '%2e%2e/index.js', '.html', 'a/b.js'])
      expect((await get(`${url}/__sim/ui/${path}`)).status, path).toBe(404)
  })

  it('needs no token: it contains no data, and its requests need one', async () => {
    const url = await served({ settings: { control: { token: 'secret-token' } } })
    expect((await get(`${url}/__sim/ui/`)).status).toBe(200)
    expect((await get(`${url}/__sim/events`)).status).toBe(401)
  })

  it('preloads the feed, unless only the page knows the token', async () => {
    expect((await get(`${await served()}/__sim/ui/`)).headers.get('link')).toContain('<../events?')
    await server?.close()
    const url = await served({ settings: { control: { token: 'secret-token' } } })
    expect((await get(`${url}/__sim/ui/`)).headers.get('link')).toBeNull()
  })

  it('follows the prefix of sessions', async () => {
    const url = await served()
    expect((await get(`${url}/s/mine/__sim/ui/`)).status).toBe(200)
  })

  it('gives no events to pages of other origins', async () => {
    const url = await served()
    expect((await get(`${url}/__sim/events`, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await get(`${url}/__sim/events`, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  })
})
