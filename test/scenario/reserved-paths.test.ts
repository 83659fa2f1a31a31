/** Reserved words in the path of a file: from the address that is no good to the store that fails. */
import { describe, expect, it } from 'vitest'
import { describeIntegrations, simulator } from '../_setup.ts'
import { ask, inside, rejected, send, target } from '../endpoints/files/_uploads.ts'

describeIntegrations('a reserved value in a path triggers', (integration) => {
  it('an expired URL', async () => {
    const sim = simulator()
    const way = { ...(await integration.open(sim)) }
    const there = await target(way, 'images/sim-expired.png')
    expect(await rejected(send(way, there), 403)).toMatchObject({
      Code: 'AccessDenied',
      Message: expect.stringMatching(
        /^Request has expired: the URL was valid until 2025-12-31T23:59:59\.000Z/,
      ),
    })
    expect(sim.journal()[0]?.cause.decidedBy).toEqual({ kind: 'reserved-path', name: 'sim-expired' })
    expect((await rejected(way.fetch(there.visit_url), 404)).Code).toBe('NoSuchKey')
  })

  it('an expired URL at the second provider too', async () => {
    const way = await integration.open(simulator())
    expect(
      (await rejected(send(way, await target(way, 'sim-expired/cat.png', { storage_provider: 'OSS' })), 403))
        .Code,
    ).toBe('AccessDenied')
  })

  it('a URL with a wrong signature', async () => {
    const way = await integration.open(simulator())
    expect((await rejected(send(way, await target(way, 'sim-tampered.png')), 403)).Code).toBe(
      'SignatureDoesNotMatch',
    )
  })

  it('a store that always fails', async () => {
    const sim = simulator()
    const way = await integration.open(sim)
    const there = await target(way, 'sim-store-error.png')
    for (let time = 0; time < 3; time++)
      expect(await rejected(send(way, there), 500)).toMatchObject({
        Code: 'InternalError',
        Message: 'We encountered an internal error, please try again (reserved value store-error).',
      })
    expect(sim.core.sessions.get('default').sandbox.uploads.count).toBe(0)
    expect(sim.journal().at(-1)).toMatchObject({
      operation: 'uploads.send',
      cause: { decidedBy: { kind: 'reserved-path', name: 'sim-store-error' }, bug: undefined },
    })
  })

  it('a store that fails once', async () => {
    const way = await integration.open(simulator())
    const there = await target(way, 'images/sim-store-error-once/cat.png')
    expect((await rejected(send(way, there), 500)).Code).toBe('InternalError')
    expect((await send(way, there)).status).toBe(200)
    expect(await (await way.fetch(there.visit_url)).text()).toBe('meow')
  })

  it('a store that is busy', async () => {
    const way = await integration.open(simulator())
    const response = await send(way, await target(way, 'sim-store-busy.png'))
    expect(response.headers.get('retry-after')).toBe('1')
    expect((await rejected(response, 503)).Code).toBe('SlowDown')
  })
})

describe('a reserved value in a path', () => {
  it('has its usual effect at the gateway', async () => {
    const sim = simulator()
    const statuses: number[] = []
    for (const word of ['rate-limit', 'overloaded', 'server-error', 'forbidden'])
      statuses.push((await ask(inside(sim), { path: `a/sim-${word}.png` })).status)
    expect(statuses).toEqual([429, 503, 500, 403])
  })

  it('for the gateway has no effect on the store', async () => {
    const sim = simulator()
    expect((await ask(inside(sim), { path: 'sim-server-error-once.png' })).status).toBe(500)
    expect((await send(inside(sim), await target(inside(sim), 'sim-server-error-once.png'))).status).toBe(200)
  })

  it.each([
    'sim-expire.png',
    'sim-expired-2.png',
    'sim-expired2.png',
    'my-sim-expired.png',
    'xsim-expired.png',
    'sim-.png',
    'sim_expired.png',
    'SIM-EXPIRED.png',
  ])('%s is an ordinary name', async (path) => {
    const sim = simulator()
    expect((await send(inside(sim), await target(inside(sim), path))).status).toBe(200)
  })

  it.each([
    'sim-expired',
    'a/sim-expired',
    'a/sim-expired/b.png',
    'a_sim-expired_b.png',
    '/sim-expired.tar.gz',
    'sim-unknown/sim-expired.png',
  ])('%s is reserved', async (path) => {
    const sim = simulator()
    expect((await send(inside(sim), await target(inside(sim), path))).status).toBe(403)
  })
})
