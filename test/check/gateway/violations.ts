/**
 * Violations to plant into the gateway of the tests, one at a time; each is one change. Those of single
 * fields are made from the schemas: `fields.ts`.
 */
import { type Answer, type Asked, type Change, isRecord, type Sent } from './exchange.ts'

type Json = Readonly<Record<string, unknown>>
type Event = { readonly data: Json } & Sent

/** Changes the JSON of successful answers of one operation. */
function json(operation: string, change: (json: Json, seen: number, asked: Asked) => unknown): Change {
  return {
    answer: (answer, asked, seen) =>
      asked.operation === operation && answer.json !== undefined && answer.status === 200
        ? { ...answer, json: change(answer.json, seen, asked) as Json }
        : answer,
  }
}

/** Sets fields of the JSON of one operation. */
const sets = (operation: string, fields: Json): Change =>
  json(operation, (response) => ({ ...response, ...fields }))

/** Changes an object in the JSON of one operation. */
const within = (operation: string, name: string, change: (part: Json) => Json): Change =>
  json(operation, (response) => ({ ...response, [name]: change(response[name] as Json) }))

/** Changes the beginning of the path that an upload gets. */
const pathBegins = (scheme: string): Change =>
  json('upload_url', (target) => ({ ...target, path: String(target['path']).replace('cos://', scheme) }))

/** Changes the events of one operation. */
function stream(operation: string, change: (events: readonly Event[]) => readonly Sent[]): Change {
  return {
    answer: (answer, asked) =>
      asked.operation === operation && answer.events !== undefined
        ? { ...answer, events: change(answer.events as readonly Event[]) }
        : answer,
  }
}

/** Changes rejections. */
function rejection(
  change: (answer: Answer, asked: Asked) => Answer,
  only = (_asked: Asked): boolean => true,
): Change {
  return {
    answer: (answer, asked) => (answer.status >= 400 && only(asked) ? change(answer, asked) : answer),
  }
}

/** Changes whole answers. */
const whole = (applies: (answer: Answer, asked: Asked) => boolean, change: Partial<Answer>): Change => ({
  answer: (answer, asked) => (applies(answer, asked) ? { ...answer, ...change } : answer),
})

const isContent = ({ status }: Answer, { operation }: Asked): boolean =>
  operation === 'content' && status === 200
const readsFile =
  (prefix: string) =>
  (_answer: Answer, { operation, params }: Asked): boolean =>
    operation === 'read' && params['file']?.startsWith(prefix) === true

const without = (from: Json, name: string): Json =>
  Object.fromEntries(Object.entries(from).filter(([other]) => other !== name))

/** Replaces the first choice of a response or chunk. */
const choice = (from: Json, change: (choice: Json) => unknown): Json => {
  const [first, ...rest] = from['choices'] as Json[]
  return first === undefined ? from : { ...from, choices: [change(first), ...rest] }
}
const choices = (change: (all: readonly Json[]) => readonly Json[]): Change =>
  json('chat', (response) => ({ ...response, choices: change(response['choices'] as Json[]) }))
const ignoresToolChoice = (streams: boolean): Change => ({
  request: (asked) =>
    (asked.body['stream'] === true) === streams && asked.body['tool_choice'] === 'required'
      ? { ...asked, body: without(asked.body, 'tool_choice') }
      : asked,
})
const errorOf = ({ json: body }: Answer): Json => (body?.['error'] ?? {}) as Json
const withCode400 = (answer: Answer): Answer => ({
  ...answer,
  json: { error: { ...errorOf(answer), code: 400, details: [] } },
})
const delta = ({ data }: Event): Json | undefined =>
  ((data['choices'] as Json[] | undefined)?.[0]?.['delta'] as Json | undefined) ?? undefined
const answers = (change: (answer: Json) => Json): Change =>
  within('systemone', 'answers', (all) =>
    Object.fromEntries(Object.entries(all).map(([id, one]) => [id, change(one as Json)])),
  )
const at = (events: readonly Event[], type: string): number =>
  events.findIndex(({ data }) => data['type'] === type)
