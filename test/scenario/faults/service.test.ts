/** Faults of the service itself: rejections of APIs, jobs that go wrong, uploads that fail. */
import { describe, expect, it } from 'vitest'
import { get, simulator } from '../../_setup.ts'
import { ask, faulty, question, type Sim, type WrittenFault } from './_wire.ts'

const message = {
  model: 'claude-3-5-haiku-20241022',
  max_tokens: 50,
  messages: [{ role: 'user', content: 'Name a colour.' }],
}
const video = { model: 'video-1', prompt: 'a sunset', seconds: '4' }
const imageJob = { model: 'image-job-v7', text: 'a lighthouse' }
const evaluation = {
  model: 'jev-latest',
  state: 'The customer wants a refund',
  questions: { angry: { type: 'noul', instructions: 'Is the customer angry?' } },
}

const calls = {
  'chat.create': ['/v1/chat/completions', question],
  'messages.create': ['/v1/messages', message],
  'images.generate': ['/v1/images/generations', { prompt: 'a fox' }],
  'imageJobs.create': ['/v1/tob/diffusion', imageJob],
  'videos.create': ['/v1/videos', video],
  'videoOperations.submit': [
    '/v1beta/models/veo-3:predictLongRunning',
    { instances: [{ prompt: 'a river' }] },
  ],
  'files.createUploadUrl': ['/v1/files/upload_url', { path: 'a.txt', storage_provider: 'COS' }],
  'systemone.evaluate': ['/v1/systemone', evaluation],
} as const

async function meets(
  fault: WrittenFault,
  operation: keyof typeof calls,
  options: object = {},
): Promise<{ status: number; headers: Headers; error: { type: string; code: number; message: string } }> {
  const [path, body] = calls[operation]
  const response = await ask(faulty(fault, { operation, ...options }), body, path)
  return {
    status: response.status,
    headers: response.headers,
    ...((await response.json()) as { error: { type: string; code: number; message: string } }),
  }
}

describe('rate-limit', () => {
  it('rejects with the headers of the request limit (chat)', async () => {
    const { status, headers, error } = await meets(
      { kind: 'rate-limit', retryAfter: '20s', limit: 500 },
      'chat.create',
      { clock: 'manual' },
    )
    expect({ status, type: error.type }).toEqual({ status: 429, type: 'rate_limit_error' })
    expect(Object.fromEntries(headers)).toMatchObject({
      'retry-after': '20',
      'retry-after-ms': '20000',
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '20s',
    })
  })

  it('rejects with the headers of its family (messages)', async () => {
    const { status, headers } = await meets(
      { kind: 'rate-limit', retryAfter: '20s', limit: 500 },
      'messages.create',
      { clock: 'manual' },
    )
    expect(status).toBe(429)
    expect(Object.fromEntries(headers)).toMatchObject({
      'anthropic-ratelimit-requests-limit': '500',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:20Z',
    })
  })

  it('rejects image jobs with 2007', async () => {
    expect((await meets('rate-limit', 'imageJobs.create')).error.code).toBe(2007)
  })

  it('has no limit headers if the request is rejected for another reason', async () => {
    const sim = faulty('rate-limit')
    const response = await ask(sim, { model: 'gpt-4o' })
    expect({ status: response.status, left: response.headers.get('x-ratelimit-remaining-requests') }).toEqual(
      { status: 400, left: '9999' },
    )
  })
})

describe('the `retry-after` of a rule or a fault', () => {
  const rules = [
    ['an error', { error: { status: 429, retryAfter: '7s' } }],
    ['rate-limit', { fault: { kind: 'rate-limit', retryAfter: '7s' } }],
    ['overloaded', { fault: { kind: 'overloaded', retryAfter: '7s' } }],
  ] as const

  it.each(
    rules.flatMap(([name, then]) =>
      (['auto', 'manual', 'real'] as const).map((clock) => [name, clock, then] as const),
    ),
  )('is sent as written: %s, %s', async (_name, clock, then) => {
    const sim = simulator({ clock })
    sim.overrides.add({ then } as never)
    const { headers } = await ask(sim)
    expect([headers.get('retry-after'), headers.get('retry-after-ms')]).toEqual(['7', '7000'])
    expect(sim.journal()[0]?.cause.rejection?.retryAfterMs).toBe(7000)
  })

  it.each([7, 7000, '7'])('is rejected without a unit: %j', (retryAfter) => {
    expect(() =>
      simulator().overrides.add({ then: { error: { status: 429, retryAfter } } } as never),
    ).toThrow("expected a duration with a unit, such as '7s'")
    for (const kind of ['rate-limit', 'overloaded'])
      expect(() => simulator().overrides.add({ then: { fault: { kind, retryAfter } } } as never)).toThrow(
        'fault',
      )
  })
})

describe('quota', () => {
  it('has the error type of the messages API', async () => {
    expect((await meets('quota', 'messages.create')).error.type).toBe('rate_limit_error')
  })
})

describe('overloaded', () => {
  it.each([
    ['chat.create', 503],
    ['messages.create', 529],
    ['systemone.evaluate', 503],
  ] as const)('%s responds with %d', async (operation, status) => {
    expect(await meets({ kind: 'overloaded', retryAfter: '1s' }, operation)).toMatchObject({
      status,
      error: { type: 'overloaded_error' },
    })
  })
})

