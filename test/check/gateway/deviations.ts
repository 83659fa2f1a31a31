/**
 * Deviations to plant into the gateway of the tests, one at a time; each is one change. Those of single fields are
 * made from the schemas: `fields.ts`.
 */
import { type Answer, type Asked, type Change, isRecord, type Sent } from './exchange.ts'

type Json = Readonly<Record<string, unknown>>
type Event = { readonly data: Json } & Sent

/** Changes the JSON of successful answers of one operation. */
function json(
  says: string,
  operation: string,
  change: (json: Json, seen: number, asked: Asked) => unknown,
): Change {
  return {
    says,
    answer: (answer, asked, seen) =>
      asked.operation === operation && answer.json !== undefined && answer.status === 200
        ? { ...answer, json: change(answer.json, seen, asked) as Json }
        : answer,
  }
}

/** Changes the events of one operation. */
function stream(
  says: string,
  operation: string,
  change: (events: readonly Event[]) => readonly Sent[],
): Change {
  return {
    says,
    answer: (answer, asked) =>
      asked.operation === operation && answer.events !== undefined
        ? { ...answer, events: change(answer.events as readonly Event[]) }
        : answer,
  }
}

/** Changes refusals. */
function refusal(
  says: string,
  change: (answer: Answer, asked: Asked) => Answer,
  only = (_asked: Asked): boolean => true,
): Change {
  return {
    says,
    answer: (answer, asked) => (answer.status >= 400 && only(asked) ? change(answer, asked) : answer),
  }
}

const without = (from: Json, name: string): Json =>
  Object.fromEntries(Object.entries(from).filter(([other]) => other !== name))

/** Replaces the first choice of a reply or chunk. */
const choice = (from: Json, change: (choice: Json) => unknown): Json => {
  const [first, ...rest] = from['choices'] as Json[]
  return first === undefined ? from : { ...from, choices: [change(first), ...rest] }
}
const errorOf = ({ json: body }: Answer): Json => (body?.['error'] ?? {}) as Json
const delta = ({ data }: Event): Json | undefined =>
  ((data['choices'] as Json[] | undefined)?.[0]?.['delta'] as Json | undefined) ?? undefined
const answers = (from: Json, change: (answer: Json) => Json): Json => ({
  ...from,
  answers: Object.fromEntries(
    Object.entries(from['answers'] as Record<string, Json>).map(([id, one]) => [id, change(one)]),
  ),
})
const at = (events: readonly Event[], type: string): number =>
  events.findIndex(({ data }) => data['type'] === type)
const jobs = ['upload-paint', 'retexture', 'pan', 'remove-background', 'variation', 'diffusion', 'job']
const isJob = ({ operation }: Asked): boolean => jobs.includes(operation)
const readsBody = ({ operation }: Asked): boolean => !['put', 'read', ''].includes(operation)

