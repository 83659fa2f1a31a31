/** What plain answers hold that no shape can say, because it depends on what was asked. */
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import type { JudgedAnswer } from './answer.ts'
import { decisionLaws } from './decisions.ts'
import { firstBreach, isJson, type Law, shown } from './law.ts'

type AnswerLaw = Law<JudgedAnswer>

/** The choices of a chat completion. */
const choices = ({ reply }: JudgedAnswer): readonly Fields[] => listOf(reply['choices']).filter(isFields)

const choicesAsAsked: AnswerLaw = {
  section: 'contract 2.6',
  states: 'as many choices as `n` asks for, with indices from 0 on',
  kind: 'value',
  severity: 'breaking',
  breach(answer) {
    const all = choices(answer)
    if (all.length === 0) return undefined
    const wanted = Number(answer.request['n'] ?? 1)
    const indices = all.map(({ index }, at) => index ?? at).toSorted((a, b) => Number(a) - Number(b))
    return indices.length === wanted && indices.every((index, at) => index === at)
      ? undefined
      : { pointer: '/choices/0/index', got: `indices ${indices.join(', ')}` }
  },
}

const choicesEnd: AnswerLaw = {
  section: 'wire-formats 2.3',
  states: 'a finish_reason in each choice',
  kind: 'missing',
  severity: 'doubtful',
  breach: (answer) =>
    firstBreach(choices(answer), ({ finish_reason: reason }, at) =>
      reason === undefined || reason === null
        ? { pointer: `/choices/${at}/finish_reason`, got: shown(reason) }
        : undefined,
    ),
}

const argumentsAreJson: AnswerLaw = {
  section: 'wire-formats 2.3',
  states: 'arguments of a tool call that are JSON',
  kind: 'format',
  severity: 'doubtful',
  breach: (answer) =>
    firstBreach(choices(answer), ({ message, finish_reason: reason }, choice) =>
      firstBreach(isFields(message) ? listOf(message['tool_calls']) : [], (call, at) => {
        const said = isFields(call) && isFields(call['function']) ? call['function']['arguments'] : undefined
        return typeof said !== 'string' || reason === 'length' || isJson(said)
          ? undefined
          : { pointer: `/choices/${choice}/message/tool_calls/${at}/function/arguments`, got: shown(said) }
      }),
    ),
}

const namesSequence: AnswerLaw = {
  section: 'contract 2.7',
  states: 'the sequence that caused the stop in stop_sequence',
  kind: 'missing',
  severity: 'doubtful',
  breach: ({ reply }) =>
    reply['stop_reason'] !== 'stop_sequence' || typeof reply['stop_sequence'] === 'string'
      ? undefined
      : { pointer: '/stop_sequence', got: shown(reply['stop_sequence']) },
}

const countsTokens: AnswerLaw = {
  section: 'wire-formats 3.2',
  states: 'input_tokens and output_tokens in the usage of a message',
  kind: 'missing',
  severity: 'doubtful',
  breach({ reply: { type, usage } }) {
    const missing = ['input_tokens', 'output_tokens'].find(
      (name) => !isFields(usage) || typeof usage[name] !== 'number',
    )
    return type !== 'message' || missing === undefined
      ? undefined
      : { pointer: `/usage/${missing}`, got: shown(usage) }
  },
}

const saysHowToUpload: AnswerLaw = {
  section: 'contract 4.8',
  states: 'the method to send the file with',
  kind: 'missing',
  severity: 'breaking',
  breach: ({ reply: { upload_url: url, method } }) =>
    typeof url === 'string' && (method === undefined || method === null)
      ? { pointer: '/method', got: shown(method) }
      : undefined,
}

const asManyImages: AnswerLaw = {
  section: 'contract 4.4',
  states: 'as many images as `n` asks for',
  kind: 'value',
  severity: 'breaking',
  breach({ reply, request }) {
    const { data } = reply
    const wanted = Number(request['n'] ?? 1)
    return !Array.isArray(data) || data.length === wanted
      ? undefined
      : { pointer: '/data', got: `${data.length} where n is ${wanted}` }
  },
}

