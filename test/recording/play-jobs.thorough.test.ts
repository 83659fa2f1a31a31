/** Jobs of a simulator, recorded and played back with their files, which are rendered. */
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { asClient, posting, recorder, recordingsOf } from './_record.ts'

describe('what a simulator did is played back', () => {
  const kinds = {
    'an image job': {
      path: '/v1/tob/diffusion',
      body: { model: 'image-job-v7', text: 'a cat' },
      address: (made: Record<string, unknown>) => `/v1/tob/job/${made['id']}`,
      over: (body: Record<string, unknown>) => body['status'] === 2,
      links: (body: Record<string, unknown>) => body['urls'] as string[],
    },
    'an operation': {
      path: '/v1beta/models/veo-3.0-generate-001:predictLongRunning',
      body: { instances: [{ prompt: 'a cat' }] },
      address: (made: Record<string, unknown>) => `/v1beta/${made['name']}`,
      over: (body: Record<string, unknown>) => body['done'] === true,
      links: () => [],
    },
  }
  for (const [name, { path, body, address, over, links }] of Object.entries(kinds))
    it(`${name}, with other seeds and in another rhythm`, async () => {
      const real = createSimulator({ clock: 'manual', seed: 'real' })
      const [headers, post] = [asClient, posting(body)]
      const { fetch, exchanges } = recorder(real)
      const made = (await (await fetch(`http://real${path}`, post)).json()) as Record<string, unknown>
      let last = {} as Record<string, unknown>
      for (let n = 0; n < 40 && !over(last); n++) {
        await real.clock.advance('3s')
        last = (await (await fetch(`http://real${address(made)}`, { headers })).json()) as typeof last
      }
      expect(over(last)).toBe(true)
      const files = await Promise.all(
        links(last)
          .slice(0, 1)
          .map(async (link) => (await fetch(link)).text()),
      )
      const warnings: string[] = []
      const sim = createSimulator({
        clock: 'manual',
        onMiss: 'reject',
        onWarning: (warning) => warnings.push(warning),
        recordings: await recordingsOf(exchanges),
      })
      expect(await (await sim.fetch(`http://sim${path}`, post)).json()).toEqual(made)
      await sim.clock.advance('1h')
      const text = await (await sim.fetch(`http://sim${address(made)}`, { headers })).text()
      expect(text.replaceAll('http://sim', 'http://real') === JSON.stringify(last)).toBe(true)
      const played = links(JSON.parse(text) as Record<string, unknown>)
      for (const [at, file] of files.entries())
        expect(await (await sim.fetch(played[at] as string)).text()).toBe(file)
      expect(warnings).toEqual([])
      // Nobody has recorded the second one.
      for (const link of played.slice(1, 2)) {
        const rendered = await sim.fetch(link)
        expect([rendered.status, rendered.headers.get('content-type')]).toEqual([200, 'image/png'])
        expect(warnings).toEqual([expect.stringContaining('was not recorded and is rendered instead')])
      }
    })
})
