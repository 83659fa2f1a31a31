/** Invariants over the events of a stream, by the group of the operation. */
import { type Fields, grouped, isFields, listOf } from '../../engine/fields.ts'
import { valueAt } from '../../protocol/wording.ts'
import { inPlaceOfContent, isThere, mustCall } from './answers.ts'
import {
  breaking,
  type Counterexample,
  doubtful,
  firstCounterexample,
  type Invariant,
  isJson,
  type JudgedStream,
  namesItsType,
  nth,
  shown,
  thenShown,
  typeOf,
} from './invariant.ts'

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
const chatLaws: readonly Invariant<JudgedStream>[] = [
  doubtful('wire-formats 2.4', 'order', 'data: [DONE] once, as the last event', ({ events, whole }) => {
    if (!whole) return undefined
    const at = events.findIndex(({ data }) => data === '[DONE]')
    if (at < 0) return { got: `${events.length} events without [DONE]` }
    const after = events[at + 1]
    return after === undefined ? undefined : { got: `${shown(after.data)} after [DONE]` }
  }),
  doubtful('wire-formats 2.4', 'order', 'the role in the first chunk of each choice', (stream) =>
    inAChoice(stream, ([first], index) => {
      const got = `${shown(first?.delta)} as the first delta of choice ${index}`
      return first?.delta['role'] === undefined && { pointer: '/choices/0/delta/role', got }
    }),
  ),
  doubtful('wire-formats 2.4', 'missing', 'a finish_reason for each choice', (stream) =>
    inAChoice(stream, (all, index) => {
      const isFinished = all.some(({ choice }) => typeof choice['finish_reason'] === 'string')
      const got = `none for choice ${index}`
      return stream.whole && !isFinished && { pointer: '/choices/0/finish_reason', got }
    }),
  ),
  doubtful('wire-formats 2.4', 'order', 'no content after the finish_reason of a choice', (stream) =>
    inAChoice(stream, (all) => {
      const end = all.findIndex(({ choice }) => typeof choice['finish_reason'] === 'string')
      const late = end < 0 ? undefined : all.slice(end + 1).find(({ delta }) => saysSomething(delta))
      return late && { pointer: '/choices/0/delta', got: `${shown(late.delta)} in ${nth(late.event)}` }
    }),
  ),
  breaking('contract 2.6', 'value', '`n` choices with `index` from 0', (stream) => {
    if (!stream.whole || chunks(stream).length === 0) return undefined
    const wanted = typeof stream.request['n'] === 'number' ? stream.request['n'] : 1
    const indices = [...byChoice(stream).keys()].sort((a, b) => a - b)
    const got = indices.length === 0 ? 'no choice' : `indices ${indices.join(', ')}`
    const isRight = indices.length === wanted && indices.every((index, at) => index === at)
    return !isRight && { pointer: '/choices/0/index', got }
  }),
  doubtful('wire-formats 2.4', 'value', 'the same id, created and model in all chunks', (stream) => {
    const [first = {}, ...others] = chunks(stream)
    return firstCounterexample(others, (chunk) => {
      const name = ['id', 'created', 'model'].find((one) => chunk[one] !== first[one])
      return name !== undefined && { pointer: `/${name}`, got: thenShown(first[name], chunk[name]) }
    })
  }),
  doubtful(
    'wire-formats 2.4',
    'missing',
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
  breaking('contract 4.2', 'missing', mustCall, (stream) => {
    if (stream.request['tool_choice'] !== 'required' || !stream.whole) return undefined
    const isExcused = ({ choice: { finish_reason: reason }, delta }: Part): boolean =>
      isThere(delta['tool_calls']) || isThere(delta['refusal']) || (isThere(reason) && reason !== 'stop')
    const got = 'none in the whole stream'
    return !parts(stream).some(isExcused) && { pointer: '/choices/0/delta/tool_calls', got }
  }),
  doubtful(
    'wire-formats 2.4',
    'missing',
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
  doubtful(
    'wire-formats 2.4',
    'missing',
    'usage before the end if stream_options.include_usage is true',
    (stream) => {
      const asked = valueAt(stream.request, ['stream_options', 'include_usage']) === true
      const came = chunks(stream).some(({ usage }) => isFields(usage))
      return asked && !came && stream.whole && { pointer: '/usage', got: 'no usage' }
    },
  ),
  doubtful(
    'wire-formats 2.4',
    'order',
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
  doubtful('wire-formats 2.3', 'format', 'tool call arguments that, once joined, are valid JSON', (stream) =>
    inAChoice(stream, (all) =>
      firstCounterexample([...callsOf(all).values()], ({ first, input }) => {
        const pointer = '/choices/0/delta/tool_calls/0/function/arguments'
        const isDue = stream.whole && !isCut(stream) && isFields(first['function'])
        return isDue && !isJson(input) && { pointer, got: shown(input) }
      }),
    ),
  ),
]

/** The type of delta for each type of block. */
const takes: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  redacted_thinking: [],
}

interface Block {
  readonly block: Fields
  stopped: boolean
  input: string
}

/** Follows the blocks of a stream to the end or to the first violation of their order. */
function followBlocks({ events, whole }: JudgedStream): { blocks: Block[]; counterexample?: Counterexample } {
  const blocks: Block[] = []
  for (const [at, event] of events.entries()) {
    const { index, content_block: start, delta } = event.fields ?? {}
    const type = typeOf(event)
    const wrong = (got: string): { blocks: Block[]; counterexample: Counterexample } => ({
      blocks,
      counterexample: { pointer: '/index', got: `${got} (${nth(at)})` },
    })
    if (type === 'content_block_start') {
      if (index !== blocks.length) return wrong(`block ${shown(index)} instead of block ${blocks.length}`)
      if (blocks.at(-1)?.stopped === false) return wrong(`block ${shown(index)} inside another block`)
      blocks.push({ block: isFields(start) ? start : {}, stopped: false, input: '' })
    } else if (type === 'content_block_delta' || type === 'content_block_stop') {
      const known = typeof index === 'number' ? blocks[index] : undefined
      if (known === undefined) return wrong(`${type} for block ${shown(index)}, which has not started`)
      if (known.stopped) return wrong(`${type} for block ${shown(index)}, which has already stopped`)
      if (type === 'content_block_stop') known.stopped = true
      else if (isFields(delta)) {
        const kinds = takes[String(known.block['type'])]
        if (kinds !== undefined && !kinds.includes(String(delta['type'])))
          return wrong(`${shown(delta['type'])} in a ${shown(known.block['type'])} block`)
        if (typeof delta['partial_json'] === 'string') known.input += delta['partial_json']
      }
    }
  }
  const open = blocks.findIndex(({ stopped }) => !stopped)
  if (whole && open >= 0)
    return { blocks, counterexample: { pointer: '/index', got: `no content_block_stop for block ${open}` } }
  return { blocks }
}

const stopReasons = ({ events }: JudgedStream): readonly unknown[] =>
  events.map(({ fields }) => valueAt(fields, ['delta', 'stop_reason']))

/** Invariants over the events of a message. */
const messageLaws: readonly Invariant<JudgedStream>[] = [
  namesItsType({
    section: 'wire-formats 3.3',
    states: 'an `event:` line with the type of the data (clients ignore events without this line)',
  }),
  doubtful('wire-formats 3.3', 'order', 'message_start once, as the first event', ({ events }) => {
    const types = events.map(typeOf).filter((type) => type !== 'ping')
    if (types.length === 0 || types[0] === 'error') return undefined
    const starts = types.filter((type) => type === 'message_start').length
    if (types[0] === 'message_start' && starts === 1) return undefined
    return { got: starts > 1 ? `${starts} message_start events` : `${shown(types[0])} as the first event` }
  }),
  doubtful('wire-formats 3.3', 'order', 'message_stop once, as the last event', ({ events, whole }) => {
    const types = events.map(typeOf)
    if (!whole || types.length === 0) return undefined
    const stops = types.filter((type) => type === 'message_stop').length
    if (types.at(-1) === 'message_stop' && stops === 1) return undefined
    const last = `${shown(types.at(-1) ?? events.at(-1)?.data)} as the last event`
    return { got: stops > 1 ? `${stops} message_stop events` : last }
  }),
  doubtful(
    'wire-formats 3.3',
    'order',
    'blocks with indices from 0, each with a start, deltas of its type and a stop',
    (stream) => followBlocks(stream).counterexample,
  ),
  doubtful('wire-formats 3.3', 'format', 'input deltas that, once joined, are a JSON object', (stream) =>
    firstCounterexample(followBlocks(stream).blocks, ({ stopped, input }) => {
      const isDue = stream.whole && !stopReasons(stream).includes('max_tokens') && stopped && input !== ''
      return isDue && !isJson(input) && { pointer: '/delta/partial_json', got: shown(input) }
    }),
  ),
  doubtful('contract 2.7', 'missing', 'a message_delta with the stop_reason', (stream) => {
    const isDue = stream.whole && stream.events.length > 0
    const isSaid = stopReasons(stream).some((reason) => typeof reason === 'string')
    return isDue && !isSaid && { pointer: '/delta/stop_reason', got: 'none' }
  }),
  doubtful('contract 2.7', 'missing', 'a tool_use block if stop_reason is tool_use', (stream) => {
    const { blocks, counterexample } = followBlocks(stream)
    const isDue = stream.whole && stopReasons(stream).includes('tool_use') && counterexample === undefined
    const isThere = blocks.some(({ block }) => String(block['type']).endsWith('tool_use'))
    return isDue && !isThere && { pointer: '/content_block', got: 'none' }
  }),
]

const isCompleted = (fields: Fields | undefined): boolean => String(fields?.['type']).endsWith('.completed')

/** Invariants over the events of a streamed image. */
const imageLaws: readonly Invariant<JudgedStream>[] = [
  namesItsType({ section: 'wire-formats 4', states: 'an `event:` line with the type of the data' }),
  doubtful('wire-formats 4', 'order', 'a completed event as the last event', ({ events, whole }) => {
    const last = events.findLast(({ fields }) => fields !== undefined)
    return (
      whole && !isCompleted(last?.fields) && { got: `${shown(last?.fields?.['type'])} as the last event` }
    )
  }),
  doubtful(
    'wire-formats 4',
    'order',
    'partial images with indices from 0, at most `partial_images`, before the completed image',
    ({ events, request }) => {
      const asked = Number(request['partial_images'] ?? 0)
      let due = 0
      for (const [at, { fields }] of events.entries()) {
        if (isCompleted(fields)) due = 0
        const index = fields?.['partial_image_index']
        if (typeof index !== 'number') continue
        if (index !== due || index >= asked)
          return { pointer: '/partial_image_index', got: `index ${index} in ${nth(at)}` }
        due += 1
      }
      return undefined
    },
  ),
]

export const streamInvariants: Readonly<Record<string, readonly Invariant<JudgedStream>[]>> = {
  chat: chatLaws,
  messages: messageLaws,
  images: imageLaws,
}
