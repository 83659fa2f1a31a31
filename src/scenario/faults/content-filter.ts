/** The content filter of the service refuses the call or its result. */
import * as z from 'zod'
import { canDraw, canSpeak, canSubmit } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const contentFilter = defineFault({
  kind: 'content-filter',
  part: 'api',
  what: [
    'The content filter blocks the call. Answers break off (chat: `finish_reason: content_filter`,',
    'messages: `stop_reason: refusal`), images are refused (400 `moderation_blocked`), jobs fail.',
  ].join(' '),
  on: (operation) => canSpeak(operation) || canDraw(operation) || canSubmit(operation),
  options: () => z.strictObject({}),
  seen(_, { endpoint: { speaks, draws, submits } }) {
    const result =
      speaks !== undefined
        ? `the answer breaks off (\`${speaks.filtered}\`)`
        : draws === true
          ? 'the images are refused (400 `moderation_blocked`)'
          : `the ${submits?.noun} fails`
    return `The content filter blocks the call: ${result}.`
  },
  plan(_, { endpoint: { speaks, draws, submits } }) {
    if (speaks !== undefined) return { answer: { finish: 'content_filter' } }
    if (draws === true)
      return {
        refuse: {
          type: 'moderation_blocked',
          before: 'act',
          message: 'Your request was rejected by the safety system: moderation_blocked.',
        },
      }
    return { job: submits?.filtered ?? halfWay }
  },
})

const halfWay = {
  failAt: 50,
  failure: { code: 'moderation_blocked', message: 'The prompt was refused by the safety system.' },
}
