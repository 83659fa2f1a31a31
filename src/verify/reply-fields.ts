/** Conditions that requests have beyond a rule's `when`: on the reply, and on how the call went. */
import type { JournalEntry } from '../engine/journal-entry.ts'
import type { Comparing } from '../scenario/compile/match-shape.ts'

export interface ReplyField {
  readonly name: string
  readonly description: string
  /** How texts are compared. */
  readonly how?: Comparing
  value(entry: JournalEntry): unknown
}

const names: Comparing = { endings: true }

export const replyFields: readonly ReplyField[] = [
  { name: 'method', description: '`GET`, `POST`, …', value: ({ method }) => method },
  {
    name: 'status',
    description: 'The status of the reply, or a class: `4xx`.',
    value: ({ status }) => status,
  },
  {
    name: 'rule',
    description: 'The id of the scenario rule that answered; a text may end in `*`.',
    how: names,
    value: ({ rule }) => rule,
  },
  {
    name: 'decidedBy',
    description: 'What decided the reply; a text may end in `*`.',
    how: names,
    value: ({ decidedBy }) => decidedBy,
  },
  {
    name: 'caller',
    description: 'The digits that identify a key in the journal.',
    value: ({ caller }) => caller,
  },
  { name: 'requestId', description: 'The request id of the reply.', value: ({ requestId }) => requestId },
  {
    name: 'ended',
    description: 'How the reply ended: `open`, `completed`, `aborted`, `cut`.',
    value: ({ ended }) => ended,
  },
  { name: 'events', description: 'How many stream events were sent.', value: ({ events }) => events },
  {
    name: 'unmatched',
    description: 'Whether `strict` refused the call because no rule names it.',
    value: ({ unmatched }) => unmatched,
  },
  {
    name: 'faults',
    description: 'The names of the faults of the reply, as a list.',
    value: ({ faults }) => faults,
  },
  {
    name: 'ignored',
    description: 'The top-level fields of the body that the endpoint does not know, as a list.',
    value: ({ ignored }) => ignored,
  },
  {
    name: 'refusal',
    description: 'The refusal: `{ type, code, param, jobId, retryAfterMs }`.',
    value: ({ refusal }) => refusal,
  },
  {
    name: 'reply',
    description: 'The body of the reply, when it is JSON; the text of any other.',
    value: ({ reply }) => parsed(reply),
  },
]

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
