/** Judges how clients read streams, and whether they notice that one was cut. */
import { isFields, jsonIn, listOf } from '../../engine/fields.ts'
import { hasEndMarker, readStream } from '../../protocol/read-stream.ts'
import { valueAt } from '../../protocol/wording.ts'
import { type ClientFinding, finding } from '../finding.ts'
import type { RecordedSession, SessionCall } from './recorded-session.ts'

/** A shorter text may appear by chance: it counts only after the messages of the stream's request. */
export const minLength = 8
export const maxLength = 16_000

/** How a user asks for the rest of an answer. */
const asksForTheRest =
  /\b((continu|resum|interrupt)\w*|(go|carry) on|keep going|cut (off|short)|left off|incomplete|finish)\b/i

export function trustedCutStream({ moments }: RecordedSession): ClientFinding[] {
  /** The last streams that ended in the middle of these texts. */
  const cut = new Map<string, SessionCall>()
  const found: ClientFinding[] = []
  for (const { call, isEnd } of moments) {
    if (call.operation?.endpoint.speaks === undefined) continue
    if (isEnd) noteTexts(call, cut)
    else if (cut.size > 0) found.push(...trustedIn(call, cut))
  }
  return found
}

/** Keeps the texts of a cut stream, and forgets those that a complete answer confirms. */
function noteTexts(call: SessionCall, cut: Map<string, SessionCall>): void {
  const { status, ended, hasFaults, responseText } = call
  // Without a fault or a cut, a stream has its end.
  const mayBeCut = ended === 'disconnected' || hasFaults
  if (status !== 200 || ended === 'aborted' || (!mayBeCut && cut.size === 0)) return
  const answer = streamedText(responseText) ?? wholeText(responseText)
  if (answer === undefined || (!answer.isFinished && !mayBeCut)) return
  const messages = messagesOf(call)
  for (const text of answer.texts.map((one) => one.trim())) {
    // Only short texts depend on the messages before them, which a long request may have lost.
    const isLost = text.length < minLength && messages.length === 0
    if (text === '' || text.length > maxLength || isLost) continue
    // The client has the complete answer now, even if it says the same.
    if (answer.isFinished) cut.delete(cutKey(call, text, messages))
    else cut.set(cutKey(call, text, messages), call)
  }
}

/** The assistant turns of a request that trust a cut stream. */
function trustedIn(call: SessionCall, cut: ReadonlyMap<string, SessionCall>): ClientFinding[] {
  const messages = messagesOf(call)
  return messages.flatMap((message, index) => {
    const next = messages[index + 1]
    if (valueAt(message, ['role']) !== 'assistant' || next === undefined) return []
    const text = messageText(message).trim()
    if (text === '' || asksForTheRest.test(messageText(next))) return []
    const first = cut.get(cutKey(call, text, messages.slice(0, index)))
    if (first === undefined) return []
    const subject = first.requestId
    return [
      finding('trusted-cut-stream', { subject, characters: text.length, message: index }, [first, call]),
    ]
  })
}

export const messagesOf = (call: SessionCall): readonly unknown[] => listOf(call.body['messages'])

/** By caller, because another client may say the same by chance. */
function cutKey({ caller }: SessionCall, text: string, before: readonly unknown[]): string {
  return text.length < minLength ? `${caller} ${JSON.stringify(before)} ${text}` : `${caller} ${text}`
}

export function messageText(message: unknown): string {
  const content = valueAt(message, ['content'])
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => valueAt(part, ['text']))
    .filter((text) => typeof text === 'string')
    .join('')
}

export function streamCutShort({ calls }: RecordedSession): ClientFinding[] {
  return calls.flatMap((call) => {
    const { ended, hasFaults, responseText, requestId, eventCount: events } = call
    if (ended !== 'aborted' || hasFaults || streamedText(responseText)?.isFinished !== false) return []
    return [finding('stream-cut-short', { subject: requestId, operation: call.name, events }, [call])]
  })
}

/** In other modes than `manual`, the client may still be reading. */
export function streamLeftOpen({ mode, calls }: RecordedSession): ClientFinding[] {
  if (mode !== 'manual') return []
  return calls.flatMap((call) => {
    const { ended, hasFaults, requestId, eventCount: events } = call
    if (ended !== 'open' || !call.isStream || hasFaults) return []
    return [finding('stream-left-open', { subject: requestId, operation: call.name, events }, [call])]
  })
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