export const deviations: Readonly<Record<string, Change>> = {
  'one choice whatever n asks for': {
    says: 'n is not heeded, neither in the plain reply nor in the stream (contract 2.6)',
    request: (asked) =>
      asked.operation === 'chat' && Number(asked.body['n']) > 1 && Number(asked.body['n']) <= 128
        ? { ...asked, body: without(asked.body, 'n') }
        : asked,
  },
  // Refusals.
  'no key needed': {
    says: 'a request without a key is answered (contract 5)',
    request: (asked) => {
      if (asked.operation !== 'chat' || asked.headers.has('authorization')) return asked
      return { ...asked, headers: new Headers({ authorization: 'Bearer key-of-the-tests' }) }
    },
  },
  'crashes on bad input': refusal(
    'a bad parameter of chat is a 500',
    (answer) => (answer.status === 400 ? { ...answer, status: 500 } : answer),
    ({ operation }) => operation === 'chat',
  ),
  'refusal without envelope': refusal('refusals are a bare message (contract 2.1)', (answer) => ({
    ...answer,
    json: { message: errorOf(answer)['message'] },
  })),
  'refusal as a page': refusal('a missing key is answered with HTML (contract 2.1)', (answer) =>
    answer.status === 401 ? { status: 401, type: 'text/html', bytes: Buffer.from('<h1>401</h1>') } : answer,
  ),
  'error without message': refusal('an error does not say what is wrong (contract 2.1)', (answer) => ({
    ...answer,
    json: { error: without(answer.json?.['error'] as Json, 'message') },
  })),
  'callback accepted': {
    says: 'an image job with a callback is taken (contract 4.1)',
    request: (asked) => (isJob(asked) ? { ...asked, body: without(asked.body, 'callback') } : asked),
  },
  'callback with another code': refusal(
    'a callback is refused with code 400 (contract 7)',
    (answer) => {
      const error = { ...errorOf(answer), code: 400, details: [] }
      return { ...answer, json: { error } }
    },
    (asked) => isJob(asked) && 'callback' in asked.body,
  ),
  'another code for bad input': refusal(
    'a bad parameter of an image job has code 400 (contract 7)',
    (answer) => ({ ...answer, json: { error: { ...errorOf(answer), code: 400, details: [] } } }),
    (asked) => isJob(asked) && asked.method === 'POST' && !('callback' in asked.body),
  ),
  'every second call is refused without envelope': {
    says: 'a 429 is a plain text (contract 2.1)',
    answer: (answer, asked, seen) =>
      readsBody(asked) && asked.operation === 'chat' && seen === 1
        ? { status: 429, type: 'text/plain', bytes: Buffer.from('slow down') }
        : answer,
  },

  // Chat.
  'chat: created as a date': json('created is a text (contract 2.6)', 'chat', (reply) => ({
    ...reply,
    created: '2026-02-02T00:00:00Z',
  })),
  'chat: as a page': {
    says: 'the reply says that it is HTML (contract 1)',
    answer: (answer, { operation }) =>
      operation === 'chat' && answer.json !== undefined && answer.status === 200
        ? { ...answer, type: 'text/html' }
        : answer,
  },
  'chat: usage does not add up': json('total_tokens is 1 (contract 2.6)', 'chat', (reply) => ({
    ...reply,
    usage: { ...(reply['usage'] as Json), total_tokens: 1 },
  })),
  'chat: index from one': json('n choices have the indices 1 to n (contract 2.6)', 'chat', (reply) => ({
    ...reply,
    choices: (reply['choices'] as Json[]).map((one, index) => ({ ...one, index: index + 1 })),
  })),
  'chat: one choice too few': json('n is 2 and one choice comes (contract 2.6)', 'chat', (reply) => ({
    ...reply,
    choices: (reply['choices'] as Json[]).slice(0, 1),
  })),
  'chat: arguments are no JSON': json(
    'the arguments of a tool call are no JSON (contract 2.6)',
    'chat',
    (reply) =>
      choice(reply, (one) => {
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
  'chat stream: no end marker': stream('a stream ends without [DONE]', 'chat', (events) =>
    events.slice(0, -1),
  ),
  'chat stream: two end markers': stream('a stream ends twice', 'chat', (events) => [
    ...events,
    { data: '[DONE]' },
  ]),
  'chat stream: role too late': stream('the first chunk has no role', 'chat', (events) =>
    events.map((event) => {
      const spoken = delta(event)
      if (spoken === undefined || !('role' in spoken)) return event
      return { data: choice(event.data, (one) => ({ ...one, delta: without(spoken, 'role') })) }
    }),
  ),
  'chat stream: no finish reason': stream('no chunk has a finish_reason', 'chat', (events) =>
    events.map((event) =>
      delta(event) === undefined
        ? event
        : { data: choice(event.data, (one) => ({ ...one, finish_reason: null })) },
    ),
  ),
  'chat stream: goes on after the end': stream('text comes after the finish_reason', 'chat', (events) => {
    const end = events.findIndex(
      (event) => delta(event) !== undefined && Object.keys(delta(event) as Json).length === 0,
    )
    const [moved] = events.slice(end, end + 1)
    return [...events.slice(0, end - 1), moved as Event, events[end - 1] as Event, ...events.slice(end + 1)]
  }),
  'chat stream: another id in each chunk': stream(
    'chunks of one stream have ids of their own',
    'chat',
    (events) =>
      events.map((event, index) =>
        isRecord(event.data) ? { data: { ...event.data, id: `c-${index}` } } : event,
      ),
  ),
  'chat stream: no usage': stream('usage was asked for and does not come', 'chat', (events) =>
    events.filter(({ data }) => !isRecord(data) || (data['choices'] as Json[]).length > 0),
  ),
  'chat stream: arguments are no JSON': stream('the arguments do not add up to JSON', 'chat', (events) => {
    const last = events.findLastIndex((event) => delta(event)?.['tool_calls'] !== undefined)
    return events.filter((_, index) => index !== last)
  }),
  'chat stream: is no JSON': stream('a chunk is cut off', 'chat', (events) =>
    events.map((event, index) => (index === 1 ? { data: JSON.stringify(event.data).slice(0, -2) } : event)),
  ),

  // Messages.
  'messages: no output tokens': json('usage has no output_tokens (contract 2.7)', 'messages', (reply) => ({
    ...reply,
    usage: without(reply['usage'] as Json, 'output_tokens'),
  })),
  'messages stream: no end': stream('a stream ends without message_stop', 'messages', (events) =>
    events.slice(0, -1),
  ),
  'messages stream: a block that was not started': stream(
    'deltas come for a block that was not started',
    'messages',
    (events) => events.filter((_, index) => index !== at(events, 'content_block_start')),
  ),
  'messages stream: a block that does not stop': stream('a block is not stopped', 'messages', (events) =>
    events.filter((_, index) => index !== at(events, 'content_block_stop')),
  ),
  'messages stream: starts in the middle': stream('message_start comes second', 'messages', (events) => [
    events[1] as Event,
    events[0] as Event,
    ...events.slice(2),
  ]),
  'messages stream: input is no JSON': stream(
    'the pieces of input do not add up to JSON',
    'messages',
    (events) =>
      events.map((event) => {
        const spoken = event.data['delta'] as Json | undefined
        if (spoken?.['type'] !== 'input_json_delta') return event
        return { ...event, data: { ...event.data, delta: { ...spoken, partial_json: '{' } } }
      }),
  ),
  'messages stream: no stop reason': stream('message_delta has no stop_reason', 'messages', (events) =>
    events.map((event) =>
      event.data['type'] === 'message_delta' ? { ...event, data: { ...event.data, delta: {} } } : event,
    ),
  ),

  // Images.
  'images: an item without picture': json(
    'an item has neither url nor b64_json (contract 2.8)',
    'generations',
    (reply) => ({
      ...reply,
      data: (reply['data'] as Json[]).map(() => ({})),
    }),
  ),
  'images stream: not completed': stream(
    'a stream of pictures has no completed event',
    'generations',
    (events) => events.filter(({ data }) => !String(data['type']).endsWith('completed')),
  ),

  // Image jobs.
  'job: no comment': json('a job has no comment (contract 2.2)', 'job', (job) => without(job, 'comment')),
  'job: goes back': json('a job is done, and then running again (contract 3)', 'job', (job, seen) =>
    seen === 0
      ? { ...job, status: 2, urls: ['http://gateway.test/store/p1'] }
      : { ...job, status: 1, urls: [] },
  ),
  'job: another id at each poll': json('the id of a job changes (contract 2.2)', 'job', (job, seen) => ({
    ...job,
    id: `${job['id']}-${seen}`,
  })),
  'job: no pictures': json('a job is done and has no urls (contract 2.2)', 'job', (job) =>
    job['status'] === 2 ? { ...job, urls: [] } : job,
  ),
  'job: pictures too early': json('a running job has urls (contract 2.2)', 'job', (job) =>
    job['status'] === 1 ? { ...job, urls: ['http://gateway.test/store/p1'] } : job,
  ),
  // Videos.
  'video: another word for the end': json('the status is succeeded (contract 2.3)', 'video', (video) =>
    video['status'] === 'completed' ? { ...video, status: 'succeeded' } : video,
  ),
  'video: progress falls': json('the progress of a video falls (contract 2.3)', 'video', (video, seen) =>
    video['status'] === 'completed' ? video : { ...video, progress: 90 - 20 * seen },
  ),
  'video: begins again': json('a video that runs is pending again (contract 3)', 'video', (video, seen) => {
    if (video['status'] === 'completed' || video['status'] === 'failed') return video
    return seen === 0
      ? { ...video, status: 'in_progress', progress: 60 }
      : { ...video, status: 'pending', progress: 0 }
  }),
  'video: born at each poll': json('created_at changes (contract 2.3)', 'video', (video, seen) => ({
    ...video,
    created_at: Number(video['created_at']) + seen + 1,
  })),
  'video: content before the end': {
    says: 'the content of a running video is there (contract 4.6)',
    answer: (answer, { operation }) =>
      operation === 'content' && answer.status === 400
        ? { status: 200, type: 'video/mp4', bytes: Buffer.from('....ftypisom') }
        : answer,
  },
  'video: content as a page': {
    says: 'the content of a video says that it is HTML (contract 4.6)',
    answer: (answer, { operation }) =>
      operation === 'content' && answer.status === 200 ? { ...answer, type: 'text/html' } : answer,
  },
  'job: a result as JSON': {
    says: 'the address of a result says that it is JSON (contract 2.2)',
    answer: (answer, { operation, params }) =>
      operation === 'read' && params['file']?.startsWith('p')
        ? { ...answer, type: 'application/json' }
        : answer,
  },
  'video: no content at the end': {
    says: 'the content of a completed video is not there (contract 4.6)',
    answer: (answer, { operation }) =>
      operation === 'content' && answer.status === 200
        ? { status: 404, json: { error: { code: 9, message: 'not found' } } }
        : answer,
  },
  'video: a remix that names no source': json(
    'a remix has no remixed_from_video_id (contract 4.6)',
    'remix',
    (video) => without(video, 'remixed_from_video_id'),
  ),

  // Operations.
  'operation: no name': json('a submission has no name (contract 4.7)', 'submit', () => ({ id: 'op/7' })),
  'operation: done with nothing': json(
    'done without response and error (contract 2.4)',
    'operation',
    (reply) => without(reply, 'response'),
  ),
  'operation: undone again': json('done goes back to false (contract 3)', 'operation', (reply, seen) =>
    seen === 0
      ? { ...reply, done: true, response: { generatedVideos: [{ uri: 'http://gateway.test/store/p1' }] } }
      : { name: reply['name'], done: false },
  ),
  'operation: both outcomes': json('done with response and error (contract 2.4)', 'operation', (reply) =>
    reply['done'] === true ? { ...reply, error: { code: 13, message: 'no' } } : reply,
  ),
  'operation: another name at each poll': json(
    'the name changes (contract 2.4)',
    'operation',
    (reply, seen) => ({
      ...reply,
      name: `${reply['name']}${seen}`,
    }),
  ),

  // Files.
  'upload: a path without scheme': json(
    'the path has no storage scheme (contract 2.5)',
    'upload_url',
    (target) => ({
      ...target,
      path: String(target['path']).replace('cos://', ''),
    }),
  ),
  'upload: cannot be read': {
    says: 'visit_url is not readable after the upload (contract 2.5)',
    answer: (answer, { operation, params }) =>
      operation === 'read' && params['file']?.startsWith('u')
        ? { status: 403, type: 'text/plain', bytes: Buffer.from('no') }
        : answer,
  },

  'upload: the scheme of another store': json(
    'the path for COS begins with s3:// (contract 2.5)',
    'upload_url',
    (target) => ({ ...target, path: String(target['path']).replace('cos://', 's3://') }),
  ),
  'upload: a path that is an address': json(
    'the path is an https address (contract 2.5)',
    'upload_url',
    (target) => ({ ...target, path: String(target['path']).replace('cos://', 'https://') }),
  ),
  'upload: read as a page': {
    says: 'the uploaded picture says that it is HTML (contract 2.5)',
    answer: (answer, { operation, params }) =>
      operation === 'read' && params['file']?.startsWith('u') ? { ...answer, type: 'text/html' } : answer,
  },

  // Decisions.
  'systemone: probabilities do not sum to one': json(
    'probabilities sum to 2 (contract 2.9)',
    'systemone',
    (reply) =>
      answers(reply, (answer) => {
        if (!isRecord(answer['probabilities']) || 'score' in answer) return answer
        const doubled = Object.entries(answer['probabilities']).map(([name, value]) => [
          name,
          Number(value) * 2,
        ])
        return { ...answer, probabilities: Object.fromEntries(doubled) }
      }),
  ),
  'systemone: an option that was not given': json(
    'choice is no option (contract 2.9)',
    'systemone',
    (reply) =>
      answers(reply, (answer) => ('choice' in answer ? { ...answer, choice: 'none of these' } : answer)),
  ),
  'systemone: a question without answer': json(
    'a question has no answer (contract 2.9)',
    'systemone',
    (reply) => ({
      ...reply,
      answers: Object.fromEntries(Object.entries(reply['answers'] as Json).slice(1)),
    }),
  ),
}
