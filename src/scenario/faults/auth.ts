/** The key is refused. */
import * as z from 'zod'
import { isGateway } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const auth = defineFault({
  kind: 'auth',
  part: 'api',
  what: 'The key is not accepted (401), or lacks the permission (403).',
  on: isGateway,
  early: true,
  options: () => z.strictObject({ status: z.literal([401, 403]).default(401).describe('The status.') }),
  seen: ({ status }) => (status === 401 ? '401, the key is not accepted.' : '403, the key may not do this.'),
  plan: ({ status }) => ({
    refuse:
      status === 401
        ? { type: 'authentication_error', before: 'auth', message: 'Incorrect API key provided.' }
        : {
            type: 'permission_error',
            before: 'auth',
            message: 'You do not have permission to make this request.',
          },
  }),
})
