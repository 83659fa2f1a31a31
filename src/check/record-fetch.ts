/** Records what a check sends and receives, for reports with all requests. */

import { joinBytes } from '../engine/bytes.ts'
import { isSecretHeader } from '../engine/redact.ts'
import type { Exchange, Headers as HeaderList } from '../exchange/exchange.ts'
import { asBody } from '../exchange/exchange.ts'
import type { Fetch } from '../replay/pacer.ts'
import { withoutKey } from './findings.ts'

export interface RecordingFetch {
  readonly fetch: Fetch
  /** The recorded requests in order, once all responses have ended. The API key is nowhere in them. */
  recorded(): Promise<readonly Exchange[]>
}

/** A longer body is not kept. */
const maxBody = 4 * 1024 * 1024

export function recordingFetch(apiKey: string): RecordingFetch {
  const exchanges: Promise<Exchange>[] = []
  return {
    async fetch(url, init) {
      const began = Date.now()
      const request = new Request(url, init)
      const body = new Uint8Array(await request.clone().arrayBuffer())
      const sent = {
        method: request.method,
        url: withoutKey(url, apiKey),
        headers: headersOf(request.headers, apiKey),
        body: body.length === 0 ? undefined : asBody(hidden(body, apiKey)),
      }
      const common = { seq: exchanges.length, at: began, request: sent }
      const redacted = sent.headers.flatMap(([name]) => (isSecretHeader(name) ? [`header:${name}`] : []))
      try {
        const response = await fetch(request)
        const after = Date.now() - began
        const read = bodyIn(response.clone(), began)
        exchanges.push(
          read.then(({ bytes, chunks, ended, endedAfter }) => {
            const { status } = response
            const body = hidden(bytes, apiKey)
            const kept =
              bytes.length > maxBody
                ? { body: { size: bytes.length, isComplete: false } }
                : { body: asBody(body), chunks: body === bytes ? chunks : undefined }
            const received = { status, headers: headersOf(response.headers, apiKey), ...kept }
            return {
              ...common,
              firstByteAfter: after,
              endedAfter,
              redacted,
              ended,
              response: received,
            }
          }),
        )
        return response
      } catch (error) {
        const endedAfter = Date.now() - began
        const ended = request.signal.aborted ? 'aborted' : 'disconnected'
        const none = { firstByteAfter: endedAfter, endedAfter, response: undefined, redacted, ended } as const
        exchanges.push(Promise.resolve({ ...common, ...none }))
        throw error
      }
    },
    recorded: () => Promise.all(exchanges),
  }
}

async function bodyIn(response: Response, began: number) {
  const pieces: Uint8Array[] = []
  const chunks: { readonly at: number; readonly bytes: number }[] = []
  let ended: Exchange['ended'] = 'completed'
  try {
    for await (const piece of response.body ?? []) {
      pieces.push(piece)
      chunks.push({ at: Date.now() - began, bytes: piece.length })
    }
  } catch (error) {
    ended = (error as Error).name === 'AbortError' ? 'aborted' : 'disconnected'
  }
  return { bytes: joinBytes(pieces), chunks, ended, endedAfter: Date.now() - began }
}

function headersOf(headers: Headers, apiKey: string): HeaderList {
  return [...headers].map(([name, value]) => [
    name,
    isSecretHeader(name) ? 'redacted' : withoutKey(value, apiKey),
  ])
}

/** Text without the API key; other bytes unchanged. */
function hidden(bytes: Uint8Array, apiKey: string): Uint8Array {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const shown = withoutKey(text, apiKey)
    return shown === text ? bytes : new TextEncoder().encode(shown)
  } catch {
    return bytes
  }
}
