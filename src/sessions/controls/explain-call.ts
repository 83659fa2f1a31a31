/** `explainCall`: why a call got the reply it got. */
import { type CallExplanation, explainCall as explain } from '../../journal/explain/explain-call.ts'
import { explanationSchema } from '../../journal/explain/explanation-schema.ts'
import { findCall } from '../../journal/explain/find-call.ts'
import type { Implementation } from './control.ts'

/** @internal */
export const explainCall: Implementation<(id: string | number) => CallExplanation> = {
  act: ({ session, parts }, id) =>
    explain(findCall(id, session.world, (tag) => parts.sessions.findByTag(tag))),
  endpoint: {
    operation: 'sim.explainCall',
    summary:
      'Why a call got its reply: by the request id of the reply, or by the number of the call in the session',
    reply: explanationSchema,
  },
}