const jobs = ['upload-paint', 'retexture', 'pan', 'remove-background', 'variation', 'diffusion', 'job']
const isJob = ({ operation }: Asked): boolean => jobs.includes(operation)
const readsBody = ({ operation }: Asked): boolean => !['put', 'read', ''].includes(operation)

export const violations: Readonly<Record<string, Change>> = {
  'one choice whatever n asks for': {
    request: (asked) =>
      asked.operation === 'chat' && Number(asked.body['n']) > 1 && Number(asked.body['n']) <= 128
        ? { ...asked, body: without(asked.body, 'n') }
        : asked,
  },
  // Refusals.
  'no key needed': {
    request: (asked) => {
      if (asked.operation !== 'chat' || asked.headers.has('authorization')) return asked
      return { ...asked, headers: new Headers({ authorization: 'Bearer key-of-the-tests' }) }
    },
  },
  'crashes on bad input': rejection(
    (answer) => (answer.status === 400 ? { ...answer, status: 500 } : answer),
    ({ operation }) => operation === 'chat',
  ),
  'rejection without envelope': rejection((answer) => ({
    ...answer,
    json: { message: errorOf(answer)['message'] },
  })),
  'rejection as a page': rejection((answer) =>
    answer.status === 401 ? { status: 401, type: 'text/html', bytes: Buffer.from('<h1>401</h1>') } : answer,
  ),
  'error without message': rejection((answer) => ({
    ...answer,
    json: { error: without(answer.json?.['error'] as Json, 'message') },
  })),
  'image job rejected without trace id': rejection((answer) => {
    return { ...answer, json: { error: without(errorOf(answer), 'trace_id') } }
  }, isJob),
  'callback accepted': {
    request: (asked) => (isJob(asked) ? { ...asked, body: without(asked.body, 'callback') } : asked),
  },
  'callback with another code': rejection(withCode400, (asked) => isJob(asked) && 'callback' in asked.body),
  'another code for bad input': rejection(
    withCode400,
    (asked) => isJob(asked) && asked.method === 'POST' && !('callback' in asked.body),
  ),
  'every second call is rejected without envelope': {
    answer: (answer, asked, seen) =>
      readsBody(asked) && asked.operation === 'chat' && seen === 1
        ? { status: 429, type: 'text/plain', bytes: Buffer.from('slow down') }
        : answer,
  },

  // Chat.
  'chat: created as a date': sets('chat', { created: '2026-02-02T00:00:00Z' }),
  'chat: no fingerprint': json('chat', (response) => without(response, 'system_fingerprint')),
  'chat: as a page': whole(
    ({ json: body, status }, { operation }) => operation === 'chat' && body !== undefined && status === 200,
    { type: 'text/html' },
  ),
  'chat: usage does not add up': within('chat', 'usage', (usage) => ({ ...usage, total_tokens: 1 })),
  'chat: index from one': choices((all) => all.map((one, index) => ({ ...one, index: index + 1 }))),
  'chat: one choice too few': choices((all) => all.slice(0, 1)),
  'chat: no choices': choices(() => []),
  'chat: a tool that was not offered': choices((all) =>
    all.map((one) => {
      const message = one['message'] as Json
      const calls = message['tool_calls'] as Json[] | undefined
      const others = calls?.map((call) => ({
        ...call,
        function: { ...(call['function'] as Json), name: 'spy' },
      }))
      return others === undefined ? one : { ...one, message: { ...message, tool_calls: others } }
    }),
  ),
  'chat: tool_choice is ignored': ignoresToolChoice(false),
  'chat stream: tool_choice is ignored': ignoresToolChoice(true),
  'chat: arguments are no JSON': json('chat', (response) =>
    choice(response, (one) => {
      const message = one['message'] as Json
      const calls = message['tool_calls'] as Json[] | undefined
      if (calls === undefined) return one
      const broken = calls.map((call) => ({
        ...call,
        function: { ...(call['function'] as Json), arguments: '{"a":' },
      }))
      return { ...one, message: { ...message, tool_calls: broken } }
    }),
  ),

  // The stream of chat.
  'chat stream: no end marker': stream('chat', (events) => events.slice(0, -1)),
  'chat stream: two end markers': stream('chat', (events) => [...events, { data: '[DONE]' }]),
  'chat stream: role too late': stream('chat', (events) =>
    events.map((event) => {
      const spoken = delta(event)
      if (spoken === undefined || !('role' in spoken)) return event
      return { data: choice(event.data, (one) => ({ ...one, delta: without(spoken, 'role') })) }
    }),
  ),
  'chat stream: no finish reason': stream('chat', (events) =>
    events.map((event) =>
      delta(event) === undefined
        ? event
        : { data: choice(event.data, (one) => ({ ...one, finish_reason: null })) },
    ),
  ),
  'chat stream: goes on after the end': stream('chat', (events) => {
    const end = events.findIndex(
      (event) => delta(event) !== undefined && Object.keys(delta(event) as Json).length === 0,
    )
    const [moved] = events.slice(end, end + 1)
    return [...events.slice(0, end - 1), moved as Event, events[end - 1] as Event, ...events.slice(end + 1)]
  }),
  'chat stream: another id in each chunk': stream('chat', (events) =>
    events.map((event, index) =>
      isRecord(event.data) ? { data: { ...event.data, id: `c-${index}` } } : event,
    ),
  ),
  'chat stream: no usage': stream('chat', (events) =>
    events.filter(({ data }) => !isRecord(data) || (data['choices'] as Json[]).length > 0),
  ),
  'chat stream: arguments are no JSON': stream('chat', (events) => {
    const last = events.findLastIndex((event) => delta(event)?.['tool_calls'] !== undefined)
    return events.filter((_, index) => index !== last)
  }),
  'chat stream: is no JSON': stream('chat', (events) =>
    events.map((event, index) => (index === 1 ? { data: JSON.stringify(event.data).slice(0, -2) } : event)),
  ),

  // Messages.
  'messages: no output tokens': within('messages', 'usage', (usage) => without(usage, 'output_tokens')),
  'messages: stopped by a sequence that was not asked for': json('messages', (response, _seen, { body }) =>
    'stop_sequences' in body
      ? { ...response, stop_reason: 'stop_sequence', stop_sequence: 'other' }
      : response,
  ),
  'messages stream: no end': stream('messages', (events) => events.slice(0, -1)),
  'messages stream: a block that was not started': stream('messages', (events) =>
    events.filter((_, index) => index !== at(events, 'content_block_start')),
  ),
  'messages stream: a block that does not stop': stream('messages', (events) =>
    events.filter((_, index) => index !== at(events, 'content_block_stop')),
  ),
  'messages stream: starts in the middle': stream('messages', (events) => [
    events[1] as Event,
    events[0] as Event,
    ...events.slice(2),
  ]),
  'messages stream: input is no JSON': stream('messages', (events) =>
    events.map((event) => {
      const spoken = event.data['delta'] as Json | undefined
      if (spoken?.['type'] !== 'input_json_delta') return event
      return { ...event, data: { ...event.data, delta: { ...spoken, partial_json: '{' } } }
    }),
  ),
  'messages stream: no stop reason': stream('messages', (events) =>
    events.map((event) =>
      event.data['type'] === 'message_delta' ? { ...event, data: { ...event.data, delta: {} } } : event,
    ),
  ),

  // Images.
  'images: an item without image': json('generations', (response) => ({
    ...response,
    data: (response['data'] as Json[]).map(() => ({})),
  })),
  'images: no usage of the newest model': json('generations', (response) => without(response, 'usage')),
  'images stream: not completed': stream('generations', (events) =>
    events.filter(({ data }) => !String(data['type']).endsWith('completed')),
  ),

  // Image jobs.
  'job: no comment': json('job', (job) => without(job, 'comment')),
  'job: goes back': json('job', (job, seen) =>
    seen === 0
      ? { ...job, status: 2, urls: ['http://gateway.test/store/p1'] }
      : { ...job, status: 1, urls: [] },
  ),
  'job: another id at each poll': json('job', (job, seen) => ({ ...job, id: `${job['id']}-${seen}` })),
  'job: no images': json('job', (job) => (job['status'] === 2 ? { ...job, urls: [] } : job)),
  'job: images too early': json('job', (job) =>
    job['status'] === 1 ? { ...job, urls: ['http://gateway.test/store/p1'] } : job,
  ),
  // Videos.
  'video: another word for the end': json('video', (video) =>
    video['status'] === 'completed' ? { ...video, status: 'succeeded' } : video,
  ),
  'video: progress falls': json('video', (video, seen) =>
    video['status'] === 'completed' ? video : { ...video, progress: 90 - 20 * seen },
  ),
  'video: begins again': json('video', (video, seen) => {
    if (video['status'] === 'completed' || video['status'] === 'failed') return video
    return seen === 0
      ? { ...video, status: 'in_progress', progress: 60 }
      : { ...video, status: 'pending', progress: 0 }
  }),
  'video: born at each poll': json('video', (video, seen) => ({
    ...video,
    created_at: Number(video['created_at']) + seen + 1,
  })),
  'video: content before the end': {
    answer: (answer, { operation }) =>
      operation === 'content' && answer.status === 400
        ? { status: 200, type: 'video/mp4', bytes: Buffer.from('....ftypisom') }
        : answer,
  },
  'video: content as a page': whole(isContent, { type: 'text/html' }),
  'job: a result as JSON': whole(readsFile('p'), { type: 'application/json' }),
  'video: no content at the end': {
    answer: (answer, asked) =>
      isContent(answer, asked) ? { status: 404, json: { error: { code: 9, message: 'not found' } } } : answer,
  },
  'video: a remix that names another source later': json('video', (video) =>
    video['remixed_from_video_id'] ? { ...video, remixed_from_video_id: 'other' } : video,
  ),
  'video: a remix that names no source': json('remix', (video) => without(video, 'remixed_from_video_id')),

  // Operations.
  'operation: no name': json('submit', () => ({ id: 'op/7' })),
  'operation: done with nothing': json('operation', (response) => without(response, 'response')),
  'operation: videos without address or bytes': within('operation', 'response', (response) =>
    response === undefined ? response : { generatedVideos: [{ uri: null, videoBytes: '' }] },
  ),
  'operation: undone again': json('operation', (response, seen) =>
    seen === 0
      ? { ...response, done: true, response: { generatedVideos: [{ uri: 'http://gateway.test/store/p1' }] } }
      : { name: response['name'], done: false },
  ),
  'operation: both outcomes': json('operation', (response) =>
    response['done'] === true ? { ...response, error: { code: 13, message: 'no' } } : response,
  ),
  'operation: another name at each poll': json('operation', (response, seen) => ({
    ...response,
    name: `${response['name']}${seen}`,
  })),

  // Files.
  'upload: a path without scheme': pathBegins(''),
  'upload: cannot be read': whole(readsFile('u'), {
    ...{ status: 403, type: 'text/plain', bytes: Buffer.from('no') },
  }),

  'upload: the scheme of another store': pathBegins('s3://'),
  'upload: a path that is an address': pathBegins('https://'),
  'upload: read as a page': whole(readsFile('u'), { type: 'text/html' }),

  // Decisions.
  'systemone: probabilities do not sum to one': answers((answer) => {
    if (!isRecord(answer['probabilities']) || 'score' in answer) return answer
    const doubled = Object.entries(answer['probabilities']).map(([name, value]) => [name, Number(value) * 2])
    return { ...answer, probabilities: Object.fromEntries(doubled) }
  }),
  'systemone: an option that was not given': answers((answer) =>
    'choice' in answer ? { ...answer, choice: 'none of these' } : answer,
  ),
  'systemone: a question without answer': within('systemone', 'answers', (all) =>
    Object.fromEntries(Object.entries(all).slice(1)),
  ),
}
