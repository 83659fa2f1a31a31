/** The filter of the service takes offence. */
import * as z from 'zod'
import type { Plan } from '../../protocol/plan.ts'
import { defineFault } from './fault.ts'
import { submitting } from './places.ts'

export const contentFilter = defineFault({
  kind: 'content-filter',
  part: 'api',
  what: 'The content filter takes offence: the answer breaks off (chat: `finish_reason: content_filter`, messages: `stop_reason: refusal`), pictures are refused (400 `moderation_blocked`), a job or video fails.',
  on: ['chat.create', 'messages.create', 'images.generate', 'images.edit', ...submitting],
  inProcess: 'the same reply',
  options: () => z.strictObject({}),
  seen: (_, { operation }) => {
    const [group] = operation.split('.')
    if (group === 'chat')
      return 'The content filter takes offence: the answer breaks off (`finish_reason: content_filter`).'
    if (group === 'messages')
      return 'The content filter takes offence: the answer breaks off (`stop_reason: refusal`).'
    return `The content filter takes offence: ${group === 'images' ? 'the pictures are refused (400 `moderation_blocked`)' : `the ${group === 'videos' ? 'video' : group === 'operations' ? 'operation' : 'job'} fails`}.`
  },
  plan: (_, { operation }) => filtered(operation.split('.')[0] ?? ''),
})

function filtered(group: string): Plan {
  if (group === 'chat' || group === 'messages') return { answer: { finish: 'content_filter' } }
  if (group === 'images')
    return {
      refuse: {
        type: 'moderation_blocked',
        before: 'act',
        message: 'Your request was rejected by the safety system: moderation_blocked.',
      },
    }
  // An image job is rejected when all of its pictures are (wire-formats 7).
  if (group === 'imageJobs') return { job: { blocked: [0, 1, 2, 3] } }
  return {
    job: {
      failAt: 50,
      failure: { code: 'moderation_blocked', message: 'The prompt was refused by the safety system.' },
    },
  }
}
