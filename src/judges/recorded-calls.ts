/** The calls of a recording: exchanges with their operations and parsed bodies. */
import { serviceGroups } from '../endpoints/registry.ts'
import { jsonIn } from '../engine/fields.ts'
import { bytesOf, type Exchange, type ExchangeResponse, headerIn } from '../exchange/exchange.ts'
import { findRoute } from '../exchange/find-route.ts'
import { createRouter, type Route } from '../protocol/router.ts'

/** Recorded exchanges with their operations and parsed bodies. */
export interface RecordedCall {
  readonly exchange: Exchange
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  /** The parsed body; of a form, its text fields. */
  readonly request: unknown
  readonly response: ExchangeResponse
  /** The body of the response, undefined if it is not JSON or was not recorded. */
  readonly json: unknown
}

interface SortedRecording {
  readonly calls: readonly RecordedCall[]
  /** Requests without an operation or a response, with the reason. */
  readonly others: readonly { readonly exchange: Exchange; readonly reason: string }[]
}

export async function sortRecording(exchanges: readonly Exchange[]): Promise<SortedRecording> {
  const router = createRouter(serviceGroups)
  const calls: RecordedCall[] = []
  const others: { readonly exchange: Exchange; readonly reason: string }[] = []
  for (const exchange of exchanges) {
    const { method, url } = exchange.request
    const { route, params } = findRoute(router, method, new URL(url).pathname)
    if (route === undefined) others.push({ exchange, reason: 'not an operation in the contract' })
    else if (exchange.response === undefined) others.push({ exchange, reason: 'no response' })
    else
      calls.push({
        exchange,
        route,
        params,
        request: await readRequest(exchange),
        response: exchange.response,
        json: jsonIn(bytesOf(exchange.response.body)),
      })
  }
  const answeredAt = ({ exchange }: RecordedCall): number => exchange.at + exchange.firstByteAfter
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
export function hasKey({ exchange: { key, redacted, request }, route }: RecordedCall): boolean {
  const names = route.group.credentials.map(({ header }) => header)
  return (
    key !== undefined ||
    names.some((name) => redacted.includes(`header:${name}`) || request.headers.some(([one]) => one === name))
  )
}
