/** Turns a probe into a request, sends it, and reads the reply to its end. */
import { fromBase64 } from '../engine/base64.ts'
import { joinBytes } from '../engine/join-bytes.ts'
import type { ProbeFile } from '../protocol/probe.ts'
import type { CheckOptions, Fetch, Time } from './options.ts'
import { CannotSend, type Resolver } from './placeholders.ts'
import type { PlannedProbe } from './suite.ts'

/** A request as it was sent, without its key. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  /** Lower-case names; none that carries the key. */
  readonly headers: Readonly<Record<string, string>>
  /** Of the path. */
  readonly params: Readonly<Record<string, string>>
  /** The JSON that was sent, or the parts of the form in words. */
  readonly body: unknown
}

export interface ProbeReply {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
  /** The parsed body, where it is JSON. */
  readonly json: unknown
  /** Of a stream of some length: milliseconds to its first piece, and between two. */
  readonly pace: { readonly first: number; readonly every: number } | undefined
  /** When it had come, by the time of the check. */
  readonly at: number
}

/** The longest reply that is read; what is longer is no answer to a probe. */
const maxBytes = 256 * 1024 * 1024

interface Wire {
  readonly sent: SentRequest
  readonly init: RequestInit
}

/** The request of a probe. Throws `CannotSend` where a value it needs is not there. */
export function requestOf(planned: PlannedProbe, options: CheckOptions, resolver: Resolver): Wire {
  const { probe, set, route } = planned
  const { request, endpoint } = probe
  const elsewhere = request.to === undefined ? undefined : linkOf(resolver.text(request.to))
  const method = request.method === undefined ? endpoint.method : resolver.text(request.method)
  if (!/^[A-Z]{3,7}$/.test(method)) throw new CannotSend(`the method in the reply is ${method}`)
  const headers: Record<string, string> = {}
  if (elsewhere === undefined && request.clientHeaders !== false)
    Object.assign(headers, route.group.clientHeaders, set.headers)
  const { body, type, shown } = bodyOf(planned, resolver)
  if (type !== undefined) headers['content-type'] = type
  const credential = route.group.credentials[0]
  const secret: Record<string, string> =
    elsewhere !== undefined || request.key === false || credential === undefined
      ? {}
      : {
          [credential.header]:
            credential.scheme === undefined ? options.apiKey : `${credential.scheme} ${options.apiKey}`,
        }
  const params = Object.fromEntries(
    Object.entries(request.params ?? {}).map(([name, value]) => [name, resolver.text(value)]),
  )
  const url = elsewhere ?? options.baseUrl + pathOf(endpoint.path, params)
  return {
    sent: { method, url, headers, params, body: shown },
    init: {
      method,
      headers: { ...headers, ...secret },
      body: body ?? null,
      // A store may keep its files elsewhere; the gateway itself must answer.
      redirect: elsewhere !== undefined && method === 'GET' ? 'follow' : 'manual',
    },
  }
}

// A link may be of the gateway itself.
function linkOf(link: string): string {
  if (!URL.canParse(link) || !/^https?:$/.test(new URL(link).protocol))
    throw new CannotSend(`${link.slice(0, 60)} is no address that can be read over HTTP`)
  return link
}

function pathOf(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

function bodyOf(
  { probe: { request } }: PlannedProbe,
  resolver: Resolver,
): { readonly body?: NonNullable<RequestInit['body']>; readonly type?: string; readonly shown: unknown } {
  if (request.json !== undefined) {
    const shown = resolver.value(request.json)
    return { body: JSON.stringify(shown), type: 'application/json', shown }
  }
  if (request.file !== undefined)
    return {
      body: bytesOf(request.file),
      type: request.file.type,
      shown: `${request.file.file} (${request.file.type})`,
    }
  if (request.form === undefined) return { shown: undefined }
  const form = new FormData()
  const shown: [string, unknown][] = []
  for (const [name, value] of request.form) {
    if (isFile(value)) {
      form.append(name, new Blob([bytesOf(value)], { type: value.type }), value.file)
      shown.push([name, `${value.file} (${value.type})`])
    } else {
      const text = resolver.text(value)
      form.append(name, text)
      shown.push([name, text])
    }
  }
  return { body: form, shown: Object.fromEntries(shown) }
}

const isFile = (value: unknown): value is ProbeFile =>
  value !== null && typeof value === 'object' && 'base64' in value

export const bytesOf = ({ base64 }: ProbeFile): Uint8Array<ArrayBuffer> => fromBase64(base64)

/** A stream of fewer pieces says nothing about its pace. */
const minPieces = 10

/** Sends a request. Rejects where no whole reply comes. */
export async function send({ sent, init }: Wire, fetch: Fetch, time: Time): Promise<ProbeReply> {
  const sentAt = time.now()
  const response = await fetch(sent.url, init)
  const { body, times } = await readAll(response, time)
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const [first = 0] = times
  return {
    status: response.status,
    headers: response.headers,
    body,
    json: parse(body, type),
    pace:
      type === 'text/event-stream' && times.length >= minPieces
        ? {
            first: Math.round(first - sentAt),
            every: Math.round(((times.at(-1) as number) - first) / (times.length - 1)),
          }
        : undefined,
    at: time.now(),
  }
}

/** The body, and when its pieces came. */
async function readAll(
  response: Response,
  time: Time,
): Promise<{ readonly body: Uint8Array; readonly times: readonly number[] }> {
  const reader = response.body?.getReader()
  if (reader === undefined) return { body: new Uint8Array(0), times: [] }
  const pieces: Uint8Array[] = []
  const times: number[] = []
  let size = 0
  for (;;) {
    const piece = await reader.read()
    if (piece.done) return { body: joinBytes(pieces), times }
    size += piece.value.length
    if (size > maxBytes) {
      await reader.cancel()
      throw new Error(`the reply is longer than ${maxBytes} bytes`)
    }
    pieces.push(piece.value)
    times.push(time.now())
  }
}

function parse(body: Uint8Array, type: string): unknown {
  if (!/^application\/(?:[\w.-]+\+)?json$|^$|^text\/(?:plain|html)$/.test(type)) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown
  } catch {
    return undefined
  }
}
