/** Reserved API keys, and the model that never exists. The documentation is generated from these tables. */
import type { Plan, PlannedRefusal } from '../../protocol/plan.ts'
import type { ReservedKey } from './value.ts'

const before = (type: PlannedRefusal['type'], message: string): Plan => ({
  refuse: { type, message, before: 'auth' },
})

/** API keys that contain one of these words are refused. */
export const reservedKeys: readonly ReservedKey[] = [
  {
    contains: 'invalid',
    reaches: '401, authentication failed',
    plan: before(
      'authentication_error',
      'Incorrect API key provided: the key contains the reserved word "invalid".',
    ),
  },
  {
    contains: 'wrong',
    reaches: '401, authentication failed',
    plan: before(
      'authentication_error',
      'Incorrect API key provided: the key contains the reserved word "wrong".',
    ),
  },
  {
    contains: 'forbidden',
    reaches: '403, no access permission',
    plan: before('permission_error', 'No access permission: the key contains the reserved word "forbidden".'),
  },
]

/** A model id that never exists: 404, or 403 where image jobs ask whether a model is enabled (contract 7). */
export const reservedMissingModel = 'no-such-model'
