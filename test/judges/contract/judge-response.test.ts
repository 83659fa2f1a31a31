import { describe, expect, it } from 'vitest'
import { serviceGroups } from '../../../src/endpoints/registry.ts'
import {
  createJudge,
  type JudgedRequest,
  type JudgedResponse,
} from '../../../src/judges/contract/judge-response.ts'
import { createRouter } from '../../../src/protocol/router.ts'

const { routes } = createRouter(serviceGroups)
const judgeResponse = createJudge()

interface Sent {
  readonly status?: number
  readonly type?: string
  readonly text?: string
  readonly events?: readonly unknown[]
  readonly redacted?: readonly string[]
  readonly method?: string
}

function judge(operation: string, body: unknown, sent: Sent = {}) {
  const { status = 200, type, text, events, redacted, method } = sent
  const route = routes.find(({ endpoint }) => endpoint.operation === operation)
  if (route === undefined) throw new Error(`no operation ${operation}`)
  const response: JudgedResponse = {
    status,
    headers: new Headers({
      'content-type':
        type ?? (events === undefined ? 'application/json; charset=utf-8' : 'text/event-stream'),
    }),
    body: text ?? JSON.stringify(body),
    events: events?.map((data) => ({ data: typeof data === 'string' ? data : JSON.stringify(data) })),
    redacted: redacted ?? [],
  }
  const request: JudgedRequest = { method: method ?? route.endpoint.method, streams: events !== undefined }
  return judgeResponse(route, response, request)
}

/** As `breaking missing /urls`. */
const found = (...call: Parameters<typeof judge>): string[] =>
  judge(...call).map(({ severity, kind, pointer, where }) =>
    [severity, kind, where === 'body' || where === 'stream' ? pointer : where].join(' ').trim(),
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
      ['doubtful missing /choices'],
      'chat.create',
      { ...chat, choices: undefined },
    ],
    'no images at all': [['doubtful value /data'], 'images.generate', { created: 1, data: [] }],
    'a field that the contract does not name': [
      ['addition extra /extra'],
      'chat.create',
      { ...chat, extra: 1 },
    ],
    'a field that only clients know, of another type': [
      ['doubtful type /choices/0/message/reasoning_content'],
      'chat.create',
      { ...chat, choices: [{ message: { content: 'a', reasoning_content: 1 } }] },
    ],
    'another status': [['breaking status status'], 'chat.create', chat, { status: 201 }],
    'another status, and what is in the body': [
      ['breaking status status', 'breaking type /id'],
      'chat.create',
      { ...chat, id: 7 },
      { status: 202 },
    ],
    'another status without a body': [
      ['breaking status status'],
      'chat.create',
      undefined,
      { status: 204, text: '' },
    ],
    'a redirect': [['breaking status status'], 'chat.create', undefined, { status: 302, text: 'moved' }],
    'another content type': [['breaking value headers'], 'chat.create', chat, { type: 'text/plain' }],
    'a page': [['breaking value headers'], 'chat.create', undefined, { type: 'text/html', text: '<html>' }],
    'no JSON': [['breaking format'], 'chat.create', undefined, { text: '{"id":' }],
    'a refusal without envelope': [['breaking envelope'], 'chat.create', { message: 'no' }, { status: 404 }],
    'a page as a refusal': [
      ['breaking envelope'],
      'chat.create',
      undefined,
      { status: 502, type: 'text/html', text: '<html>' },
    ],
    'an event that is no JSON': [['breaking format'], 'chat.create', undefined, { events: ['{'] }],
    'a response that is no stream': [
      ['breaking value headers'],
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
    expect(found('chat.create', { ...chat, choices })).toEqual(['breaking type /choices/0/message/content'])
  })

  it('the same under every name of a map once', () => {
    const answers = { a: { noul: 2 }, b: { noul: 3 }, c: { noul: 1 } }
    expect(found('systemone.evaluate', { ...evaluated, answers })).toEqual(['breaking value /answers/a/noul'])
  })

  it('nothing in what was taken out', () => {
    const target = { upload_url: 'redacted', method: 'PUT', path: 'cos://b/x', visit_url: 'https://s/x' }
    expect(found('files.createUploadUrl', target)).toEqual(['breaking format /upload_url'])
    expect(found('files.createUploadUrl', target, { redacted: ['/upload_url'] })).toEqual([])
  })

  it('nothing but doubt in operations that the contract does not name', () => {
    expect(found('videos.list', { object: 'page', data: [] })).toEqual(['doubtful value /object'])
  })

  it('says what the contract says, and where', () => {
    expect(judge('videos.create', { ...video, status: 'queued' })).toEqual([
      {
        operation: 'videos.create',
        section: 'contract 2.3',
        where: 'body',
        pointer: '/status',
        kind: 'value',
        severity: 'breaking',
        expected: 'one of "pending", "in_progress", "completed", "failed"',
        got: '"queued"',
      },
    ])
  })
})
