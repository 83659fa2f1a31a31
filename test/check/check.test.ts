/** `check(options)` in process: what it sends, what it waits for, what it does not judge, what it learns. */
import { describe, expect, it } from 'vitest'
import { exitReason } from '../../src/run/check-report.ts'
import { planOf } from '../../src/run/plan.ts'
import { checking, flat, isChat, response } from './_checking.ts'
import { virtualTime } from './_time.ts'
import { createGateway } from './gateway/gateway.ts'

/** Leaves responses as they are. */
const unchanged: Parameters<typeof checking>[0] = (_url, _init, next) => next()

const { fetch: gateway } = createGateway()

/** The response with another text. */
const changed = async (answer: Response, change: (text: string) => string): Promise<Response> =>
  new Response(change(await answer.text()), answer)

/** The response with its text in chunks. */
function inChunks(answer: Response, next: () => Promise<string | undefined>): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = await next()
      if (chunk === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(chunk))
    },
  })
  return new Response(body, answer)
}

const isStream = (answer: Response): boolean =>
  answer.headers.get('content-type')?.startsWith('text/event-stream') === true

describe('the suite', () => {
  it('names every probe once, with the statement that it holds', () => {
    const plan = planOf('all')
    expect(new Set(plan.map(({ probe }) => probe.name)).size).toBe(plan.length)
    for (const { probe } of plan) {
      expect(probe.states).not.toBe('')
    }
  })

  it('sends only rejections where nothing may be spent', () => {
    for (const { probe } of planOf('none')) expect(probe.expect?.status).not.toContain(200)
  })

  it('brings along what an operation needs, and judges only what was asked for', async () => {
    const report = await checking(unchanged, { only: ['uploads.read'] })
    expect(report.checked.map(({ probe }) => probe)).toEqual(['the uploaded file'])
    expect(report.summary).toEqual({ checked: 1, passed: 1, skipped: 0, violations: 0 })
  })
})

describe('a gateway that ignores tool_choice: required', () => {
  it('is found in plain and streamed responses, but not if a response is cut', async () => {
    const ignoring = (change: object) =>
      checking(
        async (url, init, next) => {
          const sent = typeof init.body === 'string' ? (JSON.parse(init.body) as object) : {}
          if (!isChat(url, init) || !('tool_choice' in sent) || sent.tool_choice !== 'required') return next()
          const { tool_choice: _, ...rest } = sent
          return gateway(url, { ...init, body: JSON.stringify({ ...rest, ...change }) })
        },
        { only: ['chat.*'] },
      )
    const { violations } = await ignoring({})
    expect(violations).toMatchObject([
      {
        severity: 'error',
        evidence: [{ place: { pointer: '/choices/0/message/tool_calls' } }],
        args: { expected: 'a tool call if tool_choice is required' },
        probes: ['a chat that calls a tool', 'a streamed chat that calls a tool'],
      },
    ])
    expect((await ignoring({ max_completion_tokens: 1 })).violations).toEqual([])
  })
})

describe('what a check sends', () => {
  it('goes to the gateway and to links in its responses; these get no key', async () => {
    const seen: { readonly origin: string; readonly hasKey: boolean }[] = []
    const store = 'http://store.test'
    const report = await checking(
      async (url, init, next) => {
        const headers = JSON.stringify(init.headers ?? {})
        seen.push({ origin: new URL(url).origin, hasKey: headers.includes('key-of-the-tests') })
        if (url.startsWith(store))
          return new Response(init.method === 'PUT' ? null : 'other bytes', { status: 200 })
        return changed(await next(), (text) => text.replaceAll('http://gateway.test/store', store))
      },
      { only: ['files.*', 'uploads.*'] },
    )
    expect(seen.filter(({ origin }) => origin === store)).toEqual([
      { origin: store, hasKey: false },
      { origin: store, hasKey: false },
    ])
    expect(report.violations).toEqual([])
  })

  it('has the key in no part of the report, even where the gateway repeats it', async () => {
    const report = await checking(
      (url, init, next) =>
        isChat(url, init)
          ? response(400, 'bad key key-of-the-tests', { 'x-request-id': 'key-of-the-tests' })
          : next(),
      { only: ['chat.*'] },
    )
    expect(report.violations.length).toBeGreaterThan(0)
    expect(JSON.stringify(report)).not.toContain('key-of-the-tests')
  })

  it('shows no signature of an address', async () => {
    const report = await checking(
      async (url, _init, next) => {
        const answer = await next()
        if (!url.endsWith('upload_url') || answer.status !== 200) return answer
        return changed(answer, (text) => text.replace('"PUT"', '"GET"'))
      },
      { only: ['files.*'] },
    )
    const [finding] = report.violations
    expect(finding?.exchange.response?.body?.text).toContain('"http://gateway.test/store/u1?<signed>"')
  })

  it('uses the models that were named, and else the usual ones', async () => {
    const used = async (models: Readonly<Record<string, string>>) => {
      const ids = new Set<string>()
      await checking(
        (url, init, next) => {
          if (isChat(url, init)) ids.add((JSON.parse(init.body as string) as { model: string }).model)
          return next()
        },
        { only: ['chat.*'], spend: 'none', models },
      )
      return [...ids]
    }
    expect(await used({ chat: 'mine' })).toEqual(['mine'])
    expect(await used({})).toEqual(['gpt-4o-mini'])
  })
})

