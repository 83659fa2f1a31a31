/** The account has used up its quota. */
import * as z from 'zod'
import { isGateway } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const quota = defineFault({
  kind: 'quota',
  part: 'api',
  what: [
    '429 `insufficient_quota` (messages: `rate_limit_error`): the account has used up its quota. There',
    'is no `retry-after`, because waiting does not help.',
  ].join(' '),
  on: isGateway,
  options: () => z.strictObject({}),
  plan: () => ({
    refuse: {
      type: 'insufficient_quota',
      before: 'act',
      message:
        'You exceeded your current quota, please check your plan and billing details (insufficient_quota).',
    },
  }),
})
