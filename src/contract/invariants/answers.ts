/** Invariants of plain responses, which depend on the request and cannot be part of a schema. */
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import { pointerPart } from '../../engine/pointer.ts'
import { valueAt } from '../../protocol/wording.ts'
import {
  breaking,
  type Counterexample,
  doubtful,
  firstCounterexample,
  type Invariant,
  isJson,
  type JudgedAnswer,
  shown,
} from './invariant.ts'

/** The answers of a decision, each with its question. */
function decided(
  { response: { answers }, request: { questions } }: JudgedAnswer,
  find: (answer: Fields, question: Fields, pointer: string) => Counterexample | false | undefined,
): Counterexample | undefined {
  if (!isFields(questions) || !isFields(answers)) return undefined
  return firstCounterexample(Object.entries(questions), ([id, question]) => {
    const answer = answers[id]
    return isFields(answer) && isFields(question) && find(answer, question, `/answers${pointerPart(id)}`)
  })
}

function labelsOf({ type, criteria }: Fields): readonly string[] {
  if (type === 'score') return listOf(criteria).map((_, at) => `${at}`)
  return isFields(criteria) ? Object.keys(criteria) : []
}

const decisionLaws: readonly Invariant<JudgedAnswer>[] = [
  breaking('contract 2.9', 'missing', 'an answer to each question', ({ response, request }) => {
    const { questions } = request
    const { answers } = response
    if (!isFields(questions) || !isFields(answers)) return undefined
    const missing = Object.keys(questions).filter((id) => !isFields(answers[id]))
    return missing.length > 0 && { pointer: '/answers', got: `none to ${missing.join(', ')}` }
  }),
  breaking('contract 2.9', 'missing', 'in each answer, a field named after the question type', (answer) =>
    decided(answer, (one, { type }, pointer) => {
      const isMissing = typeof type === 'string' && one[type] === undefined
      return isMissing && { pointer: `${pointer}/${type}`, got: shown(one) }
    }),
  ),
  breaking('contract 2.9', 'value', 'a choice from the options', (answer) =>
    decided(answer, ({ choice }, question, pointer) => {
      const isChosen = question['type'] === 'choice' && typeof choice === 'string'
      return isChosen && !labelsOf(question).includes(choice) && at(`${pointer}/choice`, choice)
    }),
  ),
  doubtful('contract 2.9', 'value', 'a score between the first and the last level', (answer) =>
    decided(answer, ({ score }, question, pointer) => {
      if (question['type'] !== 'score' || typeof score !== 'number') return undefined
      return (score < 0 || score > labelsOf(question).length - 1) && at(`${pointer}/score`, score)
    }),
  ),
  doubtful('wire-formats 9', 'value', 'a probability for each option or level, with a sum of 1', (answer) =>
    decided(answer, ({ probabilities }, question, pointer) => {
      if (!isFields(probabilities)) return undefined
      const labels = labelsOf(question)
      const sum = Object.values(probabilities).reduce<number>((all, one) => all + Number(one), 0)
      // Each is rounded to two decimals.
      const fits = Math.abs(sum - 1) <= 0.01 + 0.005 * labels.length
      const strange = Object.keys(probabilities).filter((name) => !labels.includes(name))
      const got = strange.length > 0 ? `a probability for ${strange.join(', ')}` : `a sum of ${sum}`
      return (!fits || strange.length > 0) && { pointer: `${pointer}/probabilities`, got }
    }),
  ),
]

const at = (pointer: string, value: unknown): Counterexample => ({ pointer, got: shown(value) })

const inAChoice = (
  { response }: JudgedAnswer,
  find: (choice: Fields, message: Fields, pointer: string) => Counterexample | false | undefined,
): Counterexample | undefined =>
  firstCounterexample(listOf(response['choices']).filter(isFields), (choice, index) => {
    const { message } = choice
    return find(choice, isFields(message) ? message : {}, `/choices/${index}`)
  })

/** The alternatives to content in a message or a delta. */
export const inPlaceOfContent = ['refusal', 'tool_calls', 'function_call', 'audio']

export const isThere = (value: unknown): boolean => value !== undefined && value !== null

/** The rule of plain responses and streams. */
export const mustCall = 'a tool call if tool_choice is required'

