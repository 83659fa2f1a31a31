/** `sim.explainCall`: why a call got the reply it got. */

import { explainCall } from '../journal/explain/explain-call.ts'
import { explanationSchema } from '../journal/explain/explanation-schema.ts'
import { findCall } from '../journal/explain/find-call.ts'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { json } from '../protocol/reply.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { own } from './control.ts'

export function explainEndpoints({ sessions }: { readonly sessions: Sessions }): readonly Endpoint[] {
  const explain = defineEndpoint({
    ...own,
    operation: 'sim.explainCall',
    method: 'GET',
    path: '/__sim/journal/{id}/explain',
    summary:
      'Why a call got its reply: by the request id of the reply, or by the number of the call in the session',
    accepts: [],
    reply: explanationSchema,
    act: ({ params }, { world }) => json(explainCall(findCall(params.id, world, sessions.findByTag))),
  })
  return [explain]
}
