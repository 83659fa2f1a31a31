/** Exchanges with their operations and parsed bodies, as judges read them. */
import { serviceGroups } from '../endpoints/registry.ts'
import { jsonIn } from '../engine/fields.ts'
import { bytesOf, type Exchange, type ExchangeResponse, headerIn } from '../exchange/exchange.ts'
import { findRoute } from '../exchange/find-route.ts'
import { createEventParser } from '../protocol/parse-events.ts'
import type { StreamEvent } from '../protocol/read-stream.ts'
import { createRouter, type Route } from '../protocol/router.ts'

export interface JudgedCall {
  readonly exchange: Exchange
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  /** The parsed body; of a form, its text fields. */
  readonly request: unknown
  readonly response: ExchangeResponse
  /** The body of the response, undefined if it is not JSON or was not recorded. */
  readonly json: unknown
}

/** A call with its response. */
export const callOf = (
  exchange: Exchange,
  response: ExchangeResponse,
  known: Pick<JudgedCall, 'route' | 'params' | 'request'>,
): JudgedCall => ({ ...known, exchange, response, json: jsonIn(bytesOf(response.body)) })

/** The media type without its parameters; empty if there is none. */
export const mediaTypeOf = ({ headers }: Pick<ExchangeResponse, 'headers'>): string =>
  headerIn(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''

/** The events of a stream, without an incomplete last event; undefined for another response. */
export function eventsOf(response: ExchangeResponse): readonly StreamEvent[] | undefined {
  if (mediaTypeOf(response) !== 'text/event-stream') return undefined
  if (response.events !== undefined) return response.events
  const events: StreamEvent[] = []
  const parser = createEventParser({ onEvent: ({ event, data }) => events.push({ event, data }) })
  parser.feed(new TextDecoder().decode(bytesOf(response.body)))
  return events
}

interface SortedRecording {
  readonly calls: readonly JudgedCall[]
  /** Requests without an operation or a response, with the reason. */
  readonly others: readonly { readonly exchange: Exchange; readonly reason: string }[]
}

export async function sortRecording(exchanges: readonly Exchange[]): Promise<SortedRecording> {
  const router = createRouter(serviceGroups)
  const calls: JudgedCall[] = []
  const others: { readonly exchange: Exchange; readonly reason: string }[] = []
  for (const exchange of exchanges) {
    const { method, url } = exchange.request
    const { route, params } = findRoute(router, method, new URL(url).pathname)
    if (route === undefined) others.push({ exchange, reason: 'not an operation in the contract' })
    else if (exchange.response === undefined) others.push({ exchange, reason: 'no response' })
    else
      calls.push(callOf(exchange, exchange.response, { route, params, request: await readRequest(exchange) }))
  }
  const answeredAt = ({ exchange }: JudgedCall): number => exchange.at + exchange.firstByteAfter
  return { calls: calls.toSorted((a, b) => answeredAt(a) - answeredAt(b)), others }
}

async function readRequest({ request: { headers, body } }: Exchange): Promise<unknown> {
  if (body === undefined || body.size === 0) return undefined
  const type = headerIn(headers, 'content-type') ?? ''
  if (!/^multipart\/form-data\b/i.test(type)) return jsonIn(bytesOf(body))
  try {
    const form = await new Response(bytesOf(body).slice(), { headers: { 'content-type': type } }).formData()
    return Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'))
  } catch {
    return undefined
  }
}

/** Whether a request carries credentials, or did before redaction. */
export function hasKey({ exchange: { key, redacted, request }, route }: JudgedCall): boolean {
  const names = route.group.credentials.map(({ header }) => header)
  return (
    key !== undefined ||
    names.some((name) => redacted.includes(`header:${name}`) || request.headers.some(([one]) => one === name))
  )
}
