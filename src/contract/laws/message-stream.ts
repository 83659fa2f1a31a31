/** What the events of a message hold together (contract 4.3; wire-formats 3.3). */

import { type Fields, isFields } from '../../engine/fields.ts'
import { namesItsType } from './event-names.ts'
import { type Breach, firstBreach, isJson, type Law, shown } from './law.ts'
import { type JudgedStream, nth, typeOf } from './stream.ts'

const common = { section: 'wire-formats 3.3', severity: 'doubtful' } as const

const startsOnce: Law<JudgedStream> = {
  ...common,
  states: 'message_start first, and once',
  kind: 'order',
  breach({ events }) {
    const types = events.map(typeOf).filter((type) => type !== 'ping')
    if (types.length === 0 || types[0] === 'error') return undefined
    const starts = types.filter((type) => type === 'message_start').length
    if (types[0] === 'message_start' && starts === 1) return undefined
    return { got: starts > 1 ? `${starts} of them` : `${shown(types[0])} first` }
  },
}

const stopsOnce: Law<JudgedStream> = {
  ...common,
  states: 'message_stop last, and once',
  kind: 'order',
  breach({ events, whole }) {
    const types = events.map(typeOf)
    if (!whole || types.length === 0) return undefined
    const stops = types.filter((type) => type === 'message_stop').length
    if (types.at(-1) === 'message_stop' && stops === 1) return undefined
    return { got: stops > 1 ? `${stops} of them` : `${shown(types.at(-1) ?? events.at(-1)?.data)} last` }
  },
}

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

const blocksInOrder: Law<JudgedStream> = {
  ...common,
  states: 'each block started, filled with deltas of its kind and stopped, with indices from 0 on',
  kind: 'order',
  breach: (stream) => followBlocks(stream).breach,
}

const inputIsJson: Law<JudgedStream> = {
  ...common,
  states: 'pieces of input that add up to a JSON object',
  kind: 'format',
  breach(stream) {
    const cut = stream.events.some(
      ({ fields }) => isFields(fields?.['delta']) && fields['delta']['stop_reason'] === 'max_tokens',
    )
    if (!stream.whole || cut) return undefined
    return firstBreach(followBlocks(stream).blocks, ({ stopped, input }) =>
      !stopped || input === '' || isJson(input)
        ? undefined
        : { pointer: '/delta/partial_json', got: shown(input) },
    )
  },
}

const saysWhyItStopped: Law<JudgedStream> = {
  ...common,
  section: 'contract 2.7',
  states: 'a message_delta with the stop_reason',
  kind: 'missing',
  breach({ events, whole }) {
    if (!whole || events.length === 0) return undefined
    const said = events.some(
      ({ fields }) => isFields(fields?.['delta']) && typeof fields['delta']['stop_reason'] === 'string',
    )
    return said ? undefined : { pointer: '/delta/stop_reason', got: 'none' }
  },
}

const countsTokens: Law<JudgedStream> = {
  ...common,
  states: 'usage.output_tokens in each message_delta: clients read it without a guard',
  kind: 'missing',
  breach: ({ events }) =>
    firstBreach(events, ({ fields }) => {
      if (fields?.['type'] !== 'message_delta') return undefined
      const { usage } = fields
      return isFields(usage) && typeof usage['output_tokens'] === 'number'
        ? undefined
        : { pointer: '/usage/output_tokens', got: shown(usage) }
    }),
}

/** The laws over the stream of a message. */
export const messageStreamLaws: readonly Law<JudgedStream>[] = [
  namesItsType({
    section: common.section,
    states: 'an `event:` line that names the type of the data: clients drop events without it',
  }),
  startsOnce,
  stopsOnce,
  blocksInOrder,
  inputIsJson,
  saysWhyItStopped,
  countsTokens,
]
