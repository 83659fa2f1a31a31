/** The calls of a recording: exchanges with their operations and parsed bodies. */
import { serviceGroups } from '../endpoints/registry.ts'
import { jsonIn } from '../engine/fields.ts'
import { headerIn, type RecordedExchange, type RecordedResponse } from '../har/write-har.ts'
import { createRouter, type Route, type Router } from '../protocol/router.ts'

/** Recorded exchanges with their operations and parsed bodies. */
export interface RecordedCall {
  readonly exchange: RecordedExchange
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  /** The parsed body; of a form, its text fields. */
  readonly request: unknown
  readonly response: RecordedResponse
  /** The body of the response, undefined if it is not JSON or was not recorded. */
  readonly json: unknown
}

interface SortedRecording {
  readonly calls: readonly RecordedCall[]
  /** Requests without an operation or a response, with the reason. */
  readonly others: readonly { readonly exchange: RecordedExchange; readonly reason: string }[]
}

export async function sortRecording(exchanges: readonly RecordedExchange[]): Promise<SortedRecording> {
  const router = createRouter(serviceGroups)
  const calls: RecordedCall[] = []
  const others: { readonly exchange: RecordedExchange; readonly reason: string }[] = []
  for (const exchange of exchanges) {
    const found = findRoute(router, exchange)
    if (found === undefined) others.push({ exchange, reason: 'not an operation in the contract' })
    else if (exchange.response === undefined) others.push({ exchange, reason: 'no response' })
    else
      calls.push({
        exchange,
        ...found,
        request: await readRequest(exchange),
        response: exchange.response,
        json: jsonIn(exchange.response.body),
      })
  }
  const answeredAt = ({ exchange }: RecordedCall): number => exchange.startedAt + exchange.firstByteAfter
  return { calls: calls.toSorted((a, b) => answeredAt(a) - answeredAt(b)), others }
}

/** A gateway may have a path prefix: `/ai/v1/videos`. */
function findRoute(
  router: Router,
  { request: { method, url } }: RecordedExchange,
): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined {
  const { pathname } = new URL(url)
  const inner = /\/v1(?:beta)?\/.*$/.exec(pathname)?.[0]
  for (const path of inner === undefined || inner === pathname ? [pathname] : [pathname, inner]) {
    const match = router.match(method, path)
    if (match.kind === 'found') return { route: match.route, params: match.params }
  }
  return undefined
}

async function readRequest({ request: { headers, body } }: RecordedExchange): Promise<unknown> {
  if (body === undefined || body.length === 0) return undefined
  const type = headerIn(headers, 'content-type') ?? ''
  if (!/^multipart\/form-data\b/i.test(type)) return jsonIn(body)
  try {
    const form = await new Response(body.slice(), { headers: { 'content-type': type } }).formData()
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
