/** A session is a sandbox of its own (DESIGN section 5), named by base URL, header, key, or an id. */
import { describe, expect, it } from 'vitest'
import { bodyOf, describeIntegrations, get, jsonCall, post, simulator } from '../_setup.ts'

const job = { model: 'image-job-v7', text: 'a fox' }
interface Job {
  readonly id: string
  readonly status: number
}

const submit = async (
  sim: ReturnType<typeof simulator>,
  path: string,
  headers: Record<string, string> = {},
): Promise<Job> => await bodyOf(post(sim, path, job, headers))

describe('a request belongs to the session that it names', () => {
  const callsIn = async (sim: ReturnType<typeof simulator>, name: string): Promise<number> =>
    (await bodyOf(get(sim, `/s/${name}/__sim/health`))).requests

  it('by a base-URL prefix, before a header, before an API key', async () => {
    const warnings: string[] = []
    const sim = simulator({ onWarning: (message) => warnings.push(message) })
    await submit(sim, '/s/prefix/v1/tob/diffusion', {
      'x-sim-session': 'header',
      authorization: 'Bearer sk-sim-keyed-alice',
    })
    await submit(sim, '/v1/tob/diffusion', {
      'x-sim-session': 'header',
      authorization: 'Bearer sk-sim-keyed-alice',
    })
    await submit(sim, '/v1/tob/diffusion', { authorization: 'Bearer sk-sim-keyed-alice' })
    await submit(sim, '/v1/tob/diffusion')
    expect(
      await Promise.all(['prefix', 'header', 'keyed', 'default'].map((name) => callsIn(sim, name))),
    ).toEqual([1, 1, 1, 1])
  })

  it('by the id in the path, for a poller that drops every header', async () => {
    const sim = simulator()
    const { id } = await submit(sim, '/s/mine/v1/tob/diffusion')
    const polled = await get(sim, `/v1/tob/job/${id}`)
    expect([polled.status, ((await polled.json()) as Job).id]).toEqual([200, id])
    expect(await callsIn(sim, 'mine')).toBe(2)
  })

  it('by the id in the body', async () => {
    const sim = simulator()
    const { id } = await submit(sim, '/s/mine/v1/tob/diffusion')
    await post(sim, '/s/mine/__sim/clock/advance', { by: '1h' })
    const varied = await post(sim, '/v1/tob/variation', { jobId: id, imageNo: 0, type: 0 })
    expect(varied.status).toBe(200)
    expect(await callsIn(sim, 'mine')).toBe(2)
  })

  it('an id of another session is unknown, and the message says so', async () => {
    const sim = simulator()
    const { id } = await submit(sim, '/s/mine/v1/tob/diffusion')
    const rejected = await get(sim, `/s/other/v1/tob/job/${id}`)
    const { error } = (await rejected.json()) as { error: { message: string } }
    expect(rejected.status).toBe(404)
    expect(error.message).toContain(
      'This request belongs to the session "other", but the id was created in another session.',
    )
  })

  it.each(['a b', 'ö', 'x'.repeat(65), '..%2f'])('%j is not a valid name, and is rejected', async (name) => {
    const sim = simulator()
    const rejected = await get(sim, '/v1/models', { 'x-sim-session': encodeURIComponent(name) })
    const { error } = (await rejected.json()) as { error: { message: string } }
    expect([rejected.status, error.message]).toEqual([
      400,
      expect.stringContaining(
        'is not allowed: expected 1 to 64 letters, digits, dots, dashes or underscores',
      ),
    ])
  })
})

describe('sessions are isolated', () => {
  it('with their own clock, jobs, journal and counters', async () => {
    const sim = simulator()
    const a = await submit(sim, '/s/a/v1/tob/diffusion')
    await post(sim, '/s/a/__sim/clock/advance', { by: '1h' })
    const b = await submit(sim, '/s/b/v1/tob/diffusion')
    expect((await bodyOf(get(sim, `/v1/tob/job/${a.id}`))).status).toBe(2)
    expect((await bodyOf(get(sim, `/v1/tob/job/${b.id}`))).status).toBe(1)
    expect(await bodyOf(get(sim, '/s/b/__sim/clock'))).toMatchObject({
      now: '2026-01-01T00:00:00.000Z',
    })
  })

  it('and respond identically except for the tag in ids: the seed is the simulator’s, not derived from the name', async () => {
    const sim = simulator()
    const said = async (name: string): Promise<string> => {
      const first = await (await post(sim, `/s/${name}/v1/tob/diffusion`, job)).text()
      const second = await (
        await post(sim, `/s/${name}/v1/chat/completions`, {
          model: 'm',
          messages: [{ role: 'user', content: 'Hello' }],
        })
      ).text()
      const tag = ((JSON.parse(first) as Job).id as string).slice(0, 8)
      return `${first}\n${second}`.replaceAll(tag, 'SESSION')
    }
    const one = await said('one')
    expect(one).toContain('SESSION')
    expect(await said('two')).toBe(one)
  })
})

describeIntegrations('links', (integration) => {
  it("lead back to the request's URL, with its session prefix, and need no API key", async () => {
    const sim = simulator()
    const { fetch: call, url } = await integration.open(sim)
    const made = await bodyOf(call(`${url}/s/mine/v1/tob/diffusion`, jsonCall(job)))
    await call(`${url}/s/mine/__sim/clock/advance`, jsonCall({ by: '1h' }))
    const done = await bodyOf(
      call(`${url}/s/mine/v1/tob/job/${made.id}`, { headers: { authorization: 'Bearer sk-test' } }),
    )
    expect(done.urls[0]).toMatch(new RegExp(`^${url}/s/mine/media/`))
    const image = await call(done.urls[0] as string)
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(new Uint8Array(await image.arrayBuffer()).slice(1, 4)).toEqual(new TextEncoder().encode('PNG'))
  })

  it('start with the public URL if one is set', async () => {
    const sim = simulator({ publicUrl: 'https://gateway.example/base/' })
    const { fetch: call, url } = await integration.open(sim)
    const made = await bodyOf(
      call(`${url}/v1/tob/diffusion`, jsonCall({ ...job, text: '[sim:finished] a fox' })),
    )
    expect(made.urls[0]).toMatch(/^https:\/\/gateway\.example\/base\/media\//)
  })
})
