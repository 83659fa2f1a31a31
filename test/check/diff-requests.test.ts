/** `gateway-sim diff`: which requests are the same, and what it says about them. */
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { diffRecordings } from '../../src/judges/sameness.ts'
import { renderers } from '../../src/report/renderers.ts'
import { diffReport } from '../../src/run/diff-report.ts'
import { recorded, recording } from './_recorded.ts'

type Calls = readonly Promise<Exchange>[]

const diff = async (before: Calls, after: Calls) =>
  diffRecordings(await recording('a.har', ...before), await recording('b.har', ...after))

/** `POST … {"messages":[]}: 400 → 200`. */
async function changes(before: Calls, after: Calls): Promise<string[]> {
  const { differences } = await diff(before, after)
  return differences.map(({ what, place, before: was, after: is }) =>
    what === 'status' ? `${was} → ${is}` : `${what} ${place}: ${was} → ${is}`,
  )
}

const said = (text: string) => [{ role: 'user', content: text }]
const hi = { model: 'm', messages: said('Hi') }
const empty = { model: 'm', messages: [] }
const chat = (body: object, status = 200, more: object = {}) =>
  recorded({ body, ...more }, { status, body: status < 400 ? { id: 'c' } : { error: { message: 'no' } } })

describe('equal requests', () => {
  it('are those with equal values, and not all with equal fields', async () => {
    const before = [chat(hi), chat(empty, 400)]
    expect(await changes(before, [chat(hi), chat(empty)])).toEqual(['400 → 200'])
    expect(await changes(before, [chat(hi, 400), chat(empty, 400)])).toEqual(['200 → 400'])
    expect(await changes(before, [chat(empty, 400), chat(hi)])).toEqual([])
    const swapped = await changes([chat(hi, 404), chat(empty, 400)], [chat(hi, 400), chat(empty, 404)])
    expect(swapped).toEqual(['404 → 400', '400 → 404'])
  })

  it('have an API key or have none, if both recordings show keys', async () => {
    const open = { key: false }
    const before = [chat(hi), chat(hi, 401, open)]
    expect(await changes(before, [chat(hi), chat(hi, 200, open)])).toEqual(['401 → 200'])
    expect(await changes([chat(hi)], [chat(hi, 400, open)])).toEqual(['200 → 400'])
  })

  it('may differ in ids of earlier responses, times, UUIDs, boundaries and file names', async () => {
    const calls = (id: string, at: string, uuid: string): Calls => {
      const form = new FormData()
      form.set('model', 'm')
      form.set('image', new File(['image'], `${id}.png`, { type: 'image/png' }))
      const stream = `data: {"choices":[{"index":0,"delta":{"content":"Hello ${id}"}}]}\n\n`
      const job = { path: `/v1/tob/job/${id}`, method: 'GET' }
      return [
        recorded({ path: '/v1/tob/diffusion', body: { text: 'a cat' } }, { body: { id } }),
        recorded(job, { body: { id } }),
        recorded({ path: '/v1/tob/job/none', method: 'GET' }, { status: 404 }),
        recorded({ path: '/v1/tob/pan', body: { jobId: id } }, { body: { id: `${id}2` } }),
        recorded({ path: '/v1/images/edits', body: form }, {}),
        recorded({ body: { ...hi, stream: true } }, { body: stream }),
        chat({ model: 'm', messages: [...said('Hi'), { role: 'assistant', content: `Hello ${id}` }] }),
        chat({ model: 'm', messages: said(`It is ${at}.`), user: uuid }),
      ]
    }
    const before = calls('j-1', '2026-01-31T12:00:00Z', 'c0ffee00-0000-4000-8000-000000000001')
    const after = calls('q-7', '2026-02-28T13:01:00Z', 'c0ffee00-0000-4000-8000-000000000002')
    const broken = after.map(async (call): Promise<Exchange> => {
      const { response, ...exchange } = await call
      return { ...exchange, response: { ...(response as NonNullable<typeof response>), status: 418 } }
    })
    expect(await changes(before, after)).toEqual([])
    const { differences } = await diff(before, broken)
    const requests = differences.filter(({ what }) => what === 'status').flatMap((one) => one.requests)
    // Each is compared with its own counterpart.
    expect(requests.every(({ before: was, after: is }) => was.slice(6) === is.slice(6))).toBe(true)
    expect(requests).toHaveLength(before.length)
  })

  it('that are repeated are compared in order, unless one is repeated more often', async () => {
    const remove = (status: number) => recorded({ path: '/v1/videos/v1/remix', method: 'POST' }, { status })
    expect(await changes([remove(200), remove(404)], [remove(200), remove(200)])).toEqual(['404 → 200'])
    const content = (status: number) => recorded({ path: '/v1/videos/v1/content', method: 'GET' }, { status })
    const slow = [content(404), content(404), content(200)]
    expect(await changes(slow, [content(404), content(200)])).toEqual([])
    expect(await changes(slow, [content(404), content(200), content(200)])).toEqual([])
    expect(await changes(slow, [content(404), content(500)])).toEqual(['200 → 500'])
  })

  it('fall back to those with equal fields', async () => {
    const other = { model: 'm', messages: said('Other text') }
    expect(await changes([chat(hi)], [chat(other, 400)])).toEqual(['200 → 400'])
    expect(await changes([chat(hi), chat(empty, 400)], [chat(other, 400), chat(empty, 400)])).toEqual([])
    const { differences, notes, compared } = await diff([chat(hi)], [chat({ ...hi, n: 1 })])
    expect({ differences, compared }).toEqual({ differences: [], compared: 0 })
    expect(notes).toEqual(
      ['first', 'second'].map(
        (which) =>
          `not compared: 1 request of the ${which} recording, without a request with the same fields in ` +
          'the other recording',
      ),
    )
  })
})

