/** An error event in the middle of a stream that began with 200; it is the last thing the client hears. */
import { ApiError, type RefusalType } from '../../protocol/errors.ts'
import type { Reply, StreamEvent } from '../../protocol/reply.ts'

export function errorEvent(reply: Reply, fault: { readonly afterEvents: number; readonly type: RefusalType; readonly message: string }, render: (error: ApiError) => Omit<StreamEvent, 'after'>): Reply {
  if (reply.body.kind !== 'events') return reply
  const kept = reply.body.events.slice(0, fault.afterEvents)
  const last = render(new ApiError(fault.type, fault.message))
  return { ...reply, body: { kind: 'events', events: [...kept, { after: 0, ...last }] } }
}
