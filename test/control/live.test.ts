/** `GET /__sim/events`: what changes in the sessions, in real time. */
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { LiveCall } from '../../src/generated/control-types.ts'
import { createSimulator, type Simulator } from '../../src/index.ts'

interface LiveEvent {
  readonly event: string
  readonly data: any
}

/** Reads the feed event by event; `until` resolves with all of them once one fits. */
function watch(sim: Simulator, query = '') {
  const leave = new AbortController()
  const seen: LiveEvent[] = []
  const found = sim.core.match('GET', '/__sim/events')
  const schema = found.kind === 'found' ? found.route.endpoint.event?.() : undefined
  const reading = sim.fetch(`/__sim/events${query}`, { signal: leave.signal })
  let reader: ReadableStreamDefaultReader<string> | undefined
  let text = ''
  return {
    seen,
    leave: () => leave.abort(),
    response: () => reading,
    async until(wanted: (event: LiveEvent) => boolean): Promise<LiveEvent> {
      reader ??= (await reading).body?.pipeThrough(new TextDecoderStream()).getReader()
      for (;;) {
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const fields = Object.fromEntries(
            text
              .slice(0, end)
              .split('\n')
              .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
          )
          text = text.slice(end + 2)
          if (fields['data'] === undefined) continue
          const event = { event: fields['event'] ?? '', data: JSON.parse(fields['data']) }
          expect(schema?.safeParse(event.data), JSON.stringify(event)).toMatchObject({ success: true })
          seen.push(event)
          if (wanted(event)) return event
        }
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
        if (done) throw new Error('the feed ended')
        text += value
      }
    },
  }
}

const chat = (sim: Simulator, content: string, more: object = {}) =>
  sim.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }], ...more }),
  })

const calls = (event: LiveEvent): boolean => event.event === 'requests'

afterEach(() => vi.restoreAllMocks())