const imagesAreThere: AnswerLaw = {
  section: 'contract 2.8',
  states: 'an url or b64_json in each item',
  kind: 'missing',
  severity: 'breaking',
  breach: ({ reply }) =>
    firstBreach(listOf(reply['data']), (item, at) =>
      isFields(item) && typeof item['url'] !== 'string' && typeof item['b64_json'] !== 'string'
        ? { pointer: `/data/${at}`, got: shown(item) }
        : undefined,
    ),
}

const urls = (reply: Fields): readonly unknown[] => listOf(reply['urls'])

const jobHasPictures: AnswerLaw = {
  section: 'contract 2.2',
  states: 'urls in a job that succeeded',
  kind: 'missing',
  severity: 'breaking',
  breach: ({ reply }) =>
    reply['status'] === 2 && 'urls' in reply && urls(reply).length === 0 && !isText(reply['urls'])
      ? { pointer: '/urls', got: shown(reply['urls']) }
      : undefined,
}

const isText = (value: unknown): boolean => typeof value === 'string'

const noPicturesEarly: AnswerLaw = {
  section: 'contract 2.2',
  states: 'no urls before a job has succeeded',
  kind: 'value',
  severity: 'doubtful',
  breach: ({ reply }) =>
    [0, 1, 3].includes(Number(reply['status'] ?? -1)) && urls(reply).length > 0
      ? { pointer: '/urls', got: `${urls(reply).length} in status ${shown(reply['status'])}` }
      : undefined,
}

const saysWhyItFailed: AnswerLaw = {
  section: 'contract 2.2',
  states: 'the reason in the comment of a job that failed',
  kind: 'value',
  severity: 'breaking',
  breach: ({ reply }) =>
    reply['status'] === 3 && reply['comment'] === '' ? { pointer: '/comment', got: '""' } : undefined,
}

const failedVideoHasError: AnswerLaw = {
  section: 'contract 7',
  states: 'an error with a message in a video that failed',
  kind: 'missing',
  severity: 'doubtful',
  breach({ reply }) {
    const { status, error } = reply
    if (status !== 'failed') return undefined
    if (!isFields(error)) return { pointer: '/error', got: shown(error) }
    return isText(error['message']) && error['message'] !== ''
      ? undefined
      : { pointer: '/error/message', got: shown(error['message']) }
  },
}

const errorOnlyInFailure: AnswerLaw = {
  section: 'contract 7',
  states: 'an error only in a video that failed',
  kind: 'value',
  severity: 'doubtful',
  breach: ({ reply }) =>
    typeof reply['status'] === 'string' && reply['status'] !== 'failed' && isFields(reply['error'])
      ? { pointer: '/error', got: `${shown(reply['error'])} in status ${shown(reply['status'])}` }
      : undefined,
}

const remixNamesSource: AnswerLaw = {
  section: 'contract 4.6',
  states: 'remixed_from_video_id that names the source',
  kind: 'missing',
  severity: 'breaking',
  breach({ endpoint, params, reply }) {
    const source = Object.values(params)[0]
    if (endpoint.submits === undefined || source === undefined) return undefined
    return reply['remixed_from_video_id'] === source
      ? undefined
      : { pointer: '/remixed_from_video_id', got: shown(reply['remixed_from_video_id']) }
  },
}

const oneOutcome: AnswerLaw = {
  section: 'wire-formats 6',
  states: 'either response or error once done, and neither before',
  kind: 'value',
  severity: 'doubtful',
  breach({ endpoint, reply }) {
    if (endpoint.polls === undefined) return undefined
    const outcomes = ['response', 'error'].filter((name) => isFields(reply[name]))
    return outcomes.length === (reply['done'] === true ? 1 : 0)
      ? undefined
      : {
          pointer: '/done',
          got: `${outcomes.join(' and ') || 'neither'} where done is ${shown(reply['done'])}`,
        }
  },
}

/** The laws over plain answers, by the group of the operation. */
export const answerLaws: Readonly<Record<string, readonly AnswerLaw[]>> = {
  chat: [choicesAsAsked, choicesEnd, argumentsAreJson],
  messages: [namesSequence, countsTokens],
  files: [saysHowToUpload],
  images: [asManyImages, imagesAreThere],
  'image-jobs': [jobHasPictures, noPicturesEarly, saysWhyItFailed],
  videos: [failedVideoHasError, errorOnlyInFailure, remixNamesSource],
  operations: [oneOutcome],
  systemone: decisionLaws,
}
