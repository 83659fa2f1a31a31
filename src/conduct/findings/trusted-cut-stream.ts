/** A truncated answer is taken for the whole. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import { Hasher } from '../../engine/hash.ts'
import { canSpeak } from '../../protocol/operations.ts'
import type { FindingKind, Watch } from '../finding.ts'
import type { CallRef, Fields, ObservedCall } from '../observed-call.ts'
import { readStream, readWhole } from '../stream-text.ts'

/**
 * A beginning of fewer characters may be said by anybody, anywhere: it is known again only behind the very
 * messages that the stream answered.
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
    'a stream that the client itself cancelled, a turn followed by a request for the rest, a prefill at',
    'the end of the messages, a text that a complete answer has contained since, and fewer than eight',
    'characters after other messages than those of the stream',
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
          if (roleOf(message) === 'assistant' && next !== undefined && !asksForTheRest.test(textOf(next))) {
            const text = textOf(message).trim()
            const first = text === '' ? undefined : cut.get(keyOf(call, text, before))
            if (first !== undefined)
              report({
                subject: first.requestId,
                message: [
                  `What the stream ${first.requestId} had said when it broke off (${text.length}`,
                  `characters) came back as an assistant turn, \`messages[${index}]\`.`,
                ].join(' '),
                calls: [first, call.sighting],
              })
          }
          before.add(message)
        }
      },
      ended(call) {
        const { entry } = call
        if (entry.status !== 200 || entry.ended === 'aborted') return
        // A stream that nothing has gone wrong with has its end.
        const mayBeCut = entry.ended === 'cut' || entry.faults.length > 0
        if (!mayBeCut && cut.count === 0) return
        const streamed = readStream(entry.reply) ?? readWhole(entry.reply)
        if (streamed === undefined || (!streamed.isFinished && !mayBeCut)) return
        const texts = streamed.texts
          .map((text) => text.trim())
          .filter((text) => text !== '' && text.length <= maxLength)
        // Only a short text needs to know what it answers, and a long request was not kept whole.
        const messages = texts.some((text) => text.length < minLength) ? messagesOf(call) : []
        const before = new PrecedingMessages(messages)
        for (const text of texts) {
          if (text.length < minLength && messages.length === 0) continue
          const key = keyOf(call, text, before)
          // Whoever has asked again has a whole answer, also when it says the same.
          if (streamed.isFinished) cut.delete(key)
          else cut.set(key, call.sighting)
        }
        watch.isIdle = cut.count === 0
      },
    }
    return watch
  },
}

/**
 * The messages before a turn, summed up as they are passed: each is looked at once, and only where a short
 * text asks for them.
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

  get print(): string {
    for (; this.#summed < this.#messages.length; this.#summed++)
      this.#hasher.text(JSON.stringify(this.#messages[this.#summed]))
    return this.#hasher.words().join()
  }
}

function messagesOf(call: ObservedCall): readonly unknown[] {
  return Array.isArray(call.body['messages']) ? (call.body['messages'] as unknown[]) : []
}

// Another client may say the same by chance.
const keyOf = (call: ObservedCall, text: string, before: PrecedingMessages): string =>
  text.length < minLength ? `${call.caller} ${before.print} ${text}` : `${call.caller} ${text}`

function roleOf(message: unknown): unknown {
  return message !== null && typeof message === 'object' ? (message as Fields)['role'] : undefined
}

function textOf(message: unknown): string {
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