describe('the feed', () => {
  it('begins with the sessions, their clocks and the requests so far', async () => {
    const sim = createSimulator({ clock: 'manual' })
    await chat(sim, 'one')
    const feed = watch(sim)
    const { data } = await feed.until(calls)
    expect(feed.seen.map(({ event }) => event)).toEqual(['hello', 'clock', 'breakpoints', 'requests'])
    expect(feed.seen[2]?.data).toEqual({ breakpoints: [], held: [] })
    expect(feed.seen[0]?.data).toMatchObject({
      sessions: [{ name: 'default', total: 1, first: 0 }],
      count: 1,
      strict: false,
    })
    expect(feed.seen[1]?.data).toMatchObject({ session: 'default', mode: 'manual' })
    expect(data).toMatchObject({ session: 'default', total: 1, first: 0 })
    expect(data.requests).toEqual([
      expect.objectContaining({
        seq: 0,
        operation: 'chat.create',
        response: { status: 200 },
        ended: 'completed',
      }),
    ])
    expect(data.requests[0].request).toEqual({ method: 'POST', url: '/v1/chat/completions' })
    feed.leave()
  })

  it('sends a request that comes later, and its end', async () => {
    const sim = createSimulator({
      clock: 'manual',
      scenarios: [
        {
          title: 'Slow',
          rules: [{ id: 'slow', then: { text: 'one two three', stream: { eventInterval: '1s' } } }],
        },
      ],
    })
    const feed = watch(sim)
    await feed.until(({ event }) => event === 'hello')
    const streaming = await chat(sim, 'Tell me a story', { stream: true })
    const open = await feed.until(calls)
    expect(open.data.requests[0]).toMatchObject({
      seq: 0,
      ended: 'open',
      response: { eventCount: expect.any(Number) },
      cause: { rule: 'slow' },
    })
    const text = streaming.text()
    sim.clock.advance('1h')
    await text
    const ended = await feed.until((event) => calls(event) && event.data.requests[0].ended === 'completed')
    expect(ended.data.requests[0].response.eventCount).toBeGreaterThan(1)
    feed.leave()
  })

  it('says when an open stream has stalled, also some time after its last event', async () => {
    const script = [{ text: 'a' }, { wait: '5s' }, { fault: 'stall' }]
    const rules = [{ id: 'stalls', then: { stream: { script } } }]
    const sim = createSimulator({ clock: 'manual', scenarios: [{ title: 'Stalls', rules }] } as never)
    const feed = watch(sim)
    await chat(sim, 'Hi', { stream: true })
    sim.clock.advance('2s')
    const sent = await feed.until((event) => calls(event) && event.data.requests[0].response.eventCount > 0)
    expect(sent.data.requests[0].cause.stalledAfter).toBeUndefined()
    sim.clock.advance('1m')
    const stalled = await feed.until((event) => calls(event) && event.data.requests[0].cause.stalledAfter)
    const { ended, response, cause } = stalled.data.requests[0]
    expect([ended, response]).toEqual(['open', sent.data.requests[0].response])
    expect(cause.stalledAfter).toBeGreaterThan(5000)
    feed.leave()
  })

  it('sends each change of a clock, and says when a session was reset or deleted', async () => {
    const sim = createSimulator({ clock: 'manual' })
    const feed = watch(sim)
    await feed.until(({ event }) => event === 'clock')
    sim.clock.advance('5s')
    const { data } = await feed.until(({ event }) => event === 'clock')
    expect(data.now).toBe('2026-01-01T00:00:05.000Z')
    sim.resetAll()
    expect((await feed.until(({ event }) => event === 'ended')).data).toEqual({
      session: 'default',
      how: 'reset',
    })
    const session = sim.createSession({ name: 'other' })
    await feed.until((event) => event.event === 'clock' && event.data.session === 'other')
    session.dispose()
    expect((await feed.until(({ event }) => event === 'ended')).data).toEqual({
      session: 'other',
      how: 'deleted',
    })
    feed.leave()
  })

  it('can be limited to one session', async () => {
    const sim = createSimulator({ clock: 'manual' })
    const session = sim.createSession({ name: 'mine' })
    await chat(sim, 'in the default session')
    await session.fetch('/v1/models', { headers: session.headers })
    const feed = watch(sim, '?session=mine')
    const { data } = await feed.until(calls)
    expect(data).toMatchObject({ session: 'mine', total: 1 })
    expect(
      feed.seen.every(({ event, data: sent }) => /hello|breakpoints/.test(event) || sent.session === 'mine'),
    ).toBe(true)
    feed.leave()
  })

  it('sends only the latest of the past requests if it is asked to', async () => {
    const sim = createSimulator({ clock: 'manual' })
    for (const text of ['zero', 'one', 'two']) await chat(sim, text)
    const feeds = [watch(sim, '?latest=2'), watch(sim, '?latest=0')]
    const seqs = async (feed: (typeof feeds)[number] | undefined) =>
      (await feed?.until(calls))?.data.requests.map(({ seq }: { seq: number }) => seq)
    expect(await seqs(feeds[0])).toEqual([1, 2])
    await feeds[1]?.until(({ event }) => event === 'breakpoints')
    await chat(sim, 'three')
    for (const feed of feeds) {
      expect(await seqs(feed)).toEqual([3])
      feed.leave()
    }
  })

  it('sends a comment every four seconds without news, since proxies cut silent responses off', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const leave = new AbortController()
    const response = await createSimulator().fetch('/__sim/events', { signal: leave.signal })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toMatch(/^event: hello\n/)
    vi.advanceTimersByTime(4000)
    expect((await reader?.read())?.value).toBe(':\n\n')
    leave.abort()
    await reader?.closed.catch(() => undefined)
  })

  it('sends breakpoints before the requests that they hold', async () => {
    const sim = createSimulator({ clock: 'manual' })
    const feed = watch(sim)
    await feed.until(({ event }) => event === 'clock')
    const body = JSON.stringify({ operation: 'chat.create' })
    const headers = { 'content-type': 'application/json' }
    await sim.fetch('/__sim/breakpoints', { method: 'POST', headers, body })
    const answered = chat(sim, 'Hi')
    const { data } = await feed.until(calls)
    expect(data.requests).toMatchObject([{ seq: 0, ended: 'open' }])
    expect(feed.seen.at(-2)?.data.held).toMatchObject([{ seq: 0, breakpoint: 'breakpoint-1' }])
    await sim.fetch(`/__sim/held/${feed.seen.at(-2)?.data.held[0].id}`, { method: 'POST' })
    expect((await answered).status).toBe(200)
    feed.leave()
  })

  it('says what each request is about, and the trace id of errors', async () => {
    const sim = createSimulator({ clock: 'manual' })
    const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
    const send = (path: string, body: object) =>
      sim.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const form = new FormData()
    form.set('model', 'sora-2')
    form.set('prompt', 'a "boat"')
    const { id } = (await (await send('/v1/videos', { model: 'sora-2', prompt: 'a fox' })).json()) as any
    await sim.fetch('/v1/videos', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test' },
      body: form,
    })
    await sim.fetch(`/v1/videos/${id}?key=sk-1234567890`, { headers })
    await send('/v1/files/upload_url', { path: 'cats/one.png' })
    await chat(sim, `\n Red\u202e\nfox \u001b[31m${'ab '.repeat(40)}`)
    await chat(sim, '🦊'.repeat(50))
    await send('/v1/chat/completions', { model: 'gpt-4o', messages: ['x'.repeat(70_000)] })
    await chat(sim, `long ${'x'.repeat(70_000)}`)
    await chat(sim, '👩\u200d👩\u200d👧 می\u200cخواهم \u200d\u202e')
    await send('/v1/embeddings', { model: 'x', input: 'y' })
    await sim.fetch('/v1/models', { headers })
    const feed = watch(sim)
    const { data } = await feed.until(calls)
    const requests = data.requests as LiveCall[]
    expect(requests.map(({ about }) => about)).toEqual([
      ...['a fox · sora-2', 'a "boat" · sora-2', id, 'cats/one.png'],
      `Red\\u{202e} fox \\u{1b}[31m${'ab '.repeat(11)}… · gpt-4o-mini`,
      `${'🦊'.repeat(29)}… · gpt-4o-mini`,
      // The journal has cut their bodies: what is known is the model.
      ...['gpt-4o', 'gpt-4o-mini'],
      '👩\u200d👩\u200d👧 می\u200cخواهم \\u{200d}\\u{202e} · gpt-4o-mini',
      ...['', ''],
    ])
    const trace = (await (await sim.fetch('/__sim/trace')).text()) as string
    for (const { about } of requests) expect(trace).toContain(JSON.stringify({ about }).slice(1, -1))
    feed.leave()
  })

  it('is not recorded, and is declared as a stream that no proxy may keep', async () => {
    const sim = createSimulator()
    const feed = watch(sim)
    const { headers } = await feed.response()
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(headers.get('x-accel-buffering')).toBe('no')
    await feed.until(({ event }) => event === 'hello')
    expect(sim.journal()).toEqual([])
    feed.leave()
  })
})