describe('auth', () => {
  it.each([
    [401, 'authentication_error'],
    [403, 'permission_error'],
  ] as const)('responds with %d', async (status, type) => {
    expect(await meets({ kind: 'auth', status }, 'chat.create')).toMatchObject({ status, error: { type } })
  })

  it('names the authentication scheme with 401', async () => {
    expect((await meets('auth', 'chat.create')).headers.get('www-authenticate')).toBe('Bearer')
  })
})

describe('content-filter', () => {
  const filtered = async (
    operation: keyof typeof calls,
  ): Promise<{ sim: Sim; body: Record<string, unknown> }> => {
    const sim = faulty('content-filter', { operation, clock: 'manual' })
    const [path, body] = calls[operation]
    return { sim, body: (await (await ask(sim, body, path)).json()) as Record<string, unknown> }
  }

  it('cuts off responses', async () => {
    expect((await filtered('chat.create')).body).toMatchObject({
      choices: [{ finish_reason: 'content_filter' }],
    })
    expect((await filtered('messages.create')).body).toMatchObject({ stop_reason: 'refusal' })
  })

  it('makes jobs and videos fail', async () => {
    const { sim, body } = await filtered('videos.create')
    sim.clock.advance('1h')
    expect(await (await get(sim, `/v1/videos/${String(body['id'])}`)).json()).toMatchObject({
      status: 'failed',
      error: { code: 'moderation_blocked' },
    })
    const job = await filtered('imageJobs.create')
    job.sim.clock.advance('1h')
    expect(await (await get(job.sim, `/v1/tob/job/${String(job.body['id'])}`)).json()).toMatchObject({
      status: 3,
      comment: 'JobStatusReject',
    })
  })
})

describe('jobs', () => {
  const submitted = async (
    job: unknown,
  ): Promise<{ sim: Sim; look(): Promise<{ status: number; body: Record<string, unknown> }> }> => {
    const sim = faulty([], { operation: 'videos.create', clock: 'manual', then: { job } })
    const { id } = (await (await ask(sim, video, '/v1/videos')).json()) as { id: string }
    return {
      sim,
      look: async () => {
        const response = await get(sim, `/v1/videos/${id}`)
        return { status: response.status, body: (await response.json()) as Record<string, unknown> }
      },
    }
  }

  it('fail midway (failAt)', async () => {
    const { sim, look } = await submitted({
      failAt: 50,
      code: 'gpu_lost',
      message: 'The machine went away.',
    })
    sim.clock.advance('1h')
    expect((await look()).body).toMatchObject({
      status: 'failed',
      error: { code: 'gpu_lost', message: 'The machine went away.' },
    })
  })

  it('go back and then succeed (regressAt)', async () => {
    const { sim, look } = await submitted({ regressAt: 60 })
    const seen: unknown[] = []
    for (let step = 0; step < 200; step++) {
      seen.push((await look()).body['progress'])
      sim.clock.advance('1s')
    }
    const falls = seen.filter((progress, index) => index > 0 && Number(progress) < Number(seen[index - 1]))
    expect(falls).toHaveLength(1)
    expect((await look()).body).toMatchObject({ status: 'completed', progress: 100 })
  })

  it.each([
    ['imageJobs.create', 424, 2002],
    ['imageJobs.create', 500, 500],
    ['videos.create', 424, 424],
    ['videoOperations.submit', 500, 500],
  ] as const)(
    'continue even though %s responds with %d (ambiguous-submit)',
    async (operation, status, code) => {
      const sim = faulty({ kind: 'ambiguous-submit', status }, { operation })
      const [path, body] = calls[operation]
      const response = await ask(sim, body, path)
      expect({ status: response.status, ...((await response.json()) as object) }).toMatchObject({
        status,
        error: { code },
      })
      expect(sim.core.sessions.get('default').sandbox.store.size).toBe(1)
    },
  )
})

describe('uploads', () => {
  const target = async (fault: WrittenFault): Promise<{ sim: Sim; upload_url: string; method: string }> => {
    const sim = faulty(fault, { operation: 'files.createUploadUrl' })
    const made = (await (
      await ask(sim, calls['files.createUploadUrl'][1], '/v1/files/upload_url')
    ).json()) as { upload_url: string; method: string }
    return { sim, ...made }
  }

  it.each([
    ['expired', 403, 'AccessDenied'],
    ['tampered', 403, 'SignatureDoesNotMatch'],
    ['wrong-method', 405, 'MethodNotAllowed'],
  ])('%s: sending gets %d %s', async (kind, status, name) => {
    const { sim, upload_url, method } = await target(kind)
    const response = await sim.fetch(upload_url, { method, body: 'hello' })
    expect(response.status).toBe(status)
    expect(await response.text()).toContain(`<Code>${name}</Code>`)
  })

  it('wrong-method: the other method works', async () => {
    const { sim, upload_url, method } = await target('wrong-method')
    expect(
      (await sim.fetch(upload_url, { method: method === 'PUT' ? 'POST' : 'PUT', body: 'hello' })).status,
    ).toBe(200)
  })
})
