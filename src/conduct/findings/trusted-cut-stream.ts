/** The beginning of an answer is taken for the whole. */
import type { FindingKind } from '../finding.ts'
import type { Fields, ObservedCall, Sighting } from '../observed-call.ts'
import { Recent } from '../recent.ts'
import { readSaid } from '../stream-text.ts'

/** Shorter beginnings may be said by anybody. */
const shortest = 8
const longest = 16_000

/** How a user asks for the rest of an answer. */
const asksForTheRest = /\b(?:continu\w*|go on|carry on|keep going|resum\w*|interrupt\w*|cut (?:off|short)|incomplete|left off|finish)\b/i

export const trustedCutStream: FindingKind = {
  id: 'trusted-cut-stream',
  severity: 'error',
  what: 'Sent the text of a stream that broke off back as an assistant turn, as if it had been the whole answer.',
  section: 'contract 4.2, 4.3',
  remedy: 'Take an answer for whole only when the stream has said how it ended (`finish_reason`, `message_stop`); otherwise ask again, or say in the next turn that it was interrupted.',
  example: 'a stream is cut after three events without an error; the client puts what it has into the conversation and goes on',
  not: 'a stream that the client itself has left, a turn behind which the rest is asked for, and a beginning at the end of the messages, which the model is to go on from',
  on: ['chat.create', 'messages.create'],
  watch({ found }) {
    const cut = new Recent<Sighting>(100)
    return {
      called(call) {
        if (cut.size === 0) return
        const messages = Array.isArray(call.body['messages']) ? (call.body['messages'] as unknown[]) : []
        for (const [index, message] of messages.entries()) {
          const next = messages[index + 1]
          if (roleOf(message) !== 'assistant' || next === undefined || asksForTheRest.test(textOf(next))) continue
          const text = textOf(message).trim()
          const first = cut.get(keyOf(call, text))
          if (first !== undefined) found({ subject: first.requestId, message: `What the stream ${first.requestId} had said when it broke off (${text.length} characters) came back as an assistant turn, \`messages[${index}]\`.`, calls: [first, call.sighting] })
        }
      },
      ended(call) {
        const { entry } = call
        // A stream that nothing has gone wrong with has its end.
        if (entry.status !== 200 || entry.ended === 'aborted' || (entry.ended !== 'cut' && entry.faults.length === 0)) return
        const said = readSaid(entry.reply)
        if (said === undefined || said.isFinished) return
        for (const text of said.texts) {
          const whole = text.trim()
          if (whole.length >= shortest && whole.length <= longest) cut.set(keyOf(call, whole), call.sighting)
        }
      },
    }
  },
}

// Another client may say the same by chance.
const keyOf = (call: ObservedCall, text: string): string => `${call.caller} ${text}`

function roleOf(message: unknown): unknown {
  return message !== null && typeof message === 'object' ? (message as Fields)['role'] : undefined
}

function textOf(message: unknown): string {
  const content = message !== null && typeof message === 'object' ? (message as Fields)['content'] : undefined
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => (part !== null && typeof part === 'object' && typeof (part as Fields)['text'] === 'string' ? String((part as Fields)['text']) : '')).join('') : ''
}
