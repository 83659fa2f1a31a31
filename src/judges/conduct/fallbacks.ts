/** Judges how clients get an answer after a stream that broke off in the middle of a text. */
import { valueAt } from '../../protocol/wording.ts'
import { type ClientFinding, finding } from '../finding.ts'
import type { RecordedSession, SessionCall } from './recorded-session.ts'
import { maxLength, messagesOf, messageText, minLength, streamedText, wholeText } from './streams.ts'

/** A stream that ended in the middle of a text, and the complete response to the same messages. */
interface Completed {
  readonly cut: SessionCall
  readonly partial: string
  readonly answer: SessionCall
  readonly complete: string
}

export function fellBackAfterContent(session: RecordedSession): ClientFinding[] {
  return completedStreams(session).flatMap(({ cut, partial, answer }) => {
    const [route, instead] = [routeOf(cut), routeOf(answer)]
    if (route === instead) return []
    const args = { subject: cut.requestId, characters: partial.length, route, instead }
    return [finding('fell-back-after-content', args, [cut, answer])]
  })
}

/** The model and the operation. */
const routeOf = ({ body, entry }: SessionCall): string => `${String(body['model'])} (${entry.operation})`

export function repeatedPartialText(session: RecordedSession): ClientFinding[] {
  const pairs = completedStreams(session).filter(
    ({ partial, complete }) =>
      partial.length >= minLength && complete.length >= minLength && complete.length <= maxLength,
  )
  if (pairs.length === 0) return []
  return session.calls.filter(speaks).flatMap((call) => {
    const known = pairs.filter(({ answer }) => answer.isKnownTo(call) && answer.caller === call.caller)
    if (known.length === 0) return []
    return messagesOf(call).flatMap((message, index) => {
      const text = valueAt(message, ['role']) === 'assistant' ? messageText(message).trim() : ''
      return known
        .filter((pair) => isJoined(text, pair))
        .map(({ cut, partial, answer }) => {
          const args = { subject: cut.requestId, characters: partial.length, message: index }
          return finding('repeated-partial-text', args, [cut, answer, call])
        })
    })
  })
}

const isJoined = (text: string, { partial, complete }: Completed): boolean =>
  text.length >= partial.length + complete.length && text.startsWith(partial) && text.endsWith(complete)

const speaks = ({ operation }: SessionCall): boolean => operation?.endpoint.speaks !== undefined

function completedStreams({ moments }: RecordedSession): readonly Completed[] {
  /** By caller and messages. The first text is the one that a user saw first. */
  const open = new Map<string, Pick<Completed, 'cut' | 'partial'>>()
  const completed: Completed[] = []
  for (const { call, isEnd } of moments) {
    if (!isEnd || !speaks(call)) continue
    const partial = cutTextOf(call)
    const prompt = partial !== undefined || open.size > 0 ? promptOf(call) : undefined
    if (prompt === undefined) continue
    const first = open.get(prompt)
    if (partial !== undefined) {
      if (first === undefined) open.set(prompt, { cut: call, partial })
      continue
    }
    const { status, ended, responseText } = call
    // A request that was sent before the end of the stream ran beside it.
    if (first === undefined || !first.cut.isKnownTo(call) || status !== 200 || ended !== 'completed') continue
    const answer = streamedText(responseText) ?? wholeText(responseText)
    if (answer?.isFinished !== true) continue
    open.delete(prompt)
    completed.push({ ...first, answer: call, complete: answer.texts[0]?.trim() ?? '' })
  }
  return completed
}

/** The text of a stream that ended in its middle; undefined for others, and for cancelled ones. */
function cutTextOf({ status, ended, hasFaults, responseText }: SessionCall): string | undefined {
  if (status !== 200 || (!hasFaults && ended !== 'disconnected')) return undefined
  const streamed = streamedText(responseText)
  const text = streamed?.texts[0]?.trim() ?? ''
  return streamed === undefined || streamed.isFinished || text === '' ? undefined : text
}

/** The same for all requests of one caller with these messages, whatever the API and the system prompt. */
function promptOf(call: SessionCall): string | undefined {
  const messages = messagesOf(call)
    .map((message) => [String(valueAt(message, ['role'])), messageText(message)] as const)
    .filter(([role]) => role !== 'system' && role !== 'developer')
  return messages.length === 0 ? undefined : JSON.stringify([call.caller, ...messages])
}