describe('the responses to equal requests', () => {
  it('show a missing field, although other requests have it; an optional one is no difference', async () => {
    const call = (body: object, usage?: object) => recorded({ body }, { body: { id: 'c', usage } })
    const both = [call(hi, {}), call(empty, {})]
    expect(await changes(both, [call(hi, {}), call(empty)])).toEqual(['removed /usage: object → absent'])
    expect(await changes([call(hi, {}), call(empty)], [call(hi), call(empty, {})])).toEqual([])
  })

  it('show a timestamp that is no longer in seconds', async () => {
    const call = (created: number) => recorded({ body: hi }, { body: { created, seed: created } })
    expect(await changes([call(1_790_000_000)], [call(1_790_000_000_000)])).toEqual([
      'type /created: number → number (not Unix seconds)',
    ])
    expect(await changes([call(1_790_000_000)], [call(1_890_000_000)])).toEqual([])
    const chunk = (created: number) =>
      recorded({ body: { ...hi, stream: true } }, { body: `data: {"created":${created},"choices":[]}\n\n` })
    expect(await changes([chunk(1_790_000_000_000)], [chunk(1_790_000_000)])).toEqual([
      'type event /created: number (not Unix seconds) → number',
    ])
    const video = (at: number | null) =>
      recorded({ path: '/v1/videos/v1', method: 'GET' }, { body: { completed_at: at } })
    expect(await changes([video(1_790_000_000)], [video(1_790_000_000_000)])).toHaveLength(1)
  })

  it('show a JSON body in place of a stream', async () => {
    const call = (body: unknown) => recorded({ body: { ...hi, stream: true } }, { body })
    expect(await changes([call('data: {}\n\n')], [call({})])).toEqual([
      'header content-type: text/event-stream → application/json',
    ])
  })

  it('with another status show the error type and code', async () => {
    const call = (status: number, type: string, code: number) =>
      recorded({ body: empty }, { status, body: { error: { message: 'no', type, code } } })
    expect(
      await changes([call(400, 'invalid_request_error', 400)], [call(422, 'unprocessable', 422)]),
    ).toEqual([
      '400 → 422',
      'values /error/type: invalid_request_error → unprocessable',
      'values /error/code: 400 → 422',
    ])
    expect(await changes([call(400, 'bad', 400)], [call(422, 'bad', 400)])).toEqual(['400 → 422'])
  })
})

