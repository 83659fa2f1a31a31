import { describe, expect, it } from 'vitest'
import type { ScenarioInput, SimulatorOptions } from '../../src/index.ts'
import { type FinishWord, finishWords } from '../../src/protocol/script.ts'
import { defaultKey } from '../../src/scenario/load/scenario-set.ts'
import { errors, paced, replay, streamed } from './_replay.ts'

const video = {
  call: 'videos.create',
  with: { model: 'video-1', prompt: 'a sunset over the sea' },
  save: { video: 'body.id' },
}
const look = { call: 'videos.retrieve', with: { video_id: '${video}' } }
const hi = { messages: [{ role: 'user', content: 'Hi' }] }
const chat = { call: 'chat.create', with: { model: 'gpt-4o', ...hi } }
const submit = { call: 'videoOperations.submit', with: { model: 'veo-1', instances: [{ prompt: 'a cat' }] } }
const until = (status: string) => ({ waitFor: { body: { status } } })

describe('a request', () => {
  it('is sent as a client would send it: path, query, body, key and the version header of messages', async () => {
    const { steps } = await replay([
      chat,
      {
        call: 'messages.create',
        key: 'sk-bob',
        with: { model: 'm-1', max_tokens: 20, ...hi },
        headers: { 'X-Trace': 'a' },
      },
      { call: 'videos.list', with: { limit: 2 } },
      { ...submit, key: '', expect: { status: 401 } },
    ])
    const sent = steps.map(({ exchanges }) => exchanges[0]?.sent)
    expect(sent.map((request) => [request?.method, request?.url, request?.key])).toEqual([
      ['POST', 'http://gateway.test/v1/chat/completions', 'sk-scenario'],
      ['POST', 'http://gateway.test/v1/messages', 'sk-bob'],
      ['GET', 'http://gateway.test/v1/videos?limit=2', 'sk-scenario'],
      ['POST', 'http://gateway.test/v1beta/models/veo-1:predictLongRunning', undefined],
    ])
    expect(sent[1]?.init.headers).toEqual({
      'x-api-key': 'sk-bob',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      'x-trace': 'a',
    })
    expect(sent[3]?.body).toEqual({ json: { instances: [{ prompt: 'a cat' }] } })
    expect(steps.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed', 'passed'])
  })

  it('is a form if the operation requires a form, if a field is a file, or if the step sets `form`', async () => {
    const video = { model: 'video-1', prompt: 'a wave' }
    const image = [{ image: { width: 8, height: 8 } }, { image: { width: 9, height: 8 }, filename: 'b.png' }]
    const report = await replay([
      { call: 'images.edit', with: { model: 'gpt-image-1', prompt: 'a hat', image } },
      {
        call: 'videos.create',
        with: { ...video, input_reference: { image: { width: 720, height: 1280 } } },
      },
      { call: 'videos.create', form: true, with: { ...video, seconds: 4 } },
    ])
    expect(errors(report)).toEqual([])
    const forms = report.steps.map(({ exchanges }) => {
      const sent = exchanges[0]?.sent.body as { form: Record<string, string>[] } | undefined
      return sent?.form.map(({ name, filename, value }) => `${name}=${filename ?? value}`)
    })
    expect(forms).toEqual([
      ['model=gpt-image-1', 'prompt=a hat', 'image[]=image.png', 'image[]=b.png'],
      ['model=video-1', 'prompt=a wave', 'input_reference=input_reference.png'],
      ['model=video-1', 'prompt=a wave', 'seconds=4'],
    ])
  })

  it('fetches a URL of the gateway with a key if the step names one', async () => {
    const report = await replay([
      { ...submit, save: { name: 'body.name' } },
      { fetch: '/v1beta/${name}', key: defaultKey, expect: { body: { done: false } } },
      { fetch: '/v1beta/${name}', expect: { status: 401 } },
    ])
    expect(errors(report)).toEqual([])
    expect(report.steps[1]?.exchanges[0]?.sent).toMatchObject({
      key: defaultKey,
      headers: {},
      init: { headers: { authorization: `Bearer ${defaultKey}` } },
    })
  })

  it('uploads bytes to a URL from a response, and downloads them again', async () => {
    const report = await replay([
      {
        call: 'files.createUploadUrl',
        with: { path: 'images/cat.txt' },
        save: { upload: 'body.upload_url', visit: 'body.visit_url', target: 'body' },
      },
      {
        fetch: '${upload}',
        method: 'PUT',
        content: { text: 'meow' },
        expect: { status: 200, headers: { ETag: { exists: true } } },
      },
      {
        fetch: '${visit}',
        expect: { text: 'meow', bytes: 4, headers: { 'content-type': 'text/plain', 'content-length': 4 } },
      },
      { fetch: '${target.visit_url}', expect: { text: 'moo' } },
    ])
    expect(errors(report)).toEqual(['4 text: expected "moo", got "meow"'])
  })
})

describe('expectations', () => {
  it('are reported field by field, with the actual value', async () => {
    const report = await replay([
      video,
      {
        ...look,
        expect: {
          status: 201,
          headers: { 'content-type': { startsWith: 'text/' } },
          body: {
            status: 'completed',
            model: { regex: '^video-\\d$' },
            progress: { gt: 10 },
            nothing: { exists: false },
          },
        },
      },
    ])
    expect(errors(report)).toEqual([
      '2 status: expected 201, got 200',
      '2 headers.content-type: expected a string starting with "text/", got "application/json"',
      '2 body.status: expected "completed", got "pending"',
      '2 body.progress: expected more than 10, got 0',
    ])
  })

  it('require success by default: a rejection fails the step', async () => {
    const report = await replay([
      { call: 'videos.retrieve', with: { video_id: 'video_none' } },
      { call: 'videos.retrieve', with: { video_id: 'video_none' }, expect: { status: 404 } },
      streamed('sim-disconnect-after-3'),
      streamed('sim-missing-end'),
      streamed('sim-error-after-2'),
    ])
    expect(errors(report)).toEqual([
      expect.stringMatching(/^1 status: expected a status below 400 \(the default\), got 404 "/),
      '3 stream.ended: expected completed, got disconnected (terminated: a fault disconnected the client)',
      '4 stream.ended: expected completed, got no-end-marker',
      expect.stringMatching(
        /^5 stream\.error: expected no error event, got "The server had an error while streaming/,
      ),
    ])
  })

  it('fail if a value to save is missing, and steps that need the value are skipped', async () => {
    const report = await replay([
      { ...video, save: { video: 'body.nothing.id' } },
      { ...look, name: 'a look' },
      { advance: '1s' },
    ])
    expect(errors(report)).toEqual([
      expect.stringMatching(
        /^1 body\.nothing\.id: expected a value to save as "video", got nothing: body is \{"id":"video_/,
      ),
    ])
    expect(report.steps.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['failed', undefined],
      ['skipped', 'the step needs ${video}, which no earlier step has saved'],
      ['passed', undefined],
    ])
    expect(report).toMatchObject({ outcome: 'failed', counts: { passed: 1, failed: 1, skipped: 1 } })
  })

  it('lists the status changes of an advance, or the progress changes if there are no status changes', async () => {
    const timeline = [
      { at: '0s', status: 'pending' },
      { at: '5s', status: 'in_progress', progress: 10 },
      { at: '9s', progress: 60 },
      { at: '20s', status: 'completed' },
    ]
    const given = {
      title: 'slow',
      rules: [{ when: { operation: 'videos.create' }, then: { timeline } }],
    } as ScenarioInput
    const shown = async (advance: string): Promise<unknown> =>
      (await replay([video, { advance: '6s' }, { advance }], { scenarios: [given] })).steps[2]?.changed
    expect(await shown('1d')).toEqual([expect.stringMatching(/^video video_\w+: in_progress → completed$/)])
    expect(await shown('5s')).toEqual([expect.stringMatching(/^video video_\w+: in_progress → in_progress$/)])
  })
})

describe('virtual time', () => {
  it('advances only while a step waits, and a day of polls takes no real time', async () => {
    const report = await replay([
      video,
      look,
      { ...look, ...until('completed'), interval: '5s', timeout: '1d' },
      { advance: '86340s' },
      { ...look, expect: { body: { expires_at: { gt: 0 } } } },
    ])
    expect(errors(report)).toEqual([])
    expect(report.steps.map(({ at, exchanges }) => [at, exchanges.length])).toEqual([
      [0, 1],
      [0, 1],
      [0, 13],
      [60_000, 0],
      [86_400_000, 1],
    ])
  })

  it('advances to the next event of a stream: each event has its own time', async () => {
    const expected = [{ elapsed: 300 }, { elapsed: 340 }, { index: 'last' as const, data: '[DONE]' }]
    const report = await replay([{ ...streamed(), expect: { took: 0, stream: { events: expected } } }], paced)
    expect(errors(report)).toEqual([])
    const events = report.steps[0]?.exchanges[0]?.response?.events?.map(({ at }) => at) ?? []
    expect(events.slice(0, 3)).toEqual([300, 340, 380])
    expect(report.end - report.start).toBe(events.at(-1))
  })

  it('does not advance for a stalled stream, because nothing more is due', async () => {
    const report = await replay(
      [{ ...streamed('sim-stall-after-2'), expect: { stream: { eventCount: 2, ended: 'stalled' } } }],
      paced,
    )
    expect(errors(report)).toEqual([])
    expect(report.end - report.start).toBe(340)
  })

  it('ends `waitFor` after its timeout, and reports what did not match', async () => {
    const report = await replay([
      { ...video, with: { model: 'sim-stuck', prompt: 'x' } },
      { ...look, ...until('completed'), interval: '1s', timeout: '3s' },
    ])
    expect(errors(report)).toEqual([
      '2 waitFor: expected a match within 3s, got 4 requests without a match',
      '2 body.status: expected "completed", got "pending"',
    ])
  })
})

describe('a stream', () => {
  it('is described with the same fields for every API', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }]
    const thinking = { type: 'enabled', budget_tokens: 1024 }
    const streaming = (call: string, asked: object, stream: object) => ({
      ...{ call, with: { model: 'gpt-4o', stream: true, ...hi, ...asked }, expect: { stream } },
    })
    const called = { name: 'get_weather', arguments: { city: { exists: true } } }
    const report = await replay([
      streaming(
        'chat.create',
        { tools, tool_choice: 'required' },
        { toolCalls: [called], finish: 'tool_calls', ended: 'completed' },
      ),
      streaming(
        'chat.create',
        { stream_options: { include_usage: true } },
        { text: { length: { gt: 3 } }, usage: { prompt_tokens: { gt: 0 } }, finish: 'stop' },
      ),
      streaming(
        'messages.create',
        { max_tokens: 4000, thinking },
        {
          ...{ reasoning: { length: { gt: 0 } }, text: { length: { gt: 3 } } },
          ...{ usage: { output_tokens: { gt: 1 } }, finish: 'end_turn' },
          events: [
            { event: 'message_start', data: { type: 'message_start' } },
            { index: 'last', event: 'message_stop' },
          ],
        },
      ),
      {
        call: 'images.generate',
        with: { model: 'gpt-image-1', prompt: 'a cat', stream: true, partial_images: 1 },
        expect: {
          stream: {
            ...{ eventCount: 2, usage: { total_tokens: { gt: 0 } } },
            events: [{ event: 'image_generation.partial_image' }],
          },
        },
      },
      { ...streamed('sim-error-after-2'), expect: { stream: { error: { type: 'api_error' } } } },
      { ...streamed('sim-refusal'), expect: { stream: { refusal: { contains: 'help' } } } },
    ])
    expect(errors(report)).toEqual([])
  })

  it('is aborted at the simulator when the client aborts it', async () => {
    const report = await replay(
      [{ ...streamed(), stopAfter: 3, expect: { stream: { eventCount: 3, ended: 'aborted' } } }],
      paced,
    )
    expect(errors(report)).toEqual([])
    expect(report.end - report.start).toBe(380)
  })

  it('is not a response of another content type', async () => {
    const report = await replay([{ call: 'videos.list', expect: { stream: { eventCount: 1 } } }])
    expect(errors(report)).toEqual([
      '1 stream: expected a stream of events, got a response with the content type application/json',
    ])
  })
})

