/** What the contract says about images beyond their schemas. */
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import {
  at,
  breaking,
  doubtful,
  firstCounterexample,
  type GroupRules,
  type Invariant,
  isThere,
  type JudgedAnswer,
  type JudgedStream,
  namesItsType,
  nth,
  shown,
} from '../../protocol/invariant.ts'

const answers: readonly Invariant<JudgedAnswer>[] = [
  breaking('wrong-value', '`n` images', ({ response: { data }, request }) => {
    const wanted = Number(request['n'] ?? 1)
    const isWrong = Array.isArray(data) && data.length !== wanted
    return isWrong && { pointer: '/data', got: `${data.length} images for n: ${wanted}` }
  }),
  breaking('missing-value', 'a URL or b64_json in each item', ({ response }) =>
    firstCounterexample(listOf(response['data']), (item, index) => {
      const isEmpty =
        isFields(item) && ![item['url'], item['b64_json']].some((one) => typeof one === 'string')
      return isEmpty && at(`/data/${index}`, item)
    }),
  ),
  doubtful('missing-value', 'token usage for the newest image models', ({ response, request }) => {
    const isNewest = /gpt-image/i.test(String(request['model']))
    return isNewest && !isThere(response['usage']) && at('/usage', response['usage'])
  }),
]

const isCompleted = (fields: Fields | undefined): boolean => String(fields?.['type']).endsWith('.completed')

/** Invariants over the events of a streamed image. */
const streams: readonly Invariant<JudgedStream>[] = [
  namesItsType('an `event:` line with the type of the data'),
  doubtful('wrong-order', 'a completed event as the last event', ({ events, whole }) => {
    const last = events.findLast(({ fields }) => fields !== undefined)
    return (
      whole && !isCompleted(last?.fields) && { got: `${shown(last?.fields?.['type'])} as the last event` }
    )
  }),
  doubtful(
    'wrong-order',
    'partial images with indices from 0, at most `partial_images`, before the completed image',
    ({ events, request }) => {
      const requested = Number(request['partial_images'] ?? 0)
      let expected = 0
      for (const [at, { fields }] of events.entries()) {
        if (isCompleted(fields)) expected = 0
        const index = fields?.['partial_image_index']
        if (typeof index !== 'number') continue
        if (index !== expected || index >= requested)
          return { pointer: '/partial_image_index', got: `index ${index} in ${nth(at)}` }
        expected += 1
      }
      return undefined
    },
  ),
]

export const imagesRules: GroupRules = {
  group: 'images',
  answers,
  streams,
  files: /^image\//,
}
