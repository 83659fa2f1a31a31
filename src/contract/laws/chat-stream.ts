/** What the chunks of a chat completion hold together (contract 4.2; wire-formats 2.4). */
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import { inPlaceOfContent, isThere } from './answers.ts'
import {
  type Breach,
  breaking,
  doubtful,
  firstBreach,
  isJson,
  type JudgedStream,
  type Law,
  nth,
  shown,
} from './law.ts'

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

/** The parts of each choice that shows up. */
function byChoice(stream: JudgedStream): Map<number, Part[]> {
  const choices = new Map<number, Part[]>()
  for (const part of parts(stream)) {
    const known = choices.get(part.index)
    if (known === undefined) choices.set(part.index, [part])
    else known.push(part)
  }
  return choices
}

const chunks = ({ events }: JudgedStream): readonly Fields[] =>
  events.flatMap(({ fields }) => (fields !== undefined && Array.isArray(fields['choices']) ? [fields] : []))

const saysSomething = (delta: Fields): boolean =>
  ['content', 'refusal', 'tool_calls', 'function_call'].some(
    (name) => delta[name] !== undefined && delta[name] !== null && delta[name] !== '',
  )

/** What the deltas of the tool calls of a choice add up to. */
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

const calls = (stream: JudgedStream, find: (call: ReturnType<typeof callsOf>) => Breach | undefined) =>
  firstBreach([...byChoice(stream).values()], (all) => find(callsOf(all)))

