/** What the events of a streamed picture hold together (contract 4.4 and 4.5; wire-formats 4). */

import { type Fields, isFields } from '../../engine/fields.ts'
import { namesItsType } from './event-names.ts'
import { firstBreach, type Law, shown } from './law.ts'
import { type JudgedStream, nth } from './stream.ts'

const common = { section: 'wire-formats 4', severity: 'doubtful' } as const

const isCompleted = (fields: Fields | undefined): boolean => String(fields?.['type']).endsWith('.completed')

const endsCompleted: Law<JudgedStream> = {
  ...common,
  states: 'a completed event at the end',
  kind: 'order',
  breach({ events, whole }) {
    const last = events.findLast(({ fields }) => fields !== undefined)
    return !whole || isCompleted(last?.fields) ? undefined : { got: `${shown(last?.fields?.['type'])} last` }
  },
}

const partialsInOrder: Law<JudgedStream> = {
  ...common,
  states: 'partial images with indices from 0 on, at most as many as asked for, before the completed one',
  kind: 'order',
  breach({ events, request }) {
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
}

const usageAddsUp: Law<JudgedStream> = {
  ...common,
  section: 'contract 2.8',
  states: 'total_tokens = input_tokens + output_tokens',
  kind: 'value',
  breach: ({ events }) =>
    firstBreach(events, ({ fields }) => {
      const usage = fields?.['usage']
      if (!isFields(usage)) return undefined
      const { input_tokens: asked, output_tokens: drawn, total_tokens: total } = usage
      if (typeof asked !== 'number' || typeof drawn !== 'number' || typeof total !== 'number')
        return undefined
      return asked + drawn === total
        ? undefined
        : { pointer: '/usage/total_tokens', got: `${asked} + ${drawn} = ${total}` }
    }),
}

/** The laws over a stream of pictures. */
export const imageStreamLaws: readonly Law<JudgedStream>[] = [
  namesItsType({ section: common.section, states: 'an `event:` line that names the type of the data' }),
  endsCompleted,
  partialsInOrder,
  usageAddsUp,
]
