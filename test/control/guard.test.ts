/** Who may drive a simulator without a token: programs, and pages that are allowed by name. */
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { type Integration, integrations, simulator } from '../_setup.ts'

interface Answer {
  readonly status: number
  readonly allowed: string | undefined
  readonly detail: string | undefined
  readonly body: unknown
}

/** A call with any header, which `fetch` may not send. */
function call(address: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { method, headers }, async (response) => {
      let text = ''
      for await (const piece of response) text += piece
      const read = text === '' ? undefined : (JSON.parse(text) as { detail?: string })
      resolve({
        status: response.statusCode ?? 0,
        allowed: response.headers['access-control-allow-origin'],
        detail: read?.detail,
        body: read,
      })
    })
    sent.on('error', reject).end(body)
  })
}

const page = 'http://evil.example'
const foreign: readonly (readonly [string, Record<string, string>, string])[] = [
  ['a page of another origin', { origin: page }, `add ${page} to the setting control.origins`],
  ['a page of another port', { origin: 'http://localhost:5173' }, 'add http://localhost:5173 to'],
  ['a page of two origins', { origin: `${page}, http://b.example` }, 'send one origin'],
  ['a page without an origin', { origin: 'null' }, 'serve the page from a URL'],
  ['an image or a link in another page', { 'sec-fetch-site': 'cross-site' }, 'add the origin of the page'],
  ['one of another port', { 'sec-fetch-site': 'same-site' }, 'add the origin of the page'],
  [
    'a name that was made to lead here',
    { host: 'evil.example:4010' },
    'add evil.example to the setting control.hosts',
  ],
  ['a name that looks like loopback', { host: '127.0.0.1.evil.example' }, 'add 127.0.0.1.evil'],
  ['an address that is not loopback', { host: '192.168.1.7:4010' }, 'add 192.168.1.7 to'],
]
const known: readonly (readonly [string, Record<string, string>])[] = [
  ['no header of a page', {}],
  ['localhost', { host: 'localhost:4010' }],
  ['a name below localhost', { host: 'gateway.localhost' }],
  ['another loopback address', { host: '127.8.9.1:80' }],
  ['loopback of IPv6', { host: '[::1]:4010' }],
  ['a page of its own origin', { host: 'localhost:4010', origin: 'http://localhost:4010' }],
  ['its own page behind TLS', { host: 'localhost', origin: 'https://LOCALHOST' }],
  ['its own page, reading', { 'sec-fetch-site': 'same-origin' }],
  ['somebody who types the address', { 'sec-fetch-site': 'none' }],
]

const throughSockets = integrations.filter(({ name }) => name === 'HTTP' || name === 'Express')

