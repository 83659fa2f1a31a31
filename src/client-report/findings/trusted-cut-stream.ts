/** A truncated answer is taken for the complete one. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import { Hasher } from '../../engine/hash.ts'
import { canSpeak } from '../../protocol/operations.ts'
import type { FindingKind, Watch } from '../finding.ts'
import type { CallRef, Fields, ObservedCall } from '../observed-call.ts'
import { readStream, readWhole } from '../stream-text.ts'

/**
 * A shorter text may appear anywhere by chance: it counts only after the same messages as in the stream's
 * request.
 */
const minLength = 8
const maxLength = 16_000

/** How a user asks for the rest of an answer. */
const asksForTheRest =
  /\b((continu|resum|interrupt)\w*|(go|carry) on|keep going|cut (off|short)|left off|incomplete|finish)\b/i

export const trustedCutStream: FindingKind = {
  id: 'trusted-cut-stream',
  severity: 'error',
  summary: 'Sent the text of a truncated stream back as an assistant turn, as if it were the whole answer.',
  section: 'contract 4.2, 4.3',
  remedy: [
    'Treat an answer as complete only after its end (`finish_reason`, `message_stop`); otherwise ask',
    'again, or say in the next turn that it was interrupted.',
  ].join(' '),
  example: [
    'a stream is cut after three events without an error; the client adds what it has to the',
    'conversation and goes on',
  ].join(' '),
  exceptions: [
    'a stream that the client itself cancelled; a turn followed by a request for the rest; a prefill at',
    'the end of the messages; a text that a complete answer has contained since; fewer than eight',
    'characters, unless they follow the same messages as the stream',
  ].join(' '),
  on: canSpeak,
  watch({ report }) {
    const cut = new BoundedMap<CallRef>({ count: 100 })
    const watch: Watch = {
      isIdle: true,
      called(call) {
        const messages = messagesOf(call)
        const before = new PrecedingMessages()
        for (const [index, message] of messages.entries()) {
          const next = messages[index + 1]
          if (
            roleOf(message) === 'assistant' &&
            next !== undefined &&
            !asksForTheRest.test(messageText(next))
          ) {
            const text = messageText(message).trim()
            const first = text === '' ? undefined : cut.get(cutKey(call, text, before))
            if (first !== undefined)
              report({
                subject: first.requestId,
                message: [
                  `The text of the stream ${first.requestId} when it broke off (${text.length}`,
                  `characters) came back as an assistant turn, \`messages[${index}]\`.`,
                ].join(' '),
                calls: [first, call.ref],
              })
          }
          before.add(message)
        }
      },
      ended(call) {
        const { entry } = call
        if (entry.status !== 200 || entry.ended === 'aborted') return
        // Without a fault or a cut, a stream has its end.
        const mayBeCut = entry.ended === 'cut' || entry.faults.length > 0
        if (!mayBeCut && cut.count === 0) return
        const streamed = readStream(entry.reply) ?? readWhole(entry.reply)
        if (streamed === undefined || (!streamed.isFinished && !mayBeCut)) return
        const texts = streamed.texts
          .map((text) => text.trim())
          .filter((text) => text !== '' && text.length <= maxLength)
        // Only short texts depend on the messages before them, which a long request may have lost.
        const messages = texts.some((text) => text.length < minLength) ? messagesOf(call) : []
        const before = new PrecedingMessages(messages)
        for (const text of texts) {
          if (text.length < minLength && messages.length === 0) continue
          const key = cutKey(call, text, before)
          // The client has the complete answer now, even if it says the same.
          if (streamed.isFinished) cut.delete(key)
          else cut.set(key, call.ref)
        }
        watch.isIdle = cut.count === 0
      },
    }
    return watch
  },
}

/**
 * The messages before a turn, hashed incrementally: each only once, and only when a short text needs it.
 */
class PrecedingMessages {
  readonly #messages: unknown[]
  readonly #hasher = new Hasher()
  #summed = 0

  constructor(messages: readonly unknown[] = []) {
    this.#messages = [...messages]
  }

  add(message: unknown): void {
    this.#messages.push(message)
  }

  get fingerprint(): string {
    for (; this.#summed < this.#messages.length; this.#summed++)
      this.#hasher.text(JSON.stringify(this.#messages[this.#summed]))
    return this.#hasher.words().join()
  }
}

function messagesOf(call: ObservedCall): readonly unknown[] {
  return Array.isArray(call.body['messages']) ? (call.body['messages'] as unknown[]) : []
}

// By caller, because another client may say the same by chance.
const cutKey = (call: ObservedCall, text: string, before: PrecedingMessages): string =>
  text.length < minLength ? `${call.caller} ${before.fingerprint} ${text}` : `${call.caller} ${text}`

function roleOf(message: unknown): unknown {
  return message !== null && typeof message === 'object' ? (message as Fields)['role'] : undefined
}

function messageText(message: unknown): string {
  const content = message !== null && typeof message === 'object' ? (message as Fields)['content'] : undefined
  if (typeof content === 'string') return content
  return Array.isArray(content)
    ? content
        .map((part) =>
          part !== null && typeof part === 'object' && typeof (part as Fields)['text'] === 'string'
            ? String((part as Fields)['text'])
            : '',
        )
        .join('')
    : ''
}
