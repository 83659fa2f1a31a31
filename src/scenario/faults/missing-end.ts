/** The stream ends without its end marker (`[DONE]`, `message_stop`). */
import type { Reply } from '../../protocol/reply.ts'

export function missingEnd(reply: Reply): Reply {
  if (reply.body.kind !== 'events') return reply
  return { ...reply, body: { kind: 'events', events: reply.body.events.slice(0, -1) } }
}
