/** Nothing more comes after so many events, and the connection stays open until the client leaves. */
import type { Reply } from '../../protocol/reply.ts'

export function stall(reply: Reply, fault: { readonly afterEvents: number }): Reply {
  return { ...reply, wire: [...(reply.wire ?? []), { kind: 'stall', afterEvents: fault.afterEvents }] }
}
