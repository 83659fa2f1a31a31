/** What the contract says about messages beyond their schemas. */
import * as z from 'zod'
import { type Fields, isFields, lazy, listOf } from '../../engine/fields.ts'
import { contractSays, relied, spare, unnamed } from '../../protocol/contract-reading.ts'
import { envelope, fields } from '../../protocol/error-schema.ts'
import {
  at,
  type Counterexample,
  doubtful,
  firstCounterexample,
  type GroupRules,
  type Invariant,
  isJson,
  type JudgedAnswer,
  type JudgedStream,
  namesItsType,
  nth,
  shown,
  typeOf,
} from '../../protocol/invariant.ts'
import { valueAt } from '../../protocol/wording.ts'

const answers: readonly Invariant<JudgedAnswer>[] = [
  doubtful(
    'missing-value',
    'the matched stop sequence in stop_sequence',
    ({ response: { stop_reason: reason, stop_sequence: sequence }, request }) =>
      reason === 'stop_sequence' &&
      !listOf(request['stop_sequences']).includes(sequence) &&
      at('/stop_sequence', sequence),
  ),
  doubtful(
    'missing-value',
    'a tool_use block if stop_reason is tool_use',
    ({ response: { stop_reason: reason, content } }) =>
      reason === 'tool_use' &&
      Array.isArray(content) &&
      !content.some((block) => isFields(block) && String(block['type']).endsWith('tool_use')) &&
      at('/content', content),
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
const streams: readonly Invariant<JudgedStream>[] = [
  namesItsType('an `event:` line with the type of the data (clients ignore events without this line)'),
  doubtful('wrong-order', 'message_start once, as the first event', ({ events }) => {
    const types = events.map(typeOf).filter((type) => type !== 'ping')
    if (types.length === 0 || types[0] === 'error') return undefined
    const starts = types.filter((type) => type === 'message_start').length
    if (types[0] === 'message_start' && starts === 1) return undefined
    return { got: starts > 1 ? `${starts} message_start events` : `${shown(types[0])} as the first event` }
  }),
  doubtful('wrong-order', 'message_stop once, as the last event', ({ events, whole }) => {
    const types = events.map(typeOf)
    if (!whole || types.length === 0) return undefined
    const stops = types.filter((type) => type === 'message_stop').length
    if (types.at(-1) === 'message_stop' && stops === 1) return undefined
    const last = `${shown(types.at(-1) ?? events.at(-1)?.data)} as the last event`
    return { got: stops > 1 ? `${stops} message_stop events` : last }
  }),
  doubtful(
    'wrong-order',
    'blocks with indices from 0, each with a start, deltas of its type and a stop',
    (stream) => followBlocks(stream).counterexample,
  ),
  doubtful('wrong-format', 'input deltas that, once joined, are a JSON object', (stream) =>
    firstCounterexample(followBlocks(stream).blocks, ({ stopped, input }) => {
      const isDue = stream.whole && !stopReasons(stream).includes('max_tokens') && stopped && input !== ''
      return isDue && !isJson(input) && { pointer: '/delta/partial_json', got: shown(input) }
    }),
  ),
  doubtful('missing-value', 'a message_delta with the stop_reason', (stream) => {
    const isDue = stream.whole && stream.events.length > 0
    const isSaid = stopReasons(stream).some((reason) => typeof reason === 'string')
    return isDue && !isSaid && { pointer: '/delta/stop_reason', got: 'none' }
  }),
  doubtful('missing-value', 'a tool_use block if stop_reason is tool_use', (stream) => {
    const { blocks, counterexample } = followBlocks(stream)
    const isDue = stream.whole && stopReasons(stream).includes('tool_use') && counterexample === undefined
    const isThere = blocks.some(({ block }) => String(block['type']).endsWith('tool_use'))
    return isDue && !isThere && { pointer: '/content_block', got: 'none' }
  }),
]

const thread = () =>
  z
    .looseObject({})
    .describe(
      'Data that clients need to continue without `thread`. Present only if the request had `thread`.',
    )

const errors = lazy(() =>
  envelope(
    {
      ...fields(),
      details: spare(contractSays(z.union([fields().details, thread()]), () => z.array(z.looseObject({})))),
    },
    {
      before: { type: unnamed(z.literal('error')) },
      after: { request_id: unnamed(z.string()).describe('The request id, as in the header `request-id`.') },
    },
  ),
)

const streamErrors = lazy(() =>
  envelope(
    { type: relied(z.string()), message: relied(z.string()) },
    { before: { type: z.literal('error') } },
    'wire-formats 3.3',
  ),
)

export const messagesRules: GroupRules = {
  group: 'messages',
  answers,
  streams,
  errors,
  streamErrors,
}
