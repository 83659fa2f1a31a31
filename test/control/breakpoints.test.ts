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

const doors = {
  'in-process': async (sim: Simulator): Promise<Fetch> => {
    return (path, init) => sim.fetch(path, init)
  },
  'over HTTP': overHttp,
}

for (const [door, open] of Object.entries(doors))
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
      expect(stop).toMatchObject({ breakpoint: id, phase: 'request', operation: 'chat.create' })
      expect(stop).toMatchObject({ seq: null, status: null, event: null })
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
        response: { status: 418, body: { text: '{"tea":true}' } },
        cause: { decidedBy: { kind: 'breakpoint' } },
      })
      expect(sim.explainRequest(0).because).toBe('The response was changed at a breakpoint.')
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

    it.each(['request', 'response'] as const)(
      'go on before the %s when the client has left, and say so until dismissed',
      async (phase) => {
        const sim = createSimulator({ clock: 'real' })
        const fetch = await open(sim)
        await control(fetch, 'POST', 'breakpoints', { operation: '*', phase, times: 1 })
        // Without its client, the same request is not held again.
        await control(fetch, 'POST', 'breakpoints', { operation: '*', phase: 'response' })
        const leave = new AbortController()
        const answered = chat(fetch, 'Hello', { signal: leave.signal })
        const { id } = await held(fetch)
        expect(sim.clock.state().frozen).toBe(true)
        leave.abort()
        await expect(answered).rejects.toThrow()
        await expect.poll(() => sim.journal()[0]?.ended).toBe('aborted')
        expect(sim.clock.state().frozen).toBe(false)
        await control(fetch, 'POST', 'clock/advance', { by: '1h' })
        const { held: list } = await control(fetch, 'GET', 'breakpoints')
        expect(list).toEqual([])
        expect((await control(fetch, 'POST', `held/${id}`)).detail).toContain('There is no held request')
        expect(sim.clock.state().frozen).toBe(false)
      },
    )

    it('are named by the explanation of a request', async () => {
      const sim = createSimulator({ clock: 'manual' })
      const fetch = await open(sim)
      await control(fetch, 'POST', 'breakpoints', { operation: '*' })
      const leave = new AbortController()
      const answered = chat(fetch, 'Hello', { signal: leave.signal })
      const { breakpoint } = await held(fetch)
      expect(sim.explainRequest(0).text).toContain(
        `It is held by ${breakpoint} before its response, and the clock of its session is stopped until`,
      )
      leave.abort()
      await expect(answered).rejects.toThrow()
      await expect.poll(() => sim.explainRequest(0).text).toContain('The client aborted')
    })

    it('make a verification wait until its client leaves', async () => {
      const sim = createSimulator({ clock: 'manual' })
      const fetch = await open(sim)
      await control(fetch, 'POST', 'breakpoints', { operation: '*' })
      const answered = chat(fetch)
      const { id } = await held(fetch)
      const verified = fetch('/__sim/verify', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ requests: { operation: 'chat.create' }, exactly: 1 }),
        signal: AbortSignal.timeout(50),
      })
      await expect(verified).rejects.toThrow(/abort/)
      await control(fetch, 'POST', `held/${id}`)
      expect((await answered).status).toBe(200)
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