/** The laws over the stream of a chat completion. */
export const chatStreamLaws: readonly Law<JudgedStream>[] = [
  doubtful('wire-formats 2.4', 'order', 'data: [DONE] once, and nothing after it', ({ events, whole }) => {
    if (!whole) return undefined
    const at = events.findIndex(({ data }) => data === '[DONE]')
    if (at < 0) return { got: `${events.length} events and no [DONE]` }
    const after = events[at + 1]
    return after === undefined ? undefined : { got: `${shown(after.data)} after it` }
  }),
  doubtful('wire-formats 2.4', 'order', 'the first chunk of each choice has the role', (stream) =>
    firstBreach([...byChoice(stream).values()], ([first]) =>
      first === undefined || first.delta['role'] !== undefined
        ? undefined
        : {
            pointer: '/choices/0/delta/role',
            got: `${shown(first.delta)} as the first delta of choice ${first.index}`,
          },
    ),
  ),
  doubtful('wire-formats 2.4', 'missing', 'a finish_reason for each choice', (stream) => {
    if (!stream.whole) return undefined
    return firstBreach([...byChoice(stream)], ([index, all]) =>
      all.some(({ choice }) => typeof choice['finish_reason'] === 'string')
        ? undefined
        : { pointer: '/choices/0/finish_reason', got: `none for choice ${index}` },
    )
  }),
  doubtful('wire-formats 2.4', 'order', 'no text after the finish_reason of a choice', (stream) =>
    firstBreach([...byChoice(stream).values()], (all) => {
      const end = all.findIndex(({ choice }) => typeof choice['finish_reason'] === 'string')
      const late = end < 0 ? undefined : all.slice(end + 1).find(({ delta }) => saysSomething(delta))
      return late && { pointer: '/choices/0/delta', got: `${shown(late.delta)} in ${nth(late.event)}` }
    }),
  ),
  breaking(
    'contract 2.6',
    'value',
    'as many choices as `n` asks for, told apart by `index` from 0 on',
    (stream) => {
      if (!stream.whole || chunks(stream).length === 0) return undefined
      const wanted = typeof stream.request['n'] === 'number' ? stream.request['n'] : 1
      const got = [...byChoice(stream).keys()].sort((a, b) => a - b)
      return got.length === wanted && got.every((index, at) => index === at)
        ? undefined
        : { pointer: '/choices/0/index', got: got.length === 0 ? 'no choice' : `indices ${got.join(', ')}` }
    },
  ),
  doubtful('wire-formats 2.4', 'value', 'the same id, created and model in all chunks', (stream) => {
    const [first, ...others] = chunks(stream)
    if (first === undefined) return undefined
    return firstBreach(others, (chunk) => {
      const name = ['id', 'created', 'model'].find((one) => chunk[one] !== first[one])
      return name === undefined
        ? undefined
        : { pointer: `/${name}`, got: `${shown(first[name])}, then ${shown(chunk[name])}` }
    })
  }),
  doubtful(
    'wire-formats 2.4',
    'missing',
    'deltas with content, or with what stands in place of it; the call that finish_reason names',
    (stream) => {
      if (!stream.whole) return undefined
      return firstBreach([...byChoice(stream).values()], (all) => {
        const has = (name: string): boolean => all.some(({ delta }) => isThere(delta[name]))
        const says = all.some(({ delta }) => 'content' in delta) || inPlaceOfContent.some(has)
        const call = ['tool_calls', 'function_call'].find(
          (name) => all.some(({ choice }) => choice['finish_reason'] === name) && !has(name),
        )
        const missing = call ?? (says ? undefined : 'content')
        if (missing === undefined) return undefined
        return { pointer: `/choices/0/delta/${missing}`, got: 'none in the whole stream' }
      })
    },
  ),
  doubtful(
    'wire-formats 2.4',
    'missing',
    'a function_call with a name, and arguments that add up to JSON',
    (stream) => {
      if (!stream.whole || parts(stream).some(({ choice }) => choice['finish_reason'] === 'length'))
        return undefined
      return firstBreach([...byChoice(stream).values()], (all) => {
        const pieces = all.map(({ delta }) => delta['function_call']).filter(isFields)
        const joined = (field: string): string => pieces.map((piece) => piece[field] ?? '').join('')
        const wrong = joined('name') === '' ? 'name' : isJson(joined('arguments')) ? undefined : 'arguments'
        return pieces.length === 0 || wrong === undefined
          ? undefined
          : { pointer: `/choices/0/delta/function_call/${wrong}`, got: shown(joined(wrong)) }
      })
    },
  ),
  doubtful(
    'wire-formats 2.4',
    'missing',
    'usage before the end, as stream_options.include_usage asks',
    (stream) => {
      const options = stream.request['stream_options']
      const asked = isFields(options) && options['include_usage'] === true
      const came = chunks(stream).some(({ usage }) => isFields(usage))
      return asked && !came && stream.whole ? { pointer: '/usage', got: 'no usage' } : undefined
    },
  ),

  doubtful(
    'wire-formats 2.4',
    'order',
    'tool calls with indices from 0 on; the first piece of each has id, type and name, and the id stays',
    (stream) =>
      calls(stream, (found) =>
        firstBreach([...found], ([index, { first, ids }], at) => {
          const pointer = '/choices/0/delta/tool_calls/0'
          if (index !== at) return { pointer: `${pointer}/index`, got: `index ${shown(index)}` }
          if (ids.size > 1) return { pointer: `${pointer}/id`, got: `ids ${[...ids].map(shown).join(', ')}` }
          const called = first['function'] ?? first['custom']
          const isWhole =
            'id' in first &&
            'type' in first &&
            (!isFields(called) || 'name' in called) &&
            called !== undefined
          return isWhole ? undefined : { pointer, got: shown(first) }
        }),
      ),
  ),
  doubtful('wire-formats 2.3', 'format', 'arguments of a tool call that add up to JSON', (stream) => {
    if (!stream.whole || parts(stream).some(({ choice }) => choice['finish_reason'] === 'length'))
      return undefined
    return calls(stream, (found) =>
      firstBreach([...found.values()], ({ first, input }) =>
        !isFields(first['function']) || isJson(input)
          ? undefined
          : { pointer: '/choices/0/delta/tool_calls/0/function/arguments', got: shown(input) },
      ),
    )
  }),
]
