/**
 * When the simulator itself goes wrong, nobody takes it for the service: the body says so, a warning is
 * given, the journal knows.
 */
import { expect, it } from 'vitest'
import { describeIntegrations, simulator } from '../_setup.ts'

describeIntegrations('an internal error in gateway-sim', (integration) => {
  it('answers 500 in words of its own, warns, and stands in the journal; the next call is served', async () => {
    const warnings: string[] = []
    const sim = simulator({ onWarning: (message) => void warnings.push(message) })
    const { fetch, url } = await integration.open(sim)
    // A job without its facts: no call can make one.
    sim.core.sessions.get('default').sandbox.store.add({
      kind: 'imageJob',
      id: 'job-1',
      owner: 'sk-test',
      bornAt: sim.clock.now(),
      facts: undefined,
      timeline: [{ at: 0, patch: { status: 2 } }],
    })
    const headers = { authorization: 'Bearer sk-test' }
    const response = await fetch(`${url}/v1/tob/job/job-1`, { headers })
    expect([response.status, await response.json()]).toEqual([
      500,
      {
        error: {
          type: 'simulator_bug',
          code: 500,
          message: expect.stringMatching(
            /^Internal error in gateway-sim, not an error in your request: .+ Please report it\.$/,
          ),
          param: null,
          details: [],
          trace_id: expect.stringMatching(/^trc_/),
        },
      },
    ])
    expect(warnings).toEqual([expect.stringContaining('internal error in gateway-sim')])
    expect(sim.journal().at(-1)).toMatchObject({
      operation: 'imageJobs.retrieve',
      response: { status: 500 },
      cause: { bug: expect.stringContaining('Error') },
    })
    expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200)
  })
})