const chatLaws: readonly Invariant<JudgedAnswer>[] = [
  breaking('contract 2.6', 'value', '`n` choices with indices from 0', (answer) => {
    const { choices } = answer.response
    const all = listOf(choices).filter(isFields)
    const wanted = Number(answer.request['n'] ?? 1)
    const indices = all.map(({ index }, place) => index ?? place).toSorted((a, b) => Number(a) - Number(b))
    const isRight = indices.length === wanted && indices.every((index, place) => index === place)
    if (isRight || !Array.isArray(choices) || all.length < choices.length) return undefined
    const got = all.length === 0 ? 'no choice' : `indices ${indices.join(', ')}`
    return { pointer: '/choices/0/index', got }
  }),
  doubtful('contract 2.6', 'missing', 'content, a refusal, tool calls or audio', (answer) =>
    inAChoice(answer, (choice, message, pointer) => {
      const says = 'content' in message || inPlaceOfContent.some((name) => isThere(message[name]))
      return !says && at(`${pointer}/message/content`, choice['message'])
    }),
  ),
  doubtful(
    'contract 2.6',
    'missing',
    'a tool call if finish_reason is tool_calls or function_call',
    (answer) =>
      inAChoice(answer, (choice, message, pointer) => {
        const call = String(choice['finish_reason'])
        const isMissing = ['tool_calls', 'function_call'].includes(call) && !isThere(message[call])
        return isMissing && at(`${pointer}/message/${call}`, choice['message'])
      }),
  ),
  // No call is due if the response was cut or blocked, or if the model refuses.
  breaking('contract 4.2', 'missing', mustCall, (answer) =>
    inAChoice(answer, ({ finish_reason: reason }, message, pointer) => {
      const { tool_calls: calls } = message
      const isFree = reason !== 'stop' || isThere(message['refusal'])
      const isDue = answer.request['tool_choice'] === 'required' && !isFree
      return isDue && listOf(calls).length === 0 && at(`${pointer}/message/tool_calls`, calls)
    }),
  ),
  breaking('contract 4.2', 'missing', 'log probabilities of the content if `logprobs` is true', (answer) =>
    inAChoice(answer, ({ logprobs }, { content }, pointer) => {
      const isDue = answer.request['logprobs'] === true && typeof content === 'string' && content !== ''
      const listed = isFields(logprobs) ? logprobs['content'] : logprobs
      return isDue && !isThere(listed) && at(`${pointer}/logprobs`, logprobs)
    }),
  ),
  doubtful('wire-formats 2.3', 'value', 'calls only to tools in the request', (answer) =>
    inAChoice(answer, (_choice, message, pointer) =>
      firstCounterexample(listOf(message['tool_calls']), (call, index) => {
        const offered = listOf(answer.request['tools']).map((tool) => valueAt(tool, ['function', 'name']))
        const name = valueAt(call, ['function', 'name'])
        const isOther = typeof name === 'string' && !offered.includes(name)
        return isOther && at(`${pointer}/message/tool_calls/${index}/function/name`, name)
      }),
    ),
  ),
  doubtful('wire-formats 2.3', 'format', 'tool call arguments that are valid JSON', (answer) =>
    inAChoice(answer, ({ finish_reason: reason }, message, pointer) =>
      firstCounterexample(listOf(message['tool_calls']), (call, index) => {
        const said = valueAt(call, ['function', 'arguments'])
        const isWrong = typeof said === 'string' && reason !== 'length' && !isJson(said)
        return isWrong && at(`${pointer}/message/tool_calls/${index}/function/arguments`, said)
      }),
    ),
  ),
]

const messageLaws: readonly Invariant<JudgedAnswer>[] = [
  doubtful(
    'contract 2.7',
    'missing',
    'the matched stop sequence in stop_sequence',
    ({ response: { stop_reason: reason, stop_sequence: sequence }, request }) =>
      reason === 'stop_sequence' &&
      !listOf(request['stop_sequences']).includes(sequence) &&
      at('/stop_sequence', sequence),
  ),
  doubtful(
    'contract 2.7',
    'missing',
    'a tool_use block if stop_reason is tool_use',
    ({ response: { stop_reason: reason, content } }) =>
      reason === 'tool_use' &&
      Array.isArray(content) &&
      !content.some((block) => isFields(block) && String(block['type']).endsWith('tool_use')) &&
      at('/content', content),
  ),
]

const fileLaws: readonly Invariant<JudgedAnswer>[] = [
  breaking(
    'contract 2.5',
    'value',
    'a storage path with cos:// for COS, or with the scheme of another provider',
    ({ response: { path }, request }) => {
      if (typeof path !== 'string' || !path.includes('://')) return undefined
      // Other providers may use any scheme except those of downloads (http, https).
      const isCos = request['storage_provider'] === 'COS'
      const isWrong = isCos ? !/^cos:/i.test(path) : /^(?:https?|file|ftp|data|blob):/i.test(path)
      return isWrong && at('/path', path)
    },
  ),
]

const imageLaws: readonly Invariant<JudgedAnswer>[] = [
  breaking('contract 4.4', 'value', '`n` images', ({ response: { data }, request }) => {
    const wanted = Number(request['n'] ?? 1)
    const isWrong = Array.isArray(data) && data.length !== wanted
    return isWrong && { pointer: '/data', got: `${data.length} images for n: ${wanted}` }
  }),
  breaking('contract 2.8', 'missing', 'a URL or b64_json in each item', ({ response }) =>
    firstCounterexample(listOf(response['data']), (item, index) => {
      const isEmpty =
        isFields(item) && ![item['url'], item['b64_json']].some((one) => typeof one === 'string')
      return isEmpty && at(`/data/${index}`, item)
    }),
  ),
  doubtful('contract 2.8', 'missing', 'token usage for the newest image models', ({ response, request }) => {
    const isNewest = /gpt-image/i.test(String(request['model']))
    return isNewest && !isThere(response['usage']) && at('/usage', response['usage'])
  }),
]