describe('the finish reason of a stream', () => {
  const talk = (call: string, finish: unknown, content = 'Hi') => ({
    call,
    with: { model: 'm', max_tokens: 400, stream: true, messages: [{ role: 'user', content }] },
    expect: { stream: { finish }, ...(isRejection(call, finish) ? { offContract: true } : {}) },
  })
  // A fifth word for `stop_reason`, which the contract does not list.
  const isRejection = (call: string, finish: unknown): boolean =>
    call === 'messages.create' && JSON.stringify(finish).includes('content_filter')
  const calls = (finish: unknown) => ['chat.create', 'messages.create'].map((call) => talk(call, finish))
  const ending = (finish: FinishWord): SimulatorOptions => {
    const when = { operation: ['chat.create', 'messages.create'] as const }
    const then = { stream: { script: [{ text: 'well' }, { finish }] } }
    return { scenarios: [{ title: 'An end', rules: [{ when, then }] }] }
  }
  const wrong = async (steps: Parameters<typeof replay>[0], finish: FinishWord) =>
    errors(await replay(steps, ending(finish)))

  it.each(finishWords)('is %s for both chat and messages', async (finish) => {
    expect(await wrong([...calls(finish), ...calls({ anyOf: [finish, 'stop'] })], finish)).toEqual([])
    const found = await wrong(calls(finish === 'stop' ? 'length' : 'stop'), finish)
    expect(found.filter((line) => line.includes('stream.finish'))).toHaveLength(2)
  })

  it('can also be the value of the API', async () => {
    const words = [talk('messages.create', 'tool_use'), talk('chat.create', 'tool_calls')]
    expect(await wrong([...words, talk('messages.create', { not: 'end_turn' })], 'tool_calls')).toEqual([])
  })

  it('does not match `not` if either of its names is excluded', async () => {
    expect(await wrong(calls({ not: 'stop' }), 'stop')).toHaveLength(2)
  })
})
