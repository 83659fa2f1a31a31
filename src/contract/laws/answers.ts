/** What plain answers hold that no shape can say, because it depends on what was asked. */
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import {
  type Breach,
  breaking,
  doubtful,
  firstBreach,
  isJson,
  type JudgedAnswer,
  type Law,
  shown,
} from './law.ts'

/** The answers of a decision, each with its question. */
function decided(
  { reply, request }: JudgedAnswer,
  find: (answer: Fields, question: Fields, pointer: string) => Breach | undefined,
): Breach | undefined {
  const { questions } = request
  const { answers } = reply
  if (!isFields(questions) || !isFields(answers)) return undefined
  return firstBreach(Object.entries(questions), ([id, question]) => {
    const answer = answers[id]
    const pointer = `/answers/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return isFields(answer) && isFields(question) ? find(answer, question, pointer) : undefined
  })
}

const labelsOf = ({ type, criteria }: Fields): readonly string[] =>
  type === 'score'
    ? listOf(criteria).map((_, at) => `${at}`)
    : isFields(criteria)
      ? Object.keys(criteria)
      : []

/** The laws over decisions. */
const decisionLaws: readonly Law<JudgedAnswer>[] = [
  breaking('contract 2.9', 'missing', 'an answer to each question', ({ reply, request }) => {
    const { questions } = request
    const { answers } = reply
    if (!isFields(questions) || !isFields(answers)) return undefined
    const missing = Object.keys(questions).filter((id) => !isFields(answers[id]))
    return missing.length === 0 ? undefined : { pointer: '/answers', got: `none to ${missing.join(', ')}` }
  }),
  breaking(
    'contract 2.9',
    'missing',
    'the field that the type of the question names in each answer',
    (answer) =>
      decided(answer, (one, { type }, pointer) =>
        typeof type !== 'string' || one[type] !== undefined
          ? undefined
          : { pointer: `${pointer}/${type}`, got: shown(one) },
      ),
  ),
  breaking('contract 2.9', 'value', 'a choice that is one of the options', (answer) =>
    decided(answer, (one, question, pointer) =>
      question['type'] !== 'choice' ||
      typeof one['choice'] !== 'string' ||
      labelsOf(question).includes(one['choice'])
        ? undefined
        : { pointer: `${pointer}/choice`, got: shown(one['choice']) },
    ),
  ),
  doubtful('contract 2.9', 'value', 'a score between the first and the last level', (answer) =>
    decided(answer, (one, question, pointer) => {
      const { score } = one
      if (question['type'] !== 'score' || typeof score !== 'number') return undefined
      return score >= 0 && score <= labelsOf(question).length - 1
        ? undefined
        : { pointer: `${pointer}/score`, got: shown(score) }
    }),
  ),
  doubtful('wire-formats 9', 'value', 'a probability for each option or level, which sum to 1', (answer) =>
    decided(answer, ({ probabilities }, question, pointer) => {
      if (!isFields(probabilities)) return undefined
      const labels = labelsOf(question)
      const sum = Object.values(probabilities).reduce<number>((all, one) => all + Number(one), 0)
      // Each is rounded to two decimals.
      const fits = Math.abs(sum - 1) <= 0.01 + 0.005 * labels.length
      const strange = Object.keys(probabilities).filter((name) => !labels.includes(name))
      if (fits && strange.length === 0) return undefined
      const got = strange.length > 0 ? `one for ${strange.join(', ')}` : `a sum of ${sum}`
      return { pointer: `${pointer}/probabilities`, got }
    }),
  ),
]

type AnswerLaw = Law<JudgedAnswer>

/** The choices of a chat completion. */
const choices = ({ reply }: JudgedAnswer): readonly Fields[] => listOf(reply['choices']).filter(isFields)

const messageOf = ({ message }: Fields): Fields => (isFields(message) ? message : {})

/** What a message or a delta may say in place of content. */
export const inPlaceOfContent = ['refusal', 'tool_calls', 'function_call', 'audio']

export const isThere = (value: unknown): boolean => value !== undefined && value !== null

/** Schemes by which a file is fetched, not stored. */
const fetched = /^(?:https?|file|ftp|data|blob):/i

const urls = (reply: Fields): readonly unknown[] => listOf(reply['urls'])

const isText = (value: unknown): boolean => typeof value === 'string'

/** The laws over plain answers, by the group of the operation. */
export const answerLaws: Readonly<Record<string, readonly AnswerLaw[]>> = {
  chat: [
    breaking('contract 2.6', 'value', 'as many choices as `n` asks for, with indices from 0 on', (answer) => {
      const all = choices(answer)
      if (all.length === 0) return undefined
      const wanted = Number(answer.request['n'] ?? 1)
      const indices = all.map(({ index }, at) => index ?? at).toSorted((a, b) => Number(a) - Number(b))
      return indices.length === wanted && indices.every((index, at) => index === at)
        ? undefined
        : { pointer: '/choices/0/index', got: `indices ${indices.join(', ')}` }
    }),
    doubtful(
      'contract 2.6',
      'missing',
      'content, or a refusal, tool calls or audio in place of it',
      (answer) =>
        firstBreach(choices(answer), (choice, at) =>
          'content' in messageOf(choice) || inPlaceOfContent.some((name) => isThere(messageOf(choice)[name]))
            ? undefined
            : { pointer: `/choices/${at}/message/content`, got: shown(choice['message']) },
        ),
    ),
    doubtful(
      'contract 2.6',
      'missing',
      'the call where finish_reason is tool_calls or function_call',
      (answer) =>
        firstBreach(choices(answer), (choice, at) => {
          const call = String(choice['finish_reason'])
          return !['tool_calls', 'function_call'].includes(call) || isThere(messageOf(choice)[call])
            ? undefined
            : { pointer: `/choices/${at}/message/${call}`, got: shown(choice['message']) }
        }),
    ),
    breaking('contract 4.2', 'missing', 'log probabilities of what is said, as `logprobs` asks', (answer) => {
      if (answer.request['logprobs'] !== true) return undefined
      return firstBreach(choices(answer), (choice, at) => {
        const { content } = messageOf(choice)
        const { logprobs } = choice
        if (typeof content !== 'string' || content === '') return undefined
        const listed = isFields(logprobs) ? logprobs['content'] : logprobs
        return listed === undefined || listed === null
          ? { pointer: `/choices/${at}/logprobs`, got: shown(logprobs) }
          : undefined
      })
    }),
    doubtful('wire-formats 2.3', 'format', 'arguments of a tool call that are JSON', (answer) =>
      firstBreach(choices(answer), ({ message, finish_reason: reason }, choice) =>
        firstBreach(isFields(message) ? listOf(message['tool_calls']) : [], (call, at) => {
          const said =
            isFields(call) && isFields(call['function']) ? call['function']['arguments'] : undefined
          return typeof said !== 'string' || reason === 'length' || isJson(said)
            ? undefined
            : { pointer: `/choices/${choice}/message/tool_calls/${at}/function/arguments`, got: shown(said) }
        }),
      ),
    ),
  ],
  messages: [
    doubtful('contract 2.7', 'missing', 'the sequence that caused the stop in stop_sequence', ({ reply }) =>
      reply['stop_reason'] !== 'stop_sequence' || typeof reply['stop_sequence'] === 'string'
        ? undefined
        : { pointer: '/stop_sequence', got: shown(reply['stop_sequence']) },
    ),
    doubtful(
      'contract 2.7',
      'missing',
      'a tool_use block where stop_reason is tool_use',
      ({ reply: { stop_reason: reason, content } }) =>
        reason !== 'tool_use' ||
        !Array.isArray(content) ||
        content.some((block) => isFields(block) && String(block['type']).endsWith('tool_use'))
          ? undefined
          : { pointer: '/content', got: shown(content) },
    ),
  ],
  files: [
    breaking(
      'contract 2.5',
      'value',
      'a storage path: cos:// for COS, the scheme of its vendor for the other provider',
      ({ reply: { path }, request }) => {
        if (typeof path !== 'string' || !path.includes('://')) return undefined
        const wrong = request['storage_provider'] === 'COS' ? !/^cos:/i.test(path) : fetched.test(path)
        return wrong ? { pointer: '/path', got: shown(path) } : undefined
      },
    ),
  ],
  images: [
    breaking('contract 4.4', 'value', 'as many images as `n` asks for', ({ reply, request }) => {
      const { data } = reply
      const wanted = Number(request['n'] ?? 1)
      return !Array.isArray(data) || data.length === wanted
        ? undefined
        : { pointer: '/data', got: `${data.length} where n is ${wanted}` }
    }),
    breaking('contract 2.8', 'missing', 'an url or b64_json in each item', ({ reply }) =>
      firstBreach(listOf(reply['data']), (item, at) =>
        isFields(item) && typeof item['url'] !== 'string' && typeof item['b64_json'] !== 'string'
          ? { pointer: `/data/${at}`, got: shown(item) }
          : undefined,
      ),
    ),
  ],
  'image-jobs': [
    breaking('contract 2.2', 'missing', 'urls in a job that succeeded', ({ reply }) =>
      reply['status'] === 2 && 'urls' in reply && urls(reply).length === 0 && !isText(reply['urls'])
        ? { pointer: '/urls', got: shown(reply['urls']) }
        : undefined,
    ),
    doubtful('contract 2.2', 'value', 'no urls before a job has succeeded', ({ reply }) =>
      [0, 1, 3].includes(Number(reply['status'] ?? -1)) && urls(reply).length > 0
        ? { pointer: '/urls', got: `${urls(reply).length} in status ${shown(reply['status'])}` }
        : undefined,
    ),
    breaking('contract 2.2', 'value', 'the reason in the comment of a job that failed', ({ reply }) =>
      reply['status'] === 3 && reply['comment'] === '' ? { pointer: '/comment', got: '""' } : undefined,
    ),
  ],
  videos: [
    doubtful('contract 7', 'missing', 'an error with a message in a video that failed', ({ reply }) => {
      const { status, error } = reply
      if (status !== 'failed') return undefined
      return error === undefined || error === null || (isFields(error) && error['message'] === '')
        ? { pointer: error ? '/error/message' : '/error', got: shown(error) }
        : undefined
    }),
    doubtful('contract 7', 'value', 'an error only in a video that failed', ({ reply }) =>
      ['pending', 'in_progress', 'completed'].includes(String(reply['status'])) && isFields(reply['error'])
        ? { pointer: '/error', got: `${shown(reply['error'])} in status ${shown(reply['status'])}` }
        : undefined,
    ),
    doubtful(
      'contract 4.6',
      'missing',
      'completed_at and expires_at in the status of a completed video',
      ({ endpoint, reply }) => {
        if (endpoint.polls === undefined || reply['status'] !== 'completed') return undefined
        const { completed_at: completed } = reply
        if (completed === undefined || completed === null)
          return { pointer: '/completed_at', got: shown(completed) }
        return 'expires_at' in reply ? undefined : { pointer: '/expires_at', got: 'nothing' }
      },
    ),
    doubtful('contract 2.3', 'value', 'Unix seconds, none before created_at', ({ reply }) => {
      const early = ['completed_at', 'expires_at'].find(
        (name) => typeof reply[name] === 'number' && reply[name] < Number(reply['created_at']),
      )
      // A created_at of milliseconds is wrong in itself.
      if (early === undefined || Number(reply['created_at']) > 1e11) return undefined
      return { pointer: `/${early}`, got: `${shown(reply[early])}, created_at ${reply['created_at']}` }
    }),
    doubtful('contract 2.3', 'value', 'a progress of 0 to 100', ({ reply }) =>
      reply['status'] === 'completed' && reply['progress'] === 1
        ? { pointer: '/progress', got: '1 of a completed video' }
        : undefined,
    ),
    breaking(
      'contract 4.6',
      'missing',
      'remixed_from_video_id that names the source',
      ({ endpoint, params, reply }) => {
        const source = Object.values(params)[0]
        if (endpoint.submits === undefined || source === undefined) return undefined
        return reply['remixed_from_video_id'] === source
          ? undefined
          : { pointer: '/remixed_from_video_id', got: shown(reply['remixed_from_video_id']) }
      },
    ),
  ],
  operations: [
    doubtful(
      'wire-formats 6',
      'value',
      'either response or error once done, and neither before',
      ({ endpoint, reply }) => {
        if (endpoint.polls === undefined) return undefined
        const outcomes = ['response', 'error'].filter(
          (name) => reply[name] !== undefined && reply[name] !== null,
        )
        return outcomes.length === (reply['done'] === true ? 1 : 0)
          ? undefined
          : {
              pointer: '/done',
              got: `${outcomes.join(' and ') || 'neither'} where done is ${shown(reply['done'])}`,
            }
      },
    ),
    doubtful(
      'contract 2.4',
      'missing',
      'an uri or videoBytes in each generated video',
      ({ reply: { response } }) => {
        const videos = listOf(isFields(response) ? response['generatedVideos'] : undefined)
        return firstBreach(videos, (video, at) =>
          isFields(video) && !('uri' in video) && !('videoBytes' in video)
            ? { pointer: `/response/generatedVideos/${at}`, got: shown(video) }
            : undefined,
        )
      },
    ),
  ],
  systemone: decisionLaws,
}
