/** What holds for the msw integration whatever carries it: msw 2 or 3, a patched `fetch` or `getResponse`. */
import { expect, it } from 'vitest'
import { handlers as handlersOfMsw2, type MswOptions } from '../../src/msw.ts'
import { eventually } from '../_eventually.ts'
import { bodyOf, dataOf, simulator } from '../_setup.ts'

export type Sim = ReturnType<typeof simulator>

/**
 * Puts handlers in force and gives the `fetch` that meets them; undefined is a call that no handler answered.
 */
export type Carrier = (
  list: ReturnType<typeof handlersOfMsw2>,
) => (url: string, init?: RequestInit) => Promise<Response | undefined>

export const question = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Name a colour.' }] }

export const call = (body: unknown, init: RequestInit = {}): RequestInit => ({
  method: 'POST',
  headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
  body: JSON.stringify(body),
  ...init,
})

/** The tests; `carrier` is asked once per test. */
export function mswCases(carrier: Carrier, handlers = handlersOfMsw2): void {
  const gateway = 'https://gateway.test'
  const open = (
    options: Partial<MswOptions> = {},
    sim: Sim = simulator(),
  ): { readonly sim: Sim; ask(url: string, init?: RequestInit): Promise<Response> } => {
    const fetch = carrier(handlers(sim, { origins: [gateway], ...options }))
    return {
      sim,
      async ask(url, init) {
        const response = await fetch(url, init)
        if (response === undefined) throw new Error(`no handler answered ${url}`)
        return response
      },
    }
  }

  it('responds to a chat request as sim.fetch does', async () => {
    const { ask } = open()
    const response = await ask(`${gateway}/v1/chat/completions`, call(question))
    const expected = await simulator().fetch(`${gateway}/v1/chat/completions`, call(question))
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual(Object.fromEntries(expected.headers))
    expect(await response.text()).toBe(await expected.text())
  })

  /** A stream whose first event comes after 100 ms, the others 10 ms apart. */
  const stream = async (model = 'gpt-4o', init: RequestInit = {}) => {
    const settings = { chat: { firstEventAfter: '100ms', eventInterval: '10ms' } }
    const { sim, ask } = open({}, simulator({ settings }))
    const response = await ask(
      `${gateway}/v1/chat/completions`,
      call({ ...question, model, stream: true }, init),
    )
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let said = ''
    /** The next chunk, or all that is left. */
    const next = async (): Promise<boolean> => {
      const { done, value } = await reader.read()
      said += new TextDecoder().decode(value)
      return !done
    }
    const all = async (): Promise<void> => {
      while (await next());
    }
    return { sim, response, next, all, data: () => dataOf(said) }
  }

  it('streams with the virtual clock: nothing before its time', async () => {
    const { sim, response, next, all, data } = await stream()
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const first = next()
    await sim.settled()
    sim.clock.advance('99ms')
    await new Promise((turn) => setImmediate(turn))
    expect(data()).toEqual([])
    sim.clock.advance('1ms')
    await first
    expect(data()).toHaveLength(1)
    sim.clock.advance('1m')
    await all()
    expect(data().at(-1)).toBe('[DONE]')
    expect(sim.journal()).toMatchObject([{ ended: 'completed', operation: 'chat.create' }])
    expect(sim.warnings).toEqual([])
  })

  it('notices a client that aborts through AbortController', async () => {
    const leaving = new AbortController()
    const { sim, next, all } = await stream('gpt-4o', { signal: leaving.signal })
    sim.clock.advance('120ms')
    await next()
    leaving.abort()
    await expect(all()).rejects.toMatchObject({ name: 'AbortError' })
    await eventually(() =>
      expect(sim.journal()).toMatchObject([{ ended: 'aborted', response: { eventCount: 3 } }]),
    )
    sim.clock.advance('1m')
    expect(sim.journal()).toMatchObject([{ ended: 'aborted', response: { eventCount: 3 } }])
    expect(sim.warnings).toEqual([])
  })

  it('breaks a stream as a socket would', async () => {
    const { sim, all, data } = await stream('sim-disconnect-after-3')
    sim.clock.advance('1m')
    await expect(all()).rejects.toThrow('terminated')
    expect(data()).toHaveLength(3)
    expect(sim.journal()).toMatchObject([{ ended: 'disconnected', response: { eventCount: 3 } }])
  })

  it('serves a base path, and uses it in links', async () => {
    const base = 'https://gateway.test/proxy/models/'
    const { sim, ask } = open({ origins: [base] })
    const submitted = await bodyOf(ask(`${base}v1/tob/diffusion`, call({ model: 'v7', text: 'a cat' })))
    sim.clock.advance('1m')
    const job = await bodyOf(
      ask(`${base}v1/tob/job/${submitted.id}`, { headers: { authorization: 'Bearer sk-test' } }),
    )
    expect(job.urls[0]).toMatch(/^https:\/\/gateway\.test\/proxy\/models\/media\/image-jobs\//)
    const image = await ask(job.urls[0] as string)
    expect(image.headers.get('content-type')).toBe('image/png')
    expect([...new Uint8Array(await image.arrayBuffer()).subarray(1, 4)]).toEqual([...Buffer.from('PNG')])
  })

  it('serves every given origin, each with its own links', async () => {
    const other = 'http://other.test:8080'
    const { sim, ask } = open({ origins: [gateway, other] })
    const submitted = await bodyOf(ask(`${gateway}/v1/tob/diffusion`, call({ model: 'v7', text: 'a cat' })))
    sim.clock.advance('1m')
    for (const origin of [gateway, other]) {
      const job = await bodyOf(
        ask(`${origin}/v1/tob/job/${submitted.id}`, { headers: { authorization: 'Bearer sk-test' } }),
      )
      expect(new URL(job.urls[0] as string).origin).toBe(origin)
    }
  })

  it('serves sessions under their prefix', async () => {
    const { sim, ask } = open()
    await ask(`${gateway}/s/red/v1/chat/completions`, call(question))
    expect(sim.journal()).toEqual([])
    expect(await bodyOf(ask(`${gateway}/s/red/__sim/journal`))).toMatchObject({ total: 1 })
  })

  it('rejects an unknown path with a hint, and a wrong method with the allowed ones', async () => {
    const { ask } = open()
    const unknown = await ask(`${gateway}/v1/responses`, call({}))
    expect(unknown.status).toBe(404)
    expect(await unknown.json()).toMatchObject({
      error: { message: expect.stringContaining('This gateway has no Responses API') },
    })
    const wrong = await ask(`${gateway}/v1/chat/completions`)
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('POST, OPTIONS')
  })
}
