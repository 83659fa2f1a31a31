import { describe, expect, it } from 'vitest'
import { serviceGroups } from '../../../src/endpoints/registry.ts'
import { type Exchange, textBody } from '../../../src/exchange/exchange.ts'
import { createSchemaJudge } from '../../../src/judges/contract/judge-response.ts'
import { callOf } from '../../../src/judges/judged-calls.ts'
import { createRouter } from '../../../src/protocol/router.ts'

const { routes } = createRouter(serviceGroups)
const judgeSchema = createSchemaJudge()

interface Sent {
  readonly status?: number
  readonly type?: string
  readonly text?: string
  readonly events?: readonly unknown[]
  readonly redacted?: readonly string[]
  readonly method?: string
}

function judge(operation: string, body: unknown, sent: Sent = {}) {
  const { status = 200, type, text, events, redacted = [], method } = sent
  const route = routes.find(({ endpoint }) => endpoint.operation === operation)
  if (route === undefined) throw new Error(`no operation ${operation}`)
  const usual = events === undefined ? 'application/json; charset=utf-8' : 'text/event-stream'
  const data = (event: unknown): string => (typeof event === 'string' ? event : JSON.stringify(event))
  const response = {
    status,
    headers: [['content-type', type ?? usual]] as const,
    body: textBody(text ?? JSON.stringify(body) ?? ''),
    events: events?.map((event) => ({ at: 0, data: data(event) })),
  }
  const exchange = {
    seq: 7,
    request: { method: method ?? route.endpoint.method, url: 'http://gateway.test', headers: [] },
    redacted: redacted.map((place) => `response:${place}`),
  } as unknown as Exchange
  return judgeSchema(
    callOf(exchange, response, { route, params: {}, request: { stream: events !== undefined } }),
  )
}

/** As `error missing-value /urls`. */
const found = (...call: Parameters<typeof judge>): string[] =>
  judge(...call).map(({ severity, code, evidence: [{ place }] }) =>
    [severity, code, place.where === 'body' || place.where === 'stream' ? place.pointer : place.where]
      .join(' ')
      .trim(),
  )

/** A chat with these choices. */
const chat = {
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
}
const message = {
  id: 'a',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
}
const job = { id: 'j', status: 1, urls: [], comment: '' }
const video = { id: 'v', object: 'video', status: 'pending', progress: 0 }
const rejected = { error: { code: 2004, message: 'no', details: [{ code: 1, message: 'x' }], trace_id: 't' } }
const evaluated = { model: 'm', answers: { a: { noul: 0.5 } }, usage: { input_tokens: 1, output_tokens: 0 } }

describe('a gateway that keeps the contract', () => {
  it('answers HEAD, and what has not changed, without a body', () => {
    for (const status of [200, 304, 401])
      expect(found('models.list', undefined, { method: 'HEAD', status, text: '' })).toEqual([])
    expect(found('models.list', undefined, { status: 304, text: '' })).toEqual([])
  })

  // Fields that may be missing: `test/check/fields.thorough.test.ts`.
  const kept: Readonly<Record<string, [operation: string, body: unknown, sent?: Sent]>> = {
    'rejects an image job without type and param': ['imageJobs.pan', rejected, { status: 400 }],
    'has metadata without fields': ['videoOperations.retrieve', { name: 'o', metadata: {}, done: false }],
    'answers a done operation in one dialect': [
      'videoOperations.retrieve',
      {
        name: 'o',
        metadata: {},
        done: true,
        response: { generatedVideos: [{ uri: 'gs://a/b', createTime: '2026-01-02T03:04:05.123456Z' }] },
      },
    ],
    'sends a video of eleven seconds': ['videos.create', { ...video, seconds: '11', size: '1280x720' }],
    'sends blocks of other kinds': [
      'messages.create',
      {
        ...message,
        content: [
          { type: 'server_tool_use', name: 'x' },
          { type: 'text', text: 'hi', citations: null },
        ],
      },
    ],
    'has a finish reason of its own': [
      'chat.create',
      { ...chat, choices: [{ message: { content: null }, finish_reason: 'eos', logprobs: null }] },
    ],
    'answers decisions without type': [
      'systemone.evaluate',
      {
        ...evaluated,
        answers: {
          a: { noul: 1 },
          b: { choice: 'x', probabilities: { x: 1 }, confidence: 1 },
          c: { score: 2.5, legend: { 0: 'low', 1: 'high' }, probabilities: { 0: 0.5, 1: 0.5 } },
        },
        upstream_extra: 1,
      },
    ],
    'sends an image in base64': ['images.generate', { created: 1, data: [{ b64_json: 'aa' }] }],
    'names a storage of another vendor': [
      'files.createUploadUrl',
      { upload_url: 'https://s/x', method: 'PUT', path: 'oss2://b/x', visit_url: 'https://s/x' },
    ],
    'has a job without addresses': ['imageJobs.retrieve', { ...job, urls: null, cost: null }],
    'streams an error': [
      'chat.create',
      undefined,
      { events: [{ choices: [{ index: 0, delta: {} }] }, { error: { code: 500, message: 'x' } }] },
    ],
  }
  for (const [name, call] of Object.entries(kept))
    it(name, () => {
      expect(judge(...call)).toEqual([])
    })
})

