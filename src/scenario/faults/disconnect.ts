/** The connection breaks after so many events: everything before arrives, nothing after. */
import type { Reply } from '../../protocol/reply.ts'

export function disconnect(reply: Reply, fault: { readonly afterEvents: number; readonly how?: 'end' | 'reset' }): Reply {
  return { ...reply, wire: [...(reply.wire ?? []), { kind: 'cut', afterEvents: fault.afterEvents, how: fault.how ?? 'reset' }] }
}
