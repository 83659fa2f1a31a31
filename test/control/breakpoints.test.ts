/** Breakpoints: requests that wait until somebody has looked at them, while the virtual clock stands. */
import { afterEach, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { listen, type SimulatorServer } from '../../src/node.ts'

let server: SimulatorServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const chatBody = (content = 'Hello') =>
  JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }] })
const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
type Fetch = (path: string, init?: RequestInit) => Promise<Response>
const chat = (fetch: Fetch, content?: string, init: RequestInit = {}) =>
  fetch('/v1/chat/completions', { method: 'POST', headers, body: chatBody(content), ...init })
const control = async (fetch: Fetch, method: string, path: string, body?: object) => {
  const init =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(`/__sim/${path}`, { method, ...init })
  return (await response.json()) as any
}

/** The held request, once there is one. */
async function held(fetch: Fetch) {
  for (let asked = 0; asked < 5000; asked++) {
    const { held: list } = await control(fetch, 'GET', 'breakpoints')
    if (list.length > 0) return list[0]
    // The first request of a process loads its dependencies.
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('no request is held')
}

async function overHttp(sim: Simulator): Promise<Fetch> {
  server = await listen(sim)
  const { url } = server
  return (path, init) => fetch(url + path, init)
}

for (const [door, open] of [
  [
    'in-process',
    async (sim: Simulator): Promise<Fetch> =>
      (path, init) =>
        sim.fetch(path, init),
  ],
  ['over HTTP', overHttp],
] as const)
  describe(`breakpoints ${door}`, () => {
    it('hold a request before it acts: nothing has happened yet', async () => {
      const sim = createSimulator({ clock: 'manual' })
      const fetch = await open(sim)
      const { id } = await control(fetch, 'POST', 'breakpoints', {
        operation: 'chat.create',
        phase: 'request',
      })
      const answered = chat(fetch)
      const stop = await held(fetch)
      expect(stop).toMatchObject({ breakpoint: id, phase: 'request', operation: 'chat.create', status: null })
      expect(stop.request).toBe(chatBody())
      expect(sim.journal()).toEqual([])
      expect(await control(fetch, 'POST', `held/${stop.id}`)).toEqual({ released: stop.id })
      expect((await answered).status).toBe(200)
      expect(sim.journal()).toHaveLength(1)
    })

    it('leave the bytes and the journal as they are without', async () => {
      const run = async (phase: 'request' | 'response' | undefined): Promise<readonly string[]> => {
        const sim = createSimulator({ clock: 'manual', wallClock: () => 0 })
        const fetch = await open(sim)
        if (phase !== undefined) await control(fetch, 'POST', 'breakpoints', { operation: '*', phase })
        const texts: string[] = []
        for (const path of ['/v1/chat/completions', '/v1/videos']) {
          const body =
            path === '/v1/videos' ? JSON.stringify({ model: 'sora-2', prompt: 'a fox' }) : chatBody()
          const answered = fetch(path, { method: 'POST', headers, body })
          if (phase !== undefined) await control(fetch, 'POST', `held/${(await held(fetch)).id}`)
          texts.push(await (await answered).text())
        }
        const journal = sim
          .journal()
          .map((entry) => JSON.stringify(entry).replaceAll(/127\.0\.0\.1:\d+/g, 'host'))
        await server?.close()
        server = undefined
        return [...texts, ...journal]
      }
      const without = await run(undefined)
      expect(await run('request')).toEqual(without)
      expect(await run('response')).toEqual(without)
    })

    it('let nothing expire: an advance waits until the request is released', async () => {
      const sim = createSimulator({ clock: 'manual' })
      const fetch = await open(sim)
      await control(fetch, 'POST', 'breakpoints', { operation: 'chat.create' })
      const answered = chat(fetch)
      const stop = await held(fetch)
      let advanced = false
      const advancing = control(fetch, 'POST', 'clock/advance', { by: '1h' }).then(() => (advanced = true))
      await control(fetch, 'GET', 'clock')
      expect(advanced).toBe(false)
      expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1))
      await control(fetch, 'POST', `held/${stop.id}`)
      await advancing
      expect((await answered).status).toBe(200)
      expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1, 1))
    })

    it('stop a real clock, and resume it with the last held request', async () => {
      const sim = createSimulator({ clock: 'real' })
      const fetch = await open(sim)
      await control(fetch, 'POST', 'breakpoints', { operation: 'chat.create' })
      const answered = chat(fetch)
      const stop = await held(fetch)
      expect(sim.clock.state().frozen).toBe(true)
      await control(fetch, 'POST', `held/${stop.id}`)
      await answered
      expect(sim.clock.state().frozen).toBe(false)
    })

    it('show the response before it is sent, and change its status, headers and body', async () => {
      const sim = createSimulator({ clock: 'manual' })
      const fetch = await open(sim)
      await control(fetch, 'POST', 'breakpoints', { operation: 'chat.*', times: 1 })
      const answered = chat(fetch)
      const stop = await held(fetch)
      expect(stop.status).toBe(200)
      expect(JSON.parse(stop.response).object).toBe('chat.completion')
      await control(fetch, 'POST', `held/${stop.id}`, {
        status: 418,
        headers: { 'x-a': 'b' },
        body: '{"tea":true}',
      })
      const response = await answered
      expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([
        418,
        'b',
        '{"tea":true}',
      ])
      expect(sim.journal()[0]).toMatchObject({
        status: 418,
        response: '{"tea":true}',
        decidedBy: 'breakpoint',
      })
      // One request was wanted: the next one passes.
      expect((await chat(fetch)).status).toBe(200)
    })

    it('cut the connection', async () => {
      const sim = createSimulator({ clock: 'manual' })
      const fetch = await open(sim)
      await control(fetch, 'POST', 'breakpoints', { operation: '*' })
      const answered = chat(fetch)
      await control(fetch, 'POST', `held/${(await held(fetch)).id}`, { cut: true })
      await expect(answered).rejects.toThrow('fetch failed')
      expect(sim.journal()[0]).toMatchObject({ ended: 'disconnected' })
    })

    it('say that the client has left, and record it as left', async () => {
      const sim = createSimulator({ clock: 'manual' })
      const fetch = await open(sim)
      await control(fetch, 'POST', 'breakpoints', { operation: '*' })
      const leave = new AbortController()
      const answered = chat(fetch, 'Hello', { signal: leave.signal })
      const { id } = await held(fetch)
      leave.abort()
      await expect(answered).rejects.toThrow()
      await expect.poll(async () => (await held(fetch)).clientLeft).toBe(true)
      await control(fetch, 'POST', `held/${id}`)
      await expect.poll(() => sim.journal()[0]?.ended).toBe('aborted')
    })

    it('continue what they hold when they are removed, and when the session is reset', async () => {
      const sim = createSimulator({ clock: 'manual' })
      const fetch = await open(sim)
      const { id } = await control(fetch, 'POST', 'breakpoints', { operation: '*' })
      const first = chat(fetch)
      await held(fetch)
      await control(fetch, 'DELETE', `breakpoints/${id}`)
      expect((await first).status).toBe(200)
      await control(fetch, 'POST', 'breakpoints', { operation: '*', phase: 'request' })
      const second = chat(fetch)
      await held(fetch)
      await control(fetch, 'POST', 'reset')
      await expect(second).rejects.toThrow('fetch failed')
      expect((await control(fetch, 'GET', 'breakpoints')).held).toEqual([])
    })

    it('hold requests of their session only', async () => {
      const sim = createSimulator({ clock: 'manual' })
      sim.createSession({ name: 'other' })
      const fetch = await open(sim)
      await control(fetch, 'POST', 'breakpoints', { operation: '*' })
      const other = await fetch('/s/other/v1/chat/completions', { method: 'POST', headers, body: chatBody() })
      expect(other.status).toBe(200)
    })
  })

describe('wrong uses of breakpoints', () => {
  const sim = createSimulator({ clock: 'manual' })
  const fetch: Fetch = (path, init) => sim.fetch(path, init)

  it('name an operation that exists, and ids that exist', async () => {
    expect((await control(fetch, 'POST', 'breakpoints', { operation: 'chat.creat' })).detail).toContain(
      'did you mean chat.create?',
    )
    expect((await control(fetch, 'DELETE', 'breakpoints/none')).detail).toContain('GET /__sim/breakpoints')
    expect((await control(fetch, 'POST', 'held/none')).detail).toContain('There is no held request "none"')
  })

  it('change no response that does not exist yet', async () => {
    const { id } = await control(fetch, 'POST', 'breakpoints', { operation: '*', phase: 'request' })
    const answered = chat(fetch)
    const stop = await held(fetch)
    expect((await control(fetch, 'POST', `held/${stop.id}`, { status: 500 })).detail).toContain(
      'add an override',
    )
    await control(fetch, 'DELETE', `breakpoints/${id}`)
    await answered
  })
})