describe('finds', () => {
  // Fields that are missing, of another type or outside their values: `test/check/fields.thorough.test.ts`.
  const wrong: Readonly<Record<string, [string[], operation: string, body: unknown, sent?: Sent]>> = {
    'what no client can do without': [
      ['warning missing-value /choices'],
      'chat.create',
      { ...chat, choices: undefined },
    ],
    'no images at all': [['warning wrong-value /data'], 'images.generate', { created: 1, data: [] }],
    'a field that the contract does not name': [
      ['hint extra-field /extra'],
      'chat.create',
      { ...chat, extra: 1 },
    ],
    'a field that only clients know, of another type': [
      ['warning wrong-type /choices/0/message/reasoning_content'],
      'chat.create',
      { ...chat, choices: [{ message: { content: 'a', reasoning_content: 1 } }] },
    ],
    'another status': [['error wrong-status status'], 'chat.create', chat, { status: 201 }],
    'another status, and what is in the body': [
      ['error wrong-status status', 'error wrong-type /id'],
      'chat.create',
      { ...chat, id: 7 },
      { status: 202 },
    ],
    'another status without a body': [
      ['error wrong-status status'],
      'chat.create',
      undefined,
      { status: 204, text: '' },
    ],
    'a redirect': [['error wrong-status status'], 'chat.create', undefined, { status: 302, text: 'moved' }],
    'another content type': [['error wrong-value headers'], 'chat.create', chat, { type: 'text/plain' }],
    'a page': [
      ['error wrong-value headers'],
      'chat.create',
      undefined,
      { type: 'text/html', text: '<html>' },
    ],
    'no JSON': [['error wrong-format'], 'chat.create', undefined, { text: '{"id":' }],
    'a refusal without envelope': [
      ['error wrong-envelope'],
      'chat.create',
      { message: 'no' },
      { status: 404 },
    ],
    'a page as a refusal': [
      ['error wrong-envelope'],
      'chat.create',
      undefined,
      { status: 502, type: 'text/html', text: '<html>' },
    ],
    'an event that is no JSON': [['error wrong-format'], 'chat.create', undefined, { events: ['{'] }],
    'a response that is no stream': [
      ['error wrong-value headers'],
      'chat.create',
      undefined,
      { events: [], type: 'application/json' },
    ],
  }
  for (const [name, [expected, ...call]] of Object.entries(wrong))
    it(name, () => {
      expect(found(...call)).toEqual(expected)
    })

  it('the same in every item of a list once, at the first place', () => {
    const choices = [1, 2, 3].map((content) => ({ message: { content } }))
    expect(found('chat.create', { ...chat, choices })).toEqual([
      'error wrong-type /choices/0/message/content',
    ])
  })

  it('the same under every name of a map once', () => {
    const answers = { a: { noul: 2 }, b: { noul: 3 }, c: { noul: 1 } }
    expect(found('systemone.evaluate', { ...evaluated, answers })).toEqual([
      'error wrong-value /answers/a/noul',
    ])
  })

  it('nothing in what was taken out', () => {
    const target = { upload_url: 'redacted', method: 'PUT', path: 'cos://b/x', visit_url: 'https://s/x' }
    expect(found('files.createUploadUrl', target)).toEqual(['error wrong-format /upload_url'])
    expect(found('files.createUploadUrl', target, { redacted: ['/upload_url'] })).toEqual([])
  })

  it('nothing but doubt in operations that the contract does not name', () => {
    expect(found('videos.list', { object: 'page', data: [] })).toEqual(['warning wrong-value /object'])
  })

  it('says what the contract says, and where', () => {
    expect(judge('videos.create', { ...video, status: 'queued' })).toEqual([
      {
        code: 'wrong-value',
        severity: 'error',
        args: {
          operation: 'videos.create',
          expected: 'one of "pending", "in_progress", "completed", "failed"',
          got: '"queued"',
        },
        evidence: [{ exchange: 7, place: { where: 'body', pointer: '/status' } }],
      },
    ])
  })
})