describe.each(throughSockets)('the control API through $name', (integration) => {
  // One server for all of them: a server for each would cost more than what is tested.
  it('is closed to pages of other origins and to foreign host names', async () => {
    const sim = simulator()
    const { url } = await integration.open(sim)
    sim.clock.advance('1h')
    for (const [who, headers, remedy] of foreign) {
      const json = { ...headers, 'content-type': 'application/json' }
      const [header, value] = Object.entries(headers)[0] as [string, string]
      for (const answer of await Promise.all([
        call(`${url}/__sim/reset`, json, 'POST', '{"all":true}'),
        call(`${url}/s/default/__sim/reset`, headers, 'POST'),
        call(`${url}/__sim/journal`, headers),
      ])) {
        expect(answer, who).toMatchObject({
          status: 403,
          allowed: undefined,
          body: { title: 'Origin or host not allowed', errors: [{ field: header }] },
        })
        expect(answer.detail, who).toContain(`${header}: expected `)
        expect(answer.detail, who).toContain(`got ${value}`)
        expect(answer.detail, who).toContain(remedy)
      }
    }
    expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1, 1))
  })

  it('creates no session for a rejected request', async () => {
    const sim = simulator()
    const { url } = await integration.open(sim)
    const address = `${url}/s/evil/__sim/clock`
    const advance = `${address}/advance`
    const text = { 'content-type': 'text/plain' }
    expect((await call(address, { host: 'evil.example' })).status).toBe(403)
    expect((await call(advance, text, 'POST', '{}')).status).toBe(415)
    expect((await call(`${url}/s/evil/__sim/nothing`, {})).status).toBe(404)
    expect([...sim.core.sessions.all()].map(({ sandbox }) => sandbox.name)).toEqual(['default'])
    expect((await call(address, {})).status).toBe(200)
    expect(sim.core.sessions.find('evil')).toBeDefined()
  })

  it('is open to preloads of its own page behind a proxy with another name, which only read', async () => {
    const { url } = await integration.open(simulator())
    const headers = { origin: 'http://gateway.test', 'sec-fetch-site': 'same-origin' }
    expect((await call(`${url}/__sim/journal`, headers)).status).toBe(200)
    expect((await call(`${url}/__sim/reset`, headers, 'POST')).status).toBe(403)
    const foreign = { ...headers, 'sec-fetch-site': 'cross-site' }
    expect((await call(`${url}/__sim/journal`, foreign)).status).toBe(403)
  })

  it('is open to programs, and to its own pages', async () => {
    const { url } = await integration.open(simulator())
    for (const [who, headers] of known) {
      const [read, reset] = await Promise.all([
        call(`${url}/__sim/journal`, headers),
        call(`${url}/__sim/reset`, headers, 'POST'),
      ])
      expect(read, who).toMatchObject({ status: 200, allowed: undefined })
      expect(reset, who).toMatchObject({ status: 200 })
    }
  })

  it('is open to allowed pages and host names', async () => {
    const { url } = await integration.open(
      simulator({
        settings: {
          control: { origins: ['http://App.test:80', 'chrome-extension://abc'], hosts: ['Sim.internal'] },
          publicUrl: 'https://gateway.example:8443/base',
        },
      }),
    )
    for (const origin of ['http://app.test', 'chrome-extension://abc', 'https://gateway.example:8443']) {
      const headers = { origin, 'sec-fetch-site': 'cross-site', host: 'sim.internal.:4010' }
      expect(await call(`${url}/__sim/clock`, headers)).toMatchObject({ status: 200, allowed: origin })
      const asked = { ...headers, 'access-control-request-headers': 'x-sim-token' }
      const preflight = await call(`${url}/__sim/reset`, asked, 'OPTIONS')
      expect(preflight).toMatchObject({ status: 204, allowed: origin })
    }
    expect((await call(`${url}/__sim/clock`, { host: 'gateway.example' })).status).toBe(200)
    expect((await call(`${url}/__sim/clock`, { origin: 'http://app.test:81' })).status).toBe(403)
  })

  it('does not answer preflights of other pages, while the service does', async () => {
    const { url } = await integration.open(simulator())
    const ask = (path: string) => call(`${url}${path}`, { origin: page }, 'OPTIONS')
    expect(await ask('/__sim/reset')).toMatchObject({ status: 204, allowed: undefined })
    expect(await ask('/s/mine/__sim/nothing')).toMatchObject({ status: 204, allowed: undefined })
    expect(await ask('/v1/chat/completions')).toMatchObject({ status: 204, allowed: '*' })
    const models = await call(`${url}/v1/models`, { origin: page, authorization: 'Bearer sk-test' })
    expect(models).toMatchObject({ status: 200, allowed: '*' })
  })

  it('returns health to everyone, and counts only to authorized callers', async () => {
    const { url } = await integration.open(simulator())
    const stranger = { host: 'evil.example' }
    expect(await call(`${url}/__sim/ready`, stranger)).toMatchObject({ status: 200, allowed: undefined })
    const { status, allowed, body } = await call(`${url}/__sim/health`, stranger)
    expect([status, allowed, body]).toEqual([200, undefined, { status: 'ok', session: 'default' }])
    expect((await call(`${url}/__sim/health`, {})).body).toMatchObject({ requests: 0, scenarios: [] })
  })

  it('with a token checks only the token; the pages that may read stay the same', async () => {
    const { url } = await integration.open(simulator({ settings: { control: { token: 'secret-token' } } }))
    const headers = { origin: page, 'sec-fetch-site': 'cross-site', host: 'evil.example' }
    const knows = { ...headers, 'x-sim-token': 'secret-token' }
    expect(await call(`${url}/__sim/clock`, knows)).toMatchObject({ status: 200, allowed: undefined })
    for (const token of ['secret-toke', 'secret-token2', 'secret-tokensecret-token', '']) {
      const guess = { ...headers, 'x-sim-token': token }
      expect(await call(`${url}/__sim/clock`, guess)).toMatchObject({ status: 401, allowed: undefined })
    }
    expect((await call(`${url}/__sim/health`, headers)).body).toEqual({ status: 'ok', session: 'default' })
  })
})

describe('the control API in the same process', () => {
  const headers = { origin: page, 'sec-fetch-site': 'cross-site', host: 'evil.example' }

  it('is closed to requests that another server passes to `sim.fetch`', async () => {
    const sim = simulator()
    const status = async (headers: Record<string, string>) =>
      (await sim.fetch('http://gateway.test/__sim/reset', { method: 'POST', headers })).status
    expect([await status({}), await status({ origin: page }), await status(headers)]).toEqual([200, 403, 403])
  })

  it('is open to the page of its msw handlers', async () => {
    const msw = integrations.find(({ name }) => name === 'msw') as Integration
    const { fetch: asked, url } = await msw.open(simulator())
    expect((await asked(`${url}/__sim/clock`, { headers: { origin: page } })).status).toBe(200)
  })
})

describe('the settings', () => {
  it.each([
    [{ origins: ['http://localhost:5173/'] }, 'control.origins[0]: expected an origin such as'],
    [{ origins: ['*'] }, 'control.origins[0]: expected an origin such as'],
    [{ origins: ['null'] }, 'control.origins[0]: expected an origin such as'],
    [{ hosts: ['sim.internal:4010'] }, 'control.hosts[0]: expected a host name without a port'],
    [{ token: 'ein Schlüssel' }, 'control.token: expected printable ASCII'],
  ])('%j is rejected', (control, message) => {
    expect(() => createSimulator({ settings: { control } })).toThrow(message)
  })
})