for (const [door, open] of Object.entries(doors))
  describe(`breakpoints before events ${door}`, () => {
    const rules = [
      {
        id: 'slow',
        when: { operation: 'chat.create', body: { stream: true } },
        then: { text: 'one two three four', stream: { eventInterval: '1s' } },
      },
    ]
    const start = async (clock: 'manual' | 'auto' | 'real' = 'manual') => {
      const sim = createSimulator({
        clock,
        scenarios: [{ title: 'Slow', rules }],
        wallClock: () => 0,
      } as never)
      return { sim, fetch: await open(sim) }
    }
    const stream = (fetch: Fetch, init: RequestInit = {}) =>
      fetch('/v1/chat/completions', {
        ...{ method: 'POST', headers, ...init },
        body: JSON.stringify({ ...JSON.parse(chatBody()), stream: true }),
      })
    const arm = (fetch: Fetch, more: object = {}) =>
      control(fetch, 'POST', 'breakpoints', { operation: 'chat.create', phase: 'event', ...more })
    const isOpen = (sim: Simulator) => expect.poll(() => sim.journal()[0]?.ended).toBe('open')
    const texts = (body: string) =>
      [...body.matchAll(/^data: (\{.*)$/gm)]
        .map(([, data]) => JSON.parse(data as string).choices?.[0]?.delta.content ?? '')
        .join('')

    it('show each event, and leave the bytes and the journal as they are without', async () => {
      for (const clock of ['manual', 'auto'] as const) {
        const run = async (isHeld: boolean): Promise<readonly string[]> => {
          const { sim, fetch } = await start(clock)
          if (isHeld) await arm(fetch)
          const reading = stream(fetch).then((response) => response.text())
          if (clock === 'manual') {
            await isOpen(sim)
            // One advance: it stops at each event that is held.
            await control(fetch, 'POST', 'clock/advance', { by: '1m' })
          }
          if (isHeld) {
            let last: any
            for (let index = 0; index === 0 || index < last.event.total; index++) {
              last = await held(fetch)
              expect(last).toMatchObject({
                phase: 'event',
                seq: 0,
                status: 200,
                event: { index, event: null },
              })
              await control(fetch, 'POST', `held/${last.id}`)
            }
            expect(last.event.data).toBe('[DONE]')
          }
          const text = await reading
          const later = await chat(fetch, 'later').then((response) => response.text())
          const journal = sim
            .journal()
            .map((entry) => JSON.stringify(entry).replaceAll(/127\.0\.0\.1:\d+/g, 'host'))
          await server?.close()
          server = undefined
          return [text, later, ...journal]
        }
        expect(await run(true), clock).toEqual(await run(false))
      }
    })

    it('halt the clock in the middle of an advance, whose rest follows', async () => {
      const { sim, fetch } = await start()
      const { id } = await arm(fetch)
      const reading = stream(fetch).then((response) => response.text())
      await isOpen(sim)
      const begin = sim.clock.now()
      const { now } = await control(fetch, 'POST', 'clock/advance', { by: '1m' })
      expect(Date.parse(now)).toBeGreaterThan(begin)
      expect(Date.parse(now)).toBeLessThan(begin + 10_000)
      await held(fetch)
      expect(sim.clock.advance('2m').now).toBe(now)
      await control(fetch, 'POST', `held/${(await held(fetch)).id}`)
      while ((await held(fetch)).event.index < 3)
        await control(fetch, 'POST', `held/${(await held(fetch)).id}`)
      const between = sim.clock.now() - begin
      expect(between).toBeGreaterThan(0)
      expect(between).toBeLessThan(10_000)
      await control(fetch, 'DELETE', `breakpoints/${id}`)
      expect(texts(await reading)).toBe('one two three four')
      expect(sim.clock.now() - begin).toBe(180_000)
    })

    it('continue to the end of the stream, and hold the next stream', async () => {
      const { fetch } = await start('auto')
      await arm(fetch)
      const reading = stream(fetch).then((response) => response.text())
      await control(fetch, 'POST', `held/${(await held(fetch)).id}`, { toEnd: true })
      expect(texts(await reading)).toBe('one two three four')
      const next = stream(fetch).then((response) => response.text())
      const { id, event } = await held(fetch)
      expect(event.index).toBe(0)
      await control(fetch, 'POST', `held/${id}`, { toEnd: true })
      await next
    })

    it('count a stream once, and stop a real clock', async () => {
      const { sim, fetch } = await start('real')
      await arm(fetch, { times: 1 })
      const reading = stream(fetch)
      await isOpen(sim)
      sim.clock.advance('2s')
      const { id } = await held(fetch)
      expect(sim.clock.state().frozen).toBe(true)
      await control(fetch, 'POST', `held/${id}`)
      sim.clock.advance('10s')
      const second = await held(fetch)
      expect(second.event.index).toBe(1)
      expect((await control(fetch, 'GET', 'breakpoints')).breakpoints).toMatchObject([{ left: 0 }])
      await control(fetch, 'POST', `held/${second.id}`, { toEnd: true })
      expect(sim.clock.state().frozen).toBe(false)
      sim.clock.advance('1m')
      expect(texts(await (await reading).text())).toBe('one two three four')
    })

    it('change the data of an event, in what is sent and in the journal', async () => {
      const { sim, fetch } = await start('auto')
      await arm(fetch)
      const reading = stream(fetch).then((response) => response.text())
      await control(fetch, 'POST', `held/${(await held(fetch)).id}`, { data: '{"changed":1}' })
      await control(fetch, 'POST', `held/${(await held(fetch)).id}`, { data: 'two\nlines', toEnd: true })
      const text = await reading
      expect(text.startsWith('data: {"changed":1}\n\ndata: two\ndata: lines\n\ndata: {')).toBe(true)
      const [entry] = sim.journal()
      expect(entry).toMatchObject({
        cause: { decidedBy: { kind: 'breakpoint' } },
        response: { body: { text: text } },
        ended: 'completed',
      })
      expect(sim.explainRequest(0).because).toMatch(/^Rule .* The response was changed at a breakpoint\.$/)
      expect(entry?.response?.events?.slice(0, 2).map(({ data }) => data)).toEqual([
        '{"changed":1}',
        'data: two\ndata: lines\n\n',
      ])
    })

    it('cut the connection there', async () => {
      const { sim, fetch } = await start('auto')
      await arm(fetch)
      const reading = stream(fetch).then((response) => response.text())
      for (const change of [{}, {}, { cut: true }])
        await control(fetch, 'POST', `held/${(await held(fetch)).id}`, change)
      await expect(reading).rejects.toThrow('terminated')
      expect(sim.journal()[0]).toMatchObject({ ended: 'disconnected', response: { eventCount: 2 } })
      expect(sim.journal()[0]?.response?.events).toHaveLength(2)
    })

    it('end with an error when the session is reset, and forget the advance', async () => {
      const { sim, fetch } = await start()
      await arm(fetch)
      const reading = stream(fetch).then((response) => response.text())
      await isOpen(sim)
      sim.clock.advance('1h')
      await held(fetch)
      await control(fetch, 'POST', 'reset')
      await expect(reading).rejects.toThrow('terminated')
      expect((await control(fetch, 'GET', 'breakpoints')).held).toEqual([])
      expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1))
    })

    it('take no change of a response that has begun', async () => {
      const { fetch } = await start('auto')
      await arm(fetch)
      const reading = stream(fetch).then((response) => response.text())
      const { id } = await held(fetch)
      const release = (body: object) => control(fetch, 'POST', `held/${id}`, body)
      expect((await release({ status: 500 })).detail).toContain('expected `cut`, `data` or `toEnd`')
      expect((await release({ cut: true, data: 'x' })).detail).toContain('got both')
      await release({ toEnd: true })
      await reading
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
