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

const inAnAnswer = (
  { response }: JudgedAnswer,
  find: (choice: Fields, message: Fields, pointer: string) => Counterexample | false | undefined,
): Counterexample | undefined =>
  firstCounterexample(listOf(response['choices']).filter(isFields), (choice, index) => {
    const { message } = choice
    return find(choice, isFields(message) ? message : {}, `/choices/${index}`)
  })

/** The alternatives to content in a message or a delta. */
const inPlaceOfContent = ['refusal', 'tool_calls', 'function_call', 'audio']

/** The rule of plain responses and streams. */
const mustCall = 'a tool call if tool_choice is required'

const answers: readonly Invariant<JudgedAnswer>[] = [
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
      const says = 'content' in message || inPlaceOfContent.some((name) => isThere(message[name]))
      return !says && at(`${pointer}/message/content`, choice['message'])
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
  breaking('missing-value', mustCall, (answer) =>
    inAnAnswer(answer, ({ finish_reason: reason }, message, pointer) => {
      const { tool_calls: calls } = message
      const isFree = reason !== 'stop' || isThere(message['refusal'])
      const isDue = answer.request['tool_choice'] === 'required' && !isFree
      return isDue && listOf(calls).length === 0 && at(`${pointer}/message/tool_calls`, calls)
    }),
  ),
  breaking('missing-value', 'log probabilities of the content if `logprobs` is true', (answer) =>
    inAnAnswer(answer, ({ logprobs }, { content }, pointer) => {
      const isDue = answer.request['logprobs'] === true && typeof content === 'string' && content !== ''
      const listed = isFields(logprobs) ? logprobs['content'] : logprobs
      return isDue && !isThere(listed) && at(`${pointer}/logprobs`, logprobs)
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
        const said = valueAt(call, ['function', 'arguments'])
        const isWrong = typeof said === 'string' && reason !== 'length' && !isJson(said)
        return isWrong && at(`${pointer}/message/tool_calls/${index}/function/arguments`, said)
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

const isCut = (stream: JudgedStream): boolean =>
  parts(stream).some(({ choice }) => choice['finish_reason'] === 'length')

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
      const said = isFields(call['function']) ? call['function']['arguments'] : undefined
      if (typeof said === 'string') known.input += said
      calls.set(call['index'], known)
    }
  return calls
}

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
  breaking('wrong-value', '`n` choices with `index` from 0', (stream) => {
    if (!stream.whole || chunks(stream).length === 0) return undefined
    const wanted = typeof stream.request['n'] === 'number' ? stream.request['n'] : 1
    const indices = [...byChoice(stream).keys()].sort((a, b) => a - b)
    const got = indices.length === 0 ? 'no choice' : `indices ${indices.join(', ')}`
    const isRight = indices.length === wanted && indices.every((index, at) => index === at)
    return !isRight && { pointer: '/choices/0/index', got }
  }),
  doubtful('wrong-value', 'the same id, created and model in all chunks', (stream) => {
    const [first = {}, ...others] = chunks(stream)
    return firstCounterexample(others, (chunk) => {
      const name = ['id', 'created', 'model'].find((one) => chunk[one] !== first[one])
      return name !== undefined && { pointer: `/${name}`, got: thenShown(first[name], chunk[name]) }
    })
  }),
  doubtful(
    'missing-value',
    'deltas with content, a refusal, tool calls (required if finish_reason is tool_calls) or audio',
    (stream) =>
      inAChoice(stream, (all) => {
        const has = (name: string): boolean => all.some(({ delta }) => isThere(delta[name]))
        const says = all.some(({ delta }) => 'content' in delta) || inPlaceOfContent.some(has)
        const call = ['tool_calls', 'function_call'].find(
          (name) => all.some(({ choice }) => choice['finish_reason'] === name) && !has(name),
        )
        const missing = call ?? (says ? undefined : 'content')
        const got = 'none in the whole stream'
        return stream.whole && missing !== undefined && { pointer: `/choices/0/delta/${missing}`, got }
      }),
  ),
  breaking('missing-value', mustCall, (stream) => {
    if (stream.request['tool_choice'] !== 'required' || !stream.whole) return undefined
    const isExcused = ({ choice: { finish_reason: reason }, delta }: Part): boolean =>
      isThere(delta['tool_calls']) || isThere(delta['refusal']) || (isThere(reason) && reason !== 'stop')
    const got = 'none in the whole stream'
    return !parts(stream).some(isExcused) && { pointer: '/choices/0/delta/tool_calls', got }
  }),
  doubtful(
    'missing-value',
    'a function_call with a name and with arguments that, once joined, are valid JSON',
    (stream) =>
      inAChoice(stream, (all) => {
        const calls = all.map(({ delta }) => delta['function_call']).filter(isFields)
        if (calls.length === 0 || !stream.whole || isCut(stream)) return undefined
        const joined = (field: string): string => calls.map((call) => call[field] ?? '').join('')
        const badArguments = isJson(joined('arguments')) ? undefined : 'arguments'
        const wrong = joined('name') === '' ? 'name' : badArguments
        return wrong && { pointer: `/choices/0/delta/function_call/${wrong}`, got: shown(joined(wrong)) }
      }),
  ),
  doubtful('missing-value', 'usage before the end if stream_options.include_usage is true', (stream) => {
    const asked = valueAt(stream.request, ['stream_options', 'include_usage']) === true
    const came = chunks(stream).some(({ usage }) => isFields(usage))
    return asked && !came && stream.whole && { pointer: '/usage', got: 'no usage' }
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
  doubtful('wrong-format', 'tool call arguments that, once joined, are valid JSON', (stream) =>
    inAChoice(stream, (all) =>
      firstCounterexample([...callsOf(all).values()], ({ first, input }) => {
        const pointer = '/choices/0/delta/tool_calls/0/function/arguments'
        const isDue = stream.whole && !isCut(stream) && isFields(first['function'])
        return isDue && !isJson(input) && { pointer, got: shown(input) }
      }),
    ),
  ),
]

export const chatRules: GroupRules = {
  group: 'chat',
  answers,
  streams,
}
