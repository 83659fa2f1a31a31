/** What the contract says about chat completions beyond their schemas. */
import { type Fields, grouped, isFields, listOf } from '../../engine/fields.ts'
import {
  at,
  breaking,
  type Counterexample,
  doubtful,
  firstCounterexample,
  type GroupRules,
  type Invariant,
  isJson,
  isThere,
  type JudgedAnswer,
  type JudgedStream,
  nth,
  shown,
  thenShown,
} from '../../protocol/invariant.ts'
import { valueAt } from '../../protocol/wording.ts'

/** A plain response, or what a stream adds up to. */
type Answer = Pick<JudgedAnswer, 'request' | 'response'>

const inAnAnswer = (
  { response }: Answer,
  find: (choice: Fields, message: Fields, pointer: string) => Counterexample | false | undefined,
): Counterexample | undefined =>
  firstCounterexample(listOf(response['choices']).filter(isFields), (choice, index) => {
    const { message } = choice
    return find(choice, isFields(message) ? message : {}, `/choices/${index}`)
  })

/** The alternatives to content in a message. */
const inPlaceOfContent = ['refusal', 'tool_calls', 'function_call', 'audio']

const logProbabilities: Invariant<Answer> = breaking(
  'missing-value',
  'log probabilities of the content if `logprobs` is true',
  (answer) =>
    inAnAnswer(answer, ({ logprobs }, { content }, pointer) => {
      const isDue = answer.request['logprobs'] === true && typeof content === 'string' && content !== ''
      const listed = isFields(logprobs) ? logprobs['content'] : logprobs
      return isDue && !isThere(listed) && at(`${pointer}/logprobs`, logprobs)
    }),
)

/** Of plain responses and of what whole streams add up to. */
const answers: readonly Invariant<Answer>[] = [
  breaking('wrong-value', '`n` choices with indices from 0', (answer) => {
    const { choices } = answer.response
    const all = listOf(choices).filter(isFields)
    const wanted = Number(answer.request['n'] ?? 1)
    const indices = all.map(({ index }, place) => index ?? place).toSorted((a, b) => Number(a) - Number(b))
    const isRight = indices.length === wanted && indices.every((index, place) => index === place)
    if (isRight || !Array.isArray(choices) || all.length < choices.length) return undefined
    const got = all.length === 0 ? 'no choice' : `indices ${indices.join(', ')}`
    return { pointer: '/choices/0/index', got }
  }),
  doubtful('missing-value', 'content, a refusal, tool calls or audio', (answer) =>
    inAnAnswer(answer, (choice, message, pointer) => {
      const hasContent = 'content' in message || inPlaceOfContent.some((name) => isThere(message[name]))
      return !hasContent && at(`${pointer}/message/content`, choice['message'])
    }),
  ),
  doubtful('missing-value', 'a tool call if finish_reason is tool_calls or function_call', (answer) =>
    inAnAnswer(answer, (choice, message, pointer) => {
      const call = String(choice['finish_reason'])
      const isMissing = ['tool_calls', 'function_call'].includes(call) && !isThere(message[call])
      return isMissing && at(`${pointer}/message/${call}`, choice['message'])
    }),
  ),
  // No call is due if the response was cut or blocked, or if the model refuses.
  breaking('missing-value', 'a tool call if tool_choice is required', (answer) =>
    inAnAnswer(answer, ({ finish_reason: reason }, message, pointer) => {
      const { tool_calls: calls } = message
      const isFree = reason !== 'stop' || isThere(message['refusal'])
      const isDue = answer.request['tool_choice'] === 'required' && !isFree
      return isDue && listOf(calls).length === 0 && at(`${pointer}/message/tool_calls`, calls)
    }),
  ),
  doubtful('wrong-value', 'calls only to tools in the request', (answer) =>
    inAnAnswer(answer, (_choice, message, pointer) =>
      firstCounterexample(listOf(message['tool_calls']), (call, index) => {
        const offered = listOf(answer.request['tools']).map((tool) => valueAt(tool, ['function', 'name']))
        const name = valueAt(call, ['function', 'name'])
        const isOther = typeof name === 'string' && !offered.includes(name)
        return isOther && at(`${pointer}/message/tool_calls/${index}/function/name`, name)
      }),
    ),
  ),
  doubtful('wrong-format', 'tool call arguments that are valid JSON', (answer) =>
    inAnAnswer(answer, ({ finish_reason: reason }, message, pointer) =>
      firstCounterexample(listOf(message['tool_calls']), (call, index) => {
        const written = valueAt(call, ['function', 'arguments'])
        const isWrong = typeof written === 'string' && reason !== 'length' && !isJson(written)
        return isWrong && at(`${pointer}/message/tool_calls/${index}/function/arguments`, written)
      }),
    ),
  ),
]

interface Part {
  readonly event: number
  readonly choice: Fields
  readonly index: number
  readonly delta: Fields
}

/** All choices of all chunks, in order. */
function parts({ events }: JudgedStream): Part[] {
  return events.flatMap(({ fields }, event) =>
    listOf(fields?.['choices'])
      .filter(isFields)
      .map((choice) => ({
        event,
        choice,
        index: typeof choice['index'] === 'number' ? choice['index'] : 0,
        delta: isFields(choice['delta']) ? choice['delta'] : {},
      })),
  )
}

/** The deltas of each choice. */
const byChoice = (stream: JudgedStream): Map<number, Part[]> => grouped(parts(stream), ({ index }) => index)

const inAChoice = (
  stream: JudgedStream,
  find: (all: readonly Part[], index: number) => Counterexample | false | undefined,
): Counterexample | undefined =>
  firstCounterexample([...byChoice(stream)], ([index, all]) => find(all, index))