describe('requests that are not compared', () => {
  it('are rate-limited; a retry is compared', async () => {
    const limited = 'not compared: 1 request of the second recording, rate-limited (429)'
    for (const status of [200, 401])
      expect(await diff([chat(hi, status)], [chat(hi, 429)])).toMatchObject({
        ...{ differences: [], notes: [limited], compared: 0 },
      })
    expect(await diff([chat(hi)], [chat(hi, 429), chat(hi)])).toMatchObject({ notes: [limited], compared: 1 })
    const two = [chat(hi), chat(empty, 400)]
    expect(await changes(two, [chat(hi, 429), chat(hi, 503), chat(empty, 400)])).toEqual(['200 → 503'])
  })

  it('are all, if the gateway was not available in one recording', async () => {
    const [open, models] = [
      chat(hi, 401, { key: false }),
      recorded({ path: '/v1/models', method: 'GET' }, {}),
    ]
    const down = [models, open, chat(hi, 503), chat(empty, 500), chat(hi, 503), recorded({}, undefined)]
    const outage = (which: string) => ({
      ...{ version: 1, differences: [], notes: [], compared: 0 },
      outage: `the gateway was not available in the ${which} recording (503, 500, no response)`,
    })
    const up = [models, open, chat(hi), chat(empty, 400)]
    expect(await diff(up, down)).toEqual(outage('second'))
    expect(await diff(down, up)).toEqual(outage('first'))
    expect(await diff(up, [models, open, recorded({}, undefined)])).toHaveProperty('outage')
    expect(await diff(up, [...down, chat(empty, 400)])).not.toHaveProperty('outage')
  })

  it('do not count, and neither do requests that are not in the contract', async () => {
    const models = recorded({ path: '/v1/models', method: 'GET' }, { body: { data: [] } })
    expect(await diff([models, chat(hi)], [models, chat(hi, 429)])).toMatchObject({ compared: 0 })
    expect(await diff([models], [models])).toMatchObject({ compared: 1 })
  })

  it('got no response', async () => {
    const { notes } = await diff([chat(hi)], [chat(hi), recorded({ body: empty }, undefined)])
    expect(notes).toEqual(['not compared: 1 request of the second recording, without a response'])
  })
})

describe('a difference', () => {
  it('names its requests with their entries', async () => {
    const open = { key: false } as const
    const video = { path: '/v1/videos/v1', method: 'GET' }
    const long = { model: 'm', messages: said('x'.repeat(100)) }
    const prompts = [1, 2, 3, 4, 5].map((n) => ({ model: 'm', messages: said(`${n}`) }))
    const found = await diff(
      [
        recorded({ ...video, ...open }, { status: 401 }),
        chat(empty, 400),
        chat(long),
        ...prompts.map((one) => chat(one)),
      ],
      [
        recorded({ ...video, ...open }, {}),
        chat(empty, 422),
        chat(long, 500),
        ...prompts.map((one) => chat(one, 500)),
      ],
    )
    expect(renderers.text(diffReport(found, 'a and b'))).toBe(
      [
        'gateway-sim diff: a and b',
        '',
        'videos.retrieve:',
        '  ✗ status 401 → 200',
        '      GET /v1/videos/v1, without an API key (a.har, entry 1; b.har, entry 1)',
        '',
        'chat.create:',
        '  ✗ status 400 → 422',
        '      POST /v1/chat/completions {"model":"m","messages":[]} (a.har, entry 2; b.har, entry 2)',
        '  ✗ status 200 → 500',
        '      POST /v1/chat/completions',
        `      {"model":"m","messages":[{"role":"user","content":"${'x'.repeat(29)}… (a.har,`,
        '      entry 3; b.har, entry 3)',
        ...[1, 2, 3, 4].flatMap((n) => [
          `      POST /v1/chat/completions {"model":"m","messages":[{"role":"user","content":"${n}"}]} (a.har,`,
          `      entry ${n + 3}; b.har, entry ${n + 3})`,
        ]),
        '      and 1 more request',
        '',
        '3 differences in 2 compared operations',
        '',
      ].join('\n'),
    )
    expect(found.differences[1]).toMatchObject({
      requests: [
        {
          request: 'POST /v1/chat/completions {"model":"m","messages":[]}',
          before: 'a.har, entry 2',
          after: 'b.har, entry 2',
        },
      ],
    })
  })

  it('names the requests that show a changed type, not the first ones of their group', async () => {
    const error = (status: number, error: unknown) => recorded({ body: hi }, { status, body: { error } })
    const before = [error(401, 'unauthorized'), error(404, { code: 'none' })]
    const { differences } = await diff(before, [error(401, 'unauthorized'), error(404, { code: 404 })])
    expect(differences.find(({ what }) => what === 'type')).toMatchObject({
      place: 'rejection /error/code',
      requests: [{ before: expect.stringMatching(/entry 2$/), after: expect.stringMatching(/entry 2$/) }],
    })
  })
})
