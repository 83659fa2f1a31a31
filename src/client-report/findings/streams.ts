/** How clients read streams, and whether they notice that one was cut. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import { isFields, jsonIn, listOf } from '../../engine/fields.ts'
import { Hasher } from '../../engine/hash.ts'
import { canSpeak } from '../../protocol/operations.ts'
import { hasEndMarker, readStream } from '../../protocol/read-stream.ts'
import { valueAt } from '../../protocol/wording.ts'
import { counted } from '../../text/printable.ts'
import type { CallRef, FindingKind, ObservedCall, Watch } from '../observed-call.ts'

/** A shorter text may appear by chance: it counts only after the messages of the stream's request. */
export const minLength = 8
export const maxLength = 16_000

/** How a user asks for the rest of an answer. */
const asksForTheRest =
  /\b((continu|resum|interrupt)\w*|(go|carry) on|keep going|cut (off|short)|left off|incomplete|finish)\b/i

export const trustedCutStream: FindingKind = {
  id: 'trusted-cut-stream',
  severity: 'error',
  summary: 'Sent the text of a truncated stream as an assistant turn, as if the text were complete.',
  remedy:
    'Treat a streamed response as complete only after its end (`finish_reason`, `message_stop`). If the ' +
    'end is missing, send the request again, or ask for the rest in the next turn.',
  exceptions:
    'a stream that the client cancelled; a turn followed by a request to continue it; a prefill; text that ' +
    'matches a later, complete response; text under eight characters, unless it follows the same ' +
    'messages as the stream',
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
            valueAt(message, ['role']) === 'assistant' &&
            next !== undefined &&
            !asksForTheRest.test(messageText(next))
          ) {
            const text = messageText(message).trim()
            const first = text === '' ? undefined : cut.get(cutKey(call, text, before))
            if (first !== undefined)
              report({
                subject: first.requestId,
                message:
                  `The text of the truncated stream ${first.requestId} (${text.length} characters) was ` +
                  `sent as a complete assistant turn (\`messages[${index}]\`).`,
                calls: [first, call.ref],
              })
          }
          before.add(message)
        }
      },
      ended(call) {
        const { entry } = call
        if (entry.response?.status !== 200 || entry.ended === 'aborted') return
        // Without a fault or a cut, a stream has its end.
        const mayBeCut = entry.ended === 'disconnected' || entry.cause.faults.length > 0
        if (!mayBeCut && cut.count === 0) return
        const { response } = entry
        const streamed = streamedText(response?.body?.text) ?? wholeText(response?.body?.text)
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

/** The messages before a turn, hashed incrementally: each only once, and only when a short text needs it. */
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

export const messagesOf = (call: ObservedCall): readonly unknown[] => listOf(call.body['messages'])

// By caller, because another client may say the same by chance.
const cutKey = (call: ObservedCall, text: string, before: PrecedingMessages): string =>
  text.length < minLength ? `${call.caller} ${before.fingerprint} ${text}` : `${call.caller} ${text}`

export function messageText(message: unknown): string {
  const content = valueAt(message, ['content'])
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => valueAt(part, ['text']))
    .filter((text) => typeof text === 'string')
    .join('')
}

export const streamCutShort: FindingKind = {
  id: 'stream-cut-short',
  severity: 'hint',
  summary: 'Disconnected from a stream before the finish reason arrived. The tokens are still billed.',
  remedy:
    'Read streams to the end, or limit their length (`max_completion_tokens`, `stop`). Cancelling at the ' +
    "user's request is fine.",
  exceptions:
    'a disconnect between the finish reason and `[DONE]`, and a disconnect from a stream with a fault',
  watch: ({ report }) => ({
    isIdle: true,
    ended(call) {
      const { entry } = call
      if (entry.ended !== 'aborted' || entry.cause.faults.length > 0) return
      const streamed = streamedText(entry.response?.body?.text)
      if (streamed === undefined || streamed.isFinished) return
      report({
        subject: entry.cause.requestId,
        message:
          `The client aborted the stream of ${entry.operation ?? call.path} after ` +
          `${counted(entry.response?.eventCount ?? 0, 'event')}, before the finish reason.`,
        calls: [call.ref],
      })
    },
  }),
}

export const streamLeftOpen: FindingKind = {
  id: 'stream-left-open',
  severity: 'hint',
  summary:
    'Neither read a stream to the end nor cancelled it before the report. Checked only in ' +
    '`manual` clock mode: in other modes, the client may still be reading.',
  remedy: 'Read the stream to the end, or cancel it. An open stream occupies a connection.',
  exceptions: 'a stream with a fault',
  watch({ mode }) {
    const open = new BoundedMap<{ readonly call: CallRef; readonly operation: string; events(): number }>({
      count: 1000,
    })
    if (mode !== 'manual') return {}
    return {
      called(call) {
        const { entry } = call
        if (call.isStream && entry.cause.faults.length === 0)
          open.set(String(entry.seq), {
            call: call.ref,
            operation: entry.operation ?? call.path,
            events: () => entry.response?.eventCount ?? 0,
          })
      },
      ended({ entry }) {
        if (open.count > 0) open.delete(String(entry.seq))
      },
      finish: () =>
        [...open.values()].map(({ call, operation, events }) => ({
          subject: call.requestId,
          message:
            `The stream of ${operation} is still open after ${counted(events(), 'event')}: ` +
            'the client neither read it to the end nor cancelled it.',
          calls: [call],
        })),
    }
  },
}

export interface StreamedText {
  /** True once an event says how the answer ended. */
  readonly isFinished: boolean
  /** The text of a stream's first choice, or of each choice of a plain response. */
  readonly texts: readonly string[]
}

/** The journal keeps no more of a response than this. */
const maxResponseLength = 60_000

/** The text of a stream; undefined for other responses, and for one that was not kept whole. */
export function streamedText(response: string | undefined): StreamedText | undefined {
  if (
    response === undefined ||
    response.length > maxResponseLength ||
    !/^(?:\uFEFF)?(?:data|event|:)/.test(response)
  )
    return undefined
  const events = [...response.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => ({ data }))
  const { text, finish } = readStream(events)
  return { isFinished: finish !== undefined || hasEndMarker(events), texts: [text] }
}

/** The text of a plain response, which is always complete; undefined for one that was not kept whole. */
export function wholeText(response: string | undefined): StreamedText | undefined {
  const body = jsonIn(response)
  if (!isFields(body)) return undefined
  const texts = [...listOf(body['choices']).map((choice) => valueAt(choice, ['message'])), body]
    .map(messageText)
    .filter((text) => text !== '')
  return texts.length === 0 ? undefined : { isFinished: true, texts }
}