const chunks = ({ events }: JudgedStream): readonly Fields[] =>
  events.flatMap(({ fields }) => (fields !== undefined && Array.isArray(fields['choices']) ? [fields] : []))

const saysSomething = (delta: Fields): boolean =>
  ['content', 'refusal', 'tool_calls', 'function_call'].some(
    (name) => isThere(delta[name]) && delta[name] !== '',
  )

/** The tool calls of a choice, joined from their deltas. */
function callsOf(all: readonly Part[]): Map<unknown, { ids: Set<unknown>; first: Fields; input: string }> {
  const calls = new Map<unknown, { ids: Set<unknown>; first: Fields; input: string }>()
  for (const { delta } of all)
    for (const call of listOf(delta['tool_calls']).filter(isFields)) {
      const known = calls.get(call['index']) ?? { ids: new Set(), first: call, input: '' }
      if (call['id'] !== undefined) known.ids.add(call['id'])
      const added = isFields(call['function']) ? call['function']['arguments'] : undefined
      if (typeof added === 'string') known.input += added
      calls.set(call['index'], known)
    }
  return calls
}

/** The response that the chunks add up to, as far as invariants read it. */
function joined(stream: JudgedStream): Fields {
  const choices = [...byChoice(stream)].map(([index, all]) => {
    const message: Record<string, unknown> = {}
    for (const [name, value] of all.flatMap(({ delta }) => Object.entries(delta)))
      if (!isThere(message[name])) message[name] = value
    const calls = [...callsOf(all).values()].map(({ first, input }) => {
      const { function: called } = first
      return isFields(called) ? { ...first, function: { ...called, arguments: input } } : first
    })
    if (calls.length > 0) message['tool_calls'] = calls
    const reasons = all.map(({ choice }) => choice['finish_reason'])
    return { index, finish_reason: reasons.find(isThere), message }
  })
  return { choices }
}

/** The same rule for what a whole stream adds up to. */
const ofWholeStream = ({ counterexample, ...rule }: Invariant<Answer>): Invariant<JudgedStream> => ({
  ...rule,
  counterexample(stream) {
    if (!stream.whole || chunks(stream).length === 0) return undefined
    const found = counterexample({ request: stream.request, response: joined(stream) })
    return found && { ...found, pointer: (found.pointer ?? '').replace('/message/', '/delta/') }
  },
})

/** Invariants over the chunks of a chat completion. */
const streams: readonly Invariant<JudgedStream>[] = [
  doubtful('wrong-order', 'data: [DONE] once, as the last event', ({ events, whole }) => {
    if (!whole) return undefined
    const at = events.findIndex(({ data }) => data === '[DONE]')
    if (at < 0) return { got: `${events.length} events without [DONE]` }
    const after = events[at + 1]
    return after === undefined ? undefined : { got: `${shown(after.data)} after [DONE]` }
  }),
  doubtful('wrong-order', 'the role in the first chunk of each choice', (stream) =>
    inAChoice(stream, ([first], index) => {
      const got = `${shown(first?.delta)} as the first delta of choice ${index}`
      return first?.delta['role'] === undefined && { pointer: '/choices/0/delta/role', got }
    }),
  ),
  doubtful('missing-value', 'a finish_reason for each choice', (stream) =>
    inAChoice(stream, (all, index) => {
      const isFinished = all.some(({ choice }) => typeof choice['finish_reason'] === 'string')
      const got = `none for choice ${index}`
      return stream.whole && !isFinished && { pointer: '/choices/0/finish_reason', got }
    }),
  ),
  doubtful('wrong-order', 'no content after the finish_reason of a choice', (stream) =>
    inAChoice(stream, (all) => {
      const end = all.findIndex(({ choice }) => typeof choice['finish_reason'] === 'string')
      const late = end < 0 ? undefined : all.slice(end + 1).find(({ delta }) => saysSomething(delta))
      return late && { pointer: '/choices/0/delta', got: `${shown(late.delta)} in ${nth(late.event)}` }
    }),
  ),
  doubtful('wrong-value', 'the same id, created and model in all chunks', (stream) => {
    const [first = {}, ...others] = chunks(stream)
    return firstCounterexample(others, (chunk) => {
      const name = ['id', 'created', 'model'].find((one) => chunk[one] !== first[one])
      return name !== undefined && { pointer: `/${name}`, got: thenShown(first[name], chunk[name]) }
    })
  }),
  doubtful('missing-value', 'usage before the end if stream_options.include_usage is true', (stream) => {
    const isRequested = valueAt(stream.request, ['stream_options', 'include_usage']) === true
    const isPresent = chunks(stream).some(({ usage }) => isFields(usage))
    return isRequested && !isPresent && stream.whole && { pointer: '/usage', got: 'no usage' }
  }),
  doubtful(
    'wrong-order',
    'tool calls with indices from 0, a constant id, and an id, type and name in the first delta',
    (stream) =>
      inAChoice(stream, (all) =>
        firstCounterexample([...callsOf(all)], ([index, { first, ids }], at) => {
          const pointer = '/choices/0/delta/tool_calls/0'
          if (index !== at) return { pointer: `${pointer}/index`, got: `index ${shown(index)}` }
          if (ids.size > 1) return { pointer: `${pointer}/id`, got: `ids ${[...ids].map(shown).join(', ')}` }
          const called = first['function'] ?? first['custom']
          const isNamed = called !== undefined && (!isFields(called) || 'name' in called)
          return !('id' in first && 'type' in first && isNamed) && { pointer, got: shown(first) }
        }),
      ),
  ),
  ...answers.map(ofWholeStream),
]

export const chatRules: GroupRules = {
  group: 'chat',
  answers: [...answers, logProbabilities],
  streams,
}
