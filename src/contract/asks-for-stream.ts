/** Whether a request asks for its reply as a stream. */
import { isFields } from '../engine/fields.ts'

const isStreamPart = /name="?stream"?\r?\n(?:[^\r\n]+\r?\n)*\r?\ntrue\r?\n/i

/** `body` as it was sent: JSON, or a form with the text part `stream`. */
export function asksForStream(body: Uint8Array | string | undefined): boolean {
  if (body === undefined) return false
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  if (!text.trimStart().startsWith('{')) return isStreamPart.test(text)
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) && value['stream'] === true
  } catch {
    return false
  }
}
