/** What becomes of large replies while clients leave too many bytes unread. */

import type { Body } from '../protocol/reply.ts'
import { smallReply, tooMuchUnread } from '../protocol/reply-size.ts'
import type { CallState } from './call-state.ts'

/** Throws 503 unless the reply is small. Those who look for the cause, by the control API, get theirs. */
export function refuseLarge({ reply, group, parts }: CallState): void {
  if (group.internal !== true && isLarge(reply.body)) throw tooMuchUnread('a reply of this size', parts)
}

// What media weigh shows when they are rendered.
function isLarge(body: Body): boolean {
  switch (body.kind) {
    case 'json':
      return body.media !== undefined || JSON.stringify(body.value).length > smallReply
    case 'text':
      return body.text.length > smallReply
    case 'events':
      return (
        body.events.some(({ media }) => media !== undefined) ||
        body.events.reduce((sum, { data, raw = data }) => sum + raw.length, 0) > smallReply
      )
    case 'media':
    case 'bytes':
      return true
    case 'none':
      return false
  }
}