const imageJobLaws: readonly Invariant<JudgedAnswer>[] = [
  breaking('contract 2.2', 'missing', 'urls in a successful job', ({ response }) => {
    const { status, urls } = response
    const isEmpty = 'urls' in response && listOf(urls).length === 0 && typeof urls !== 'string'
    return status === 2 && isEmpty && at('/urls', urls)
  }),
  doubtful('contract 2.2', 'value', 'no urls before success', ({ response: { status, urls } }) => {
    const got = `urls in status ${shown(status)}`
    return [0, 1, 3].includes(Number(status ?? -1)) && listOf(urls).length > 0 && { pointer: '/urls', got }
  }),
  breaking(
    'contract 2.2',
    'value',
    'a failure reason in the comment of a failed job',
    ({ response: { status, comment } }) => status === 3 && comment === '' && at('/comment', ''),
  ),
]

const videoLaws: readonly Invariant<JudgedAnswer>[] = [
  doubtful('contract 7', 'missing', 'an error with a message for a failed video', ({ response }) => {
    const { status, error } = response
    const isEmpty = !isThere(error) || (isFields(error) && error['message'] === '')
    return status === 'failed' && isEmpty && at(error ? '/error/message' : '/error', error)
  }),
  doubtful('contract 7', 'value', 'an error only for a failed video', ({ response: { status, error } }) => {
    const isWell = ['pending', 'in_progress', 'completed'].includes(String(status))
    const got = `${shown(error)} in status ${shown(status)}`
    return isWell && isFields(error) && { pointer: '/error', got }
  }),
  doubtful(
    'contract 4.6',
    'missing',
    'completed_at and expires_at in the status of a completed video',
    ({ endpoint, response }) => {
      const { status, completed_at: completed } = response
      if (endpoint.job?.polls === undefined || status !== 'completed') return undefined
      if (!isThere(completed)) return at('/completed_at', completed)
      return !('expires_at' in response) && at('/expires_at', undefined)
    },
  ),
  doubtful('contract 2.3', 'value', 'timestamps in Unix seconds, none before created_at', ({ response }) => {
    const { created_at: created } = response
    const early = ['completed_at', 'expires_at'].find(
      (name) => typeof response[name] === 'number' && response[name] < Number(created),
    )
    // A created_at in milliseconds is reported separately.
    if (early === undefined || Number(created) > 1e11) return undefined
    return { pointer: `/${early}`, got: `${shown(response[early])}, created_at ${created}` }
  }),
  doubtful('contract 2.3', 'value', 'progress from 0 to 100', ({ response: { status, progress } }) => {
    const got = '1 for a completed video'
    return status === 'completed' && progress === 1 && { pointer: '/progress', got }
  }),
  breaking('contract 4.6', 'missing', 'the id of the source video in remixed_from_video_id', (answer) => {
    const { remixed_from_video_id: named } = answer.response
    const source = Object.values(answer.params)[0]
    const isRemix = answer.endpoint.job?.submits !== undefined && source !== undefined
    return isRemix && named !== source && at('/remixed_from_video_id', named)
  }),
]

const operationLaws: readonly Invariant<JudgedAnswer>[] = [
  doubtful(
    'wire-formats 6',
    'value',
    'either response or error if done is true, otherwise neither',
    ({ endpoint, response }) => {
      const outcomes = ['response', 'error'].filter((name) => isThere(response[name]))
      const isWrong = outcomes.length !== (response['done'] === true ? 1 : 0)
      const got = `${outcomes.join(' and ') || 'neither'} with done: ${shown(response['done'])}`
      return endpoint.job?.polls !== undefined && isWrong && { pointer: '/done', got }
    },
  ),
  doubtful('contract 2.4', 'missing', 'a uri or videoBytes in each generated video', ({ response }) =>
    firstCounterexample(listOf(valueAt(response, ['response', 'generatedVideos'])), (video, index) => {
      const isEmpty = isFields(video) && !video['uri'] && !video['videoBytes']
      return isEmpty && at(`/response/generatedVideos/${index}`, video)
    }),
  ),
]

/** The invariants of plain responses, by the group of the operation. */
export const answerInvariants: Readonly<Record<string, readonly Invariant<JudgedAnswer>[]>> = {
  chat: chatLaws,
  messages: messageLaws,
  files: fileLaws,
  images: imageLaws,
  'image-jobs': imageJobLaws,
  videos: videoLaws,
  'video-operations': operationLaws,
  systemone: decisionLaws,
}
