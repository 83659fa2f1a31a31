/** Faults of the connection: calls that are never answered, reset, or rejected for a while. */
import { describe, expect, it } from 'vitest'
import { eventually } from '../../_eventually.ts'
import { describeIntegrations, get, simulator } from '../../_setup.ts'
import { ask, callRaw, faulty, key, question, served, toTheEnd } from './_wire.ts'

describe('hang', () => {
  it('accepts the request and sends nothing, until the client leaves', async () => {
    const sim = faulty('hang')
    const { port, url } = await served(sim)
    const said = await callRaw(port)
    await eventually(() =>
      expect(sim.journal()).toMatchObject([{ operation: 'chat.create', response: undefined, ended: 'open' }]),
    )
    await (await fetch(`${url}/__sim/health`)).text()
    expect({ ended: said.ended, bytes: Buffer.concat(said.reads).length }).toEqual({
      ended: 'open',
      bytes: 0,
    })
    said.leave()
    await eventually(() => expect(sim.journal()).toMatchObject([{ ended: 'aborted' }]))
  })

  describeIntegrations('a client with a timeout', (integration) => {
    it.each(['auto', 'manual'] as const)(
      'gets its own error, and the request is dropped (%s)',
      async (clock) => {
        const sim = faulty('hang', { clock })
        const { fetch: call, url } = await integration.open(sim)
        const leaving = new AbortController()
        const asked = call(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: key,
          body: JSON.stringify(question),
          signal: leaving.signal,
        })
        const outcome = expect(asked).rejects.toMatchObject({ name: 'AbortError' })
        await eventually(() => expect(sim.journal()).toHaveLength(1))
        await sim.settled()
        leaving.abort()
        await outcome
        await eventually(() => expect(sim.journal()).toMatchObject([{ ended: 'aborted' }]))
      },
    )
  })

  it('ends when the session is reset, with an error that says so', async () => {
    const sim = faulty('hang')
    const outcome = expect(ask(sim)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { message: 'the session "default" was reset while this request was open' },
    })
    await eventually(() => expect(sim.journal()).toHaveLength(1))
    sim.resetAll()
    await outcome
  })
})

describe('reset', () => {
  it('resets the connection before any byte', async () => {
    const sim = faulty('reset')
    const { port } = await served(sim)
    const said = await callRaw(port)
    await toTheEnd(said)
    expect({ ended: said.ended, bytes: Buffer.concat(said.reads).length }).toEqual({
      ended: 'reset',
      bytes: 0,
    })
    expect(sim.journal()).toMatchObject([
      {
        response: undefined,
        ended: 'disconnected',
        cause: { decidedBy: { kind: 'rule', name: 'scenario-1#1' } },
      },
    ])
  })

  describeIntegrations('a client', (integration) => {
    it('sees a failed fetch', async () => {
      const { fetch: call, url } = await integration.open(faulty('reset'))
      await expect(
        call(`${url}/v1/chat/completions`, { method: 'POST', headers: key, body: JSON.stringify(question) }),
      ).rejects.toThrow(TypeError)
    })
  })

  it("gets undici's error in-process", async () => {
    await expect(ask(faulty('reset'))).rejects.toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      cause: { code: 'ECONNRESET' },
    })
  })

  it('is reset after the service has acted: the job exists', async () => {
    const sim = faulty('reset', { operation: 'videos.create' })
    await expect(ask(sim, { model: 'video-1', prompt: 'a sunset' }, '/v1/videos')).rejects.toThrow(
      'fetch failed',
    )
    expect(await (await get(sim, '/v1/videos')).json()).toMatchObject({ data: [{ object: 'video' }] })
  })
})

describe('outage', () => {
  const rejected = expect.objectContaining({ message: 'fetch failed' }) as unknown
  const outcome = (sim: Parameters<typeof ask>[0]): Promise<unknown> =>
    ask(sim).then(
      (response) => response.status,
      (error: unknown) => error,
    )
  const outage = (fault: object): ReturnType<typeof simulator> =>
    simulator({
      scenarios: [
        {
          title: 'away',
          rules: [
            { when: { operation: 'chat.create', nth: 2 }, then: { fault: { kind: 'outage', ...fault } } },
          ],
        },
      ],
    } as never)

  it('resets every request of the session until it ends, for every operation', async () => {
    const sim = outage({ for: '10s' })
    expect(await outcome(sim)).toBe(200)
    expect(await outcome(sim)).toEqual(rejected)
    await expect(get(sim, '/v1/models')).rejects.toThrow('fetch failed')
    sim.clock.advance('9999ms')
    expect(await outcome(sim)).toEqual(rejected)
    sim.clock.advance('1ms')
    expect(await outcome(sim)).toBe(200)
    expect(sim.journal().map(({ response, cause }) => [response?.status, cause.decidedBy])).toEqual([
      [200, undefined],
      [undefined, { kind: 'rule', name: 'scenario-1#1' }],
      [undefined, { kind: 'outage' }],
      [undefined, { kind: 'outage' }],
      [200, undefined],
    ])
  })

  it('resets at most the given number of requests', async () => {
    const sim = outage({ times: 2 })
    expect([await outcome(sim), await outcome(sim), await outcome(sim), await outcome(sim)]).toEqual([
      200,
      rejected,
      rejected,
      200,
    ])
  })

  it('executes nothing: no later request acts, and none is counted', async () => {
    const sim = outage({ times: 2 })
    await outcome(sim)
    const before = await (await ask(simulator())).json()
    await outcome(sim)
    await outcome(sim)
    expect((await (await ask(sim)).json()) as object).toMatchObject({
      choices: (before as { choices: unknown }).choices as object,
    })
  })

  it('does not affect other sessions and the control API', async () => {
    const sim = outage({})
    await outcome(sim)
    await outcome(sim)
    expect((await sim.fetch('http://gateway.test/s/other/v1/models', { headers: key })).status).toBe(200)
    const { port, url } = await served(sim)
    expect((await fetch(`${url}/__sim/clock`)).status).toBe(200)
    const said = await callRaw(port)
    await toTheEnd(said)
    expect(said.ended).toBe('reset')
  })

  it('ends when the session is reset', async () => {
    const sim = outage({})
    await outcome(sim)
    await outcome(sim)
    sim.resetAll()
    expect(await outcome(sim)).toBe(200)
  })
})