describe('what is not judged', () => {
  const busy = (status: number, times: number, headers = {}) => {
    let seen = 0
    return (url: string, init: RequestInit, next: () => Promise<Response>) =>
      isChat(url, init) && seen++ < times ? response(status, 'too busy', headers) : next()
  }

  it.each([429, 503, 529])('is a busy gateway (%i), which is asked again', async (status) => {
    const report = await checking(busy(status, 2), { only: ['chat.*'] })
    expect(report.summary).toMatchObject({ skipped: 0, violations: 0 })
  })

  it('is what stays busy, with the reason', async () => {
    const report = await checking(busy(429, Infinity, { 'retry-after': '7' }), { only: ['chat.*'] })
    expect(report.summary.violations).toBe(0)
    expect(report.skipped[0]?.reason).toBe('the gateway was busy: 429: too busy')
  })

  it('is waited for as long as the gateway asks, but not for hours', async () => {
    const time = virtualTime()
    await checking(busy(429, 1, { 'retry-after': '7' }), { only: ['chat.*'], time })
    expect(time.now()).toBe(7000)
    const later = virtualTime()
    await checking(busy(429, 1, { 'retry-after': '3600' }), { only: ['chat.*'], time: later })
    expect(later.now()).toBe(0)
  })

  it('is a model that nobody named and the gateway does not have', async () => {
    const unknown = (url: string, init: RequestInit, next: () => Promise<Response>) =>
      isChat(url, init) ? response(404, 'no such model') : next()
    const guessed = await checking(unknown, { only: ['chat.*'] })
    expect(guessed.summary.violations).toBe(0)
    expect(guessed.skipped[0]?.reason).toBe(
      'the gateway rejects the model gpt-4o-mini: name another model with --model chat=ID (404: no such model)',
    )
    const named = await checking(unknown, { only: ['chat.*'], models: { chat: 'gpt-4o' } })
    expect(named).toMatchObject({ violations: [], outcome: 'skipped' })
    expect(named.skipped[0]?.reason).toContain('the gateway rejects the model gpt-4o')
  })

  it.each([404, 405])(
    'is nothing that an absent operation answers (%i): it is one finding',
    async (status) => {
      const only = ['chat.create', 'imageJobs.uploadPaint', 'imageJobs.pan', 'videoOperations.submit']
      const report = await checking(
        (url, init, next) => {
          const { pathname } = new URL(url)
          const isAbsent = pathname.includes('/tob/') || pathname.startsWith('/v1beta/') || isChat(url, init)
          return isAbsent ? response(status, `there is no ${init.method} ${pathname}`) : next()
        },
        { only },
      )
      expect(report.violations).toMatchObject([
        { operations: only, args: { got: `${status} for every request` } },
      ])
      expect(report.skipped.map(({ reason }) => reason)).toContain('the gateway does not have chat.create')
    },
  )

  it.each([
    ['any operation (404)', () => 404],
    ['any operation (405)', () => 405],
    ['operations, but with files (501 for POST)', (method?: string) => (method === 'GET' ? 404 : 501)],
  ])('is nothing that a server without %s answers', async (_name, statusFor) => {
    const report = await checking((_url, { method }) => response(statusFor(method), 'not here'))
    expect(exitReason(report)).toMatch(/^\d violations? \(is --base-url the URL of the gateway\?\): /)
    expect(report.violations[0]).toMatchObject({ args: { expected: 'the operation' } })
    expect(report.violations[0]?.operations.length).toBeGreaterThan(8)
  })

  it('is nothing new that a gateway says that always fails (500): it is one finding', async () => {
    const report = await checking(() => response(500, 'broken'), {
      only: ['chat.*', 'videos.*'],
      spend: 'all',
    })
    const operations = ['chat.create', 'videos.create', 'videos.retrieve']
    expect(report.violations).toMatchObject([{ operations, args: { got: '500' } }])
  })

  it('is what an operation answers that is not there: it is one finding, of a poll alone too', async () => {
    const report = await checking(() => response(405, 'not here'), { only: ['imageJobs.retrieve'] })
    expect(report.violations).toMatchObject([
      { args: { expected: 'the operation', got: '405 for every request' } },
    ])
  })

  it('is a job that does not end in time', async () => {
    const report = await checking(unchanged, {
      only: ['videos.*'],
      spend: 'all',
      pollsUntilDone: 1000,
    })
    expect(report.violations).toEqual([])
    expect(report.skipped.map(({ reason }) => reason)).toContain('did not finish within 10m')
  })

  it('is a connection that breaks; other calls are', async () => {
    const report = await checking(
      (url, init, next) => {
        if (isChat(url, init)) throw new Error('fetch failed', { cause: new Error('ECONNRESET') })
        return next()
      },
      { only: ['chat.*', 'files.*'] },
    )
    expect(report.skipped[0]?.reason).toBe('the connection broke: fetch failed: ECONNRESET')
    expect(report.checked.map(({ operation }) => operation)).toContain('files.createUploadUrl')
  })

  it('is a submission that the contract lets the gateway reject', async () => {
    const report = await checking(
      (url, _init, next) => (url.endsWith('/v1/tob/pan') ? response(400, 'not with this version') : next()),
      { only: ['imageJobs.*'], spend: 'all' },
    )
    expect(report.skipped.find(({ probe }) => probe === 'a pan')?.reason).toBe(
      'some model versions do not support the operation; the gateway responds with 400: not with this version',
    )
  })
})

