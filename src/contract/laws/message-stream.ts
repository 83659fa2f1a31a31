/** What the events of a message hold together (contract 4.3; wire-formats 3.3). */

import { type Fields, isFields } from '../../engine/fields.ts'
import {
  type Breach,
  doubtful,
  firstBreach,
  isJson,
  type JudgedStream,
  type Law,
  namesItsType,
  nth,
  shown,
  typeOf,
} from './law.ts'

/** Which kind of delta a block takes. */
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

/** Follows the blocks of a stream, to their end or to what breaks their order. */
function followBlocks({ events, whole }: JudgedStream): { blocks: Block[]; breach?: Breach } {
  const blocks: Block[] = []
  for (const [at, event] of events.entries()) {
    const { index, content_block: start, delta } = event.fields ?? {}
    const type = typeOf(event)
    const wrong = (got: string): { blocks: Block[]; breach: Breach } => ({
      blocks,
      breach: { pointer: '/index', got: `${got} (${nth(at)})` },
    })
    if (type === 'content_block_start') {
      if (index !== blocks.length) return wrong(`block ${shown(index)} where ${blocks.length} was due`)
      if (blocks.at(-1)?.stopped === false) return wrong(`block ${shown(index)} inside another`)
      blocks.push({ block: isFields(start) ? start : {}, stopped: false, input: '' })
    } else if (type === 'content_block_delta' || type === 'content_block_stop') {
      const known = typeof index === 'number' ? blocks[index] : undefined
      if (known === undefined) return wrong(`${type} of block ${shown(index)}, which was not started`)
      if (known.stopped) return wrong(`${type} of block ${shown(index)}, which was stopped`)
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
    return { blocks, breach: { pointer: '/index', got: `block ${open} is not stopped` } }
  return { blocks }
}

/** The laws over the stream of a message. */
export const messageStreamLaws: readonly Law<JudgedStream>[] = [
  namesItsType({
    section: 'wire-formats 3.3',
    states: 'an `event:` line that names the type of the data: clients drop events without it',
  }),
  doubtful('wire-formats 3.3', 'order', 'message_start first, and once', ({ events }) => {
    const types = events.map(typeOf).filter((type) => type !== 'ping')
    if (types.length === 0 || types[0] === 'error') return undefined
    const starts = types.filter((type) => type === 'message_start').length
    if (types[0] === 'message_start' && starts === 1) return undefined
    return { got: starts > 1 ? `${starts} of them` : `${shown(types[0])} first` }
  }),
  doubtful('wire-formats 3.3', 'order', 'message_stop last, and once', ({ events, whole }) => {
    const types = events.map(typeOf)
    if (!whole || types.length === 0) return undefined
    const stops = types.filter((type) => type === 'message_stop').length
    if (types.at(-1) === 'message_stop' && stops === 1) return undefined
    return { got: stops > 1 ? `${stops} of them` : `${shown(types.at(-1) ?? events.at(-1)?.data)} last` }
  }),
  doubtful(
    'wire-formats 3.3',
    'order',
    'each block started, filled with deltas of its kind and stopped, with indices from 0 on',
    (stream) => followBlocks(stream).breach,
  ),
  doubtful('wire-formats 3.3', 'format', 'pieces of input that add up to a JSON object', (stream) => {
    const cut = stream.events.some(
      ({ fields }) => isFields(fields?.['delta']) && fields['delta']['stop_reason'] === 'max_tokens',
    )
    if (!stream.whole || cut) return undefined
    return firstBreach(followBlocks(stream).blocks, ({ stopped, input }) =>
      !stopped || input === '' || isJson(input)
        ? undefined
        : { pointer: '/delta/partial_json', got: shown(input) },
    )
  }),
  doubtful('contract 2.7', 'missing', 'a message_delta with the stop_reason', ({ events, whole }) => {
    if (!whole || events.length === 0) return undefined
    const said = events.some(
      ({ fields }) => isFields(fields?.['delta']) && typeof fields['delta']['stop_reason'] === 'string',
    )
    return said ? undefined : { pointer: '/delta/stop_reason', got: 'none' }
  }),
  doubtful('contract 2.7', 'missing', 'a tool_use block where stop_reason is tool_use', (stream) => {
    const says = stream.events.some(
      ({ fields }) => isFields(fields?.['delta']) && fields['delta']['stop_reason'] === 'tool_use',
    )
    const { blocks, breach } = followBlocks(stream)
    const uses = blocks.some(({ block }) => String(block['type']).endsWith('tool_use'))
    return says && stream.whole && breach === undefined && !uses
      ? { pointer: '/content_block', got: 'none' }
      : undefined
  }),
]
