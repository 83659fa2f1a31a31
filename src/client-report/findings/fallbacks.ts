/** How clients get an answer after a stream that broke off in the middle of a text. */
import { BoundedMap } from '../../engine/bounded-map.ts'
import { Hasher } from '../../engine/hash.ts'
import { canSpeak } from '../../protocol/operations.ts'
import { valueAt } from '../../protocol/wording.ts'
import type { CallRef, FindingKind, ObservedCall, Watch } from '../observed-call.ts'
import { maxLength, messagesOf, messageText, minLength, streamedText, wholeText } from './streams.ts'

/** A stream that ended in the middle of a text. */
interface CutStream {
  readonly text: string
  readonly route: string
  readonly call: CallRef
  /** The first request after its end: earlier ones ran beside it. Undefined until then. */
  next: number | undefined
}

const maxStreams = 100

/** The model and the operation. */
const routeOf = ({ body, entry }: ObservedCall): string => `${String(body['model'])} (${entry.operation})`

/** The same for all requests of one caller with these messages, whatever the API and the system prompt. */
function promptOf(call: ObservedCall): string | undefined {
  const messages = messagesOf(call).filter(
    (message) => !['system', 'developer'].includes(String(valueAt(message, ['role']))),
  )
  if (messages.length === 0) return undefined
  const hasher = new Hasher().text(call.caller)
  for (const message of messages) hasher.text(String(valueAt(message, ['role']))).text(messageText(message))
  return hasher.words().join()
}

/** The text of a stream that ended in its middle; undefined for others, and for cancelled ones. */
function cutTextOf({ entry }: ObservedCall): string | undefined {
  const isPlanned = entry.cause.faults.length > 0
  if (entry.response?.status !== 200 || !(isPlanned || entry.ended === 'disconnected')) return undefined
  const streamed = streamedText(entry.response?.body?.text)
  const text = streamed?.texts[0]?.trim() ?? ''
  return streamed === undefined || streamed.isFinished || text === '' ? undefined : text
}

/** Calls `complete` for each complete response to the messages of a cut stream. */
function watchCutStreams(
  complete: (call: ObservedCall, cut: CutStream, text: string) => void,
): Watch & Required<Pick<Watch, 'called' | 'ended'>> {
  const streams = new BoundedMap<CutStream>({ count: maxStreams })
  let latest: CutStream[] = []
  const watch = {
    isIdle: true,
    called({ entry }: ObservedCall): void {
      for (const cut of latest) cut.next = entry.seq
      latest = []
    },
    ended(call: ObservedCall): void {
      const { entry } = call
      const partial = cutTextOf(call)
      if (partial === undefined && streams.count === 0) return
      const prompt = promptOf(call)
      if (prompt === undefined) return
      if (partial !== undefined) {
        // The first text is the one that a user saw first.
        if (streams.get(prompt) === undefined) {
          const cut = { text: partial, route: routeOf(call), call: call.ref, next: undefined }
          streams.set(prompt, cut)
          latest.push(cut)
        }
        watch.isIdle = false
        return
      }
      const cut = streams.get(prompt)
      if (cut === undefined || entry.response?.status !== 200 || entry.ended !== 'completed') return
      if (cut.next === undefined || entry.seq < cut.next) return
      const { response } = entry
      const answer = streamedText(response?.body?.text) ?? wholeText(response?.body?.text)
      if (answer === undefined || !answer.isFinished) return
      streams.delete(prompt)
      complete(call, cut, answer.texts[0]?.trim() ?? '')
      watch.isIdle = streams.count === 0
    },
  }
  return watch
}

export const fellBackAfterContent: FindingKind = {
  id: 'fell-back-after-content',
  severity: 'hint',
  summary:
    'Asked another model or API for the answer after a stream had ended mid-text. A user ' +
    'who reads the stream sees two answers, unless the client removes the first, which the gateway ' +
    'cannot see.',
  remedy:
    'Remove the partial text from the output before you show the other answer, or fall back only if no ' +
    'content has arrived.',
  exceptions:
    'a fallback before any text has arrived, a retry with the same model and API, a request sent before ' +
    'the end of the stream or with different messages, and a stream that the client cancelled',
  on: canSpeak,
  watch: ({ report }) =>
    watchCutStreams((call, cut) => {
      const route = routeOf(call)
      if (route === cut.route) return
      report({
        subject: cut.call.requestId,
        message:
          `The stream of ${cut.route} ended after ${cut.text.length} characters of text, and the client ` +
          `used ${route} instead.`,
        calls: [cut.call, call.ref],
      })
    }),
}

/** A partial text and the complete one that came after it. */
interface TwoTexts {
  readonly partial: string
  readonly complete: string
  readonly caller: string
  readonly calls: readonly CallRef[]
}

export const repeatedPartialText: FindingKind = {
  id: 'repeated-partial-text',
  severity: 'error',
  summary:
    'Sent an assistant turn that contains the text of a truncated stream, followed by the complete ' +
    'response to the repeated request.',
  remedy: 'Discard the text of a truncated stream before you request the answer again.',
  exceptions:
    'text shorter than eight characters; a response to a request that already contained the partial ' +
    'text; output that the client does not send back, which the gateway cannot see',
  on: canSpeak,
  watch({ report }) {
    const both = new BoundedMap<TwoTexts>({ count: maxStreams })
    const streams = watchCutStreams((call, cut, complete) => {
      const { text: partial } = cut
      if (partial.length < minLength || complete.length < minLength || complete.length > maxLength) return
      both.set(cut.call.requestId, { partial, complete, caller: call.caller, calls: [cut.call, call.ref] })
    })
    const watch: Watch = {
      isIdle: true,
      called(call) {
        streams.called(call)
        for (const [index, message] of messagesOf(call).entries()) {
          if (valueAt(message, ['role']) !== 'assistant') continue
          const text = messageText(message).trim()
          for (const [requestId, { partial, complete, caller, calls }] of [...both.entries()]) {
            const isJoined =
              text.length >= partial.length + complete.length &&
              text.startsWith(partial) &&
              text.endsWith(complete)
            if (!isJoined || caller !== call.caller) continue
            report({
              subject: requestId,
              message:
                `The text of the truncated stream ${requestId} (${partial.length} characters) is at the ` +
                `beginning of \`messages[${index}]\`, before the complete response.`,
              calls: [...calls, call.ref],
            })
          }
        }
      },
      ended(call) {
        streams.ended(call)
        watch.isIdle = streams.isIdle === true && both.count === 0
      },
    }
    return watch
  },
}