it.each([
  ['a video', 'videos.*', { status: 'rendering' }],
  ['a video', 'videos.*', { status: 4 }],
  ['an image job', 'imageJobs.*', { status: 9 }],
  ['an operation', 'videoOperations.*', { done: 'no' }],
])('a state outside the contract ends the polls of %s, and is the finding', async (_name, only, state) => {
  const time = virtualTime()
  const report = await checking(
    async (url, init, next) => {
      const answer = await next()
      const isPoll = init.method === 'GET' && answer.headers.get('content-type') === 'application/json'
      if (!isPoll || answer.status !== 200 || url.includes('/store/')) return answer
      return Response.json({ ...((await answer.json()) as object), ...state })
    },
    { only: [only], spend: 'all', time, pollsUntilDone: 1000 },
  )
  expect(report.violations.map(flat).map(({ pointer, got }) => [pointer, got])).toEqual([
    [`/${Object.keys(state)[0]}`, JSON.stringify(Object.values(state)[0])],
  ])
  expect(time.now()).toBeLessThan(10_000)
})

it.each([
  ['a submission alone', 'POST', { created_at: 1_770_000_000_000 }, 'videos.create', '/created_at'],
  ['the id of a status alone', 'GET', { id: 7 }, 'videos.retrieve', '/id'],
])(
  'what %s has wrong is one finding, whatever builds on it',
  async (_name, method, wrong, operation, pointer) => {
    const report = await checking(
      async (url, init, next) => {
        const answer = await next()
        const isVideo = /\/v1\/videos(?:\/[^/]+)?$/.test(new URL(url).pathname)
        if (!isVideo || init.method !== method || answer.status !== 200) return answer
        return Response.json({ ...((await answer.json()) as object), ...wrong })
      },
      { only: ['videos.*'], spend: 'all' },
    )
    expect(report.violations.map(flat).map((one) => [one.operation, one.pointer])).toEqual([
      [operation, pointer],
    ])
  },
)

it('a stream that the gateway breaks off each time is one finding', async () => {
  const report = await checking(
    async (_url, _init, next) => {
      const answer = await next()
      if (!isStream(answer)) return answer
      const chunks = [(await answer.text()).slice(0, 400)]
      return inChunks(answer, async () => {
        if (chunks.length === 0) throw new Error('terminated')
        return chunks.shift()
      })
    },
    { only: ['chat.*'] },
  )
  expect(report.violations.map(({ args, probes }) => [args.expected, probes.length])).toEqual([
    ['a complete stream', 3],
  ])
})

it('what the plain response and the stream have wrong alike is one finding', async () => {
  const report = await checking(
    async (_url, _init, next) => {
      const answer = await next()
      return changed(answer, (text) => text.replaceAll(/"created":(\d+)/g, '"created":"$1"'))
    },
    { only: ['chat.*'] },
  )
  expect(
    report.violations.map(flat).map(({ where, pointer, severity }) => [where, pointer, severity]),
  ).toEqual([['body', '/created', 'error']])
  expect(report.violations[0]?.probes).toContain('a streamed chat')
})
