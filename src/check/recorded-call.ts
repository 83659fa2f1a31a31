/** Recorded exchanges as calls of operations: which one each calls, with its bodies parsed. */

import { serviceGroups } from '../endpoints/registry.ts'
import { isFields } from '../engine/fields.ts'
import type { RecordedExchange, RecordedReply } from '../har/exchange.ts'
import { findings } from '../protocol/findings.ts'
import { createRouter, type Route, type Router } from '../protocol/router.ts'

export interface RecordedCall {
  readonly exchange: RecordedExchange
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  /** The parsed body; of a form, its text fields. */
  readonly request: unknown
  readonly reply: RecordedReply
  /** The body of the reply, undefined where it is no JSON or was not kept. */
  readonly json: unknown
}

export interface SortedRecording {
  /** In the order in which they were answered. */
  readonly calls: readonly RecordedCall[]
  /** What calls no operation, or was not answered at all, with the reason. */
  readonly others: readonly { readonly exchange: RecordedExchange; readonly reason: string }[]
}

/** Sorts a recording by what it calls. */
export async function sortRecording(exchanges: readonly RecordedExchange[]): Promise<SortedRecording> {
  const router = createRouter(serviceGroups)
  const calls: RecordedCall[] = []
  const others: { readonly exchange: RecordedExchange; readonly reason: string }[] = []
  for (const exchange of exchanges) {
    const found = findRoute(router, exchange)
    if (found === undefined) others.push({ exchange, reason: 'it is no operation of the contract' })
    else if (exchange.reply === undefined) others.push({ exchange, reason: 'it was not answered' })
    else
      calls.push({
        exchange,
        ...found,
        request: await readRequest(exchange),
        reply: exchange.reply,
        json: parsedJson(exchange.reply.body),
      })
  }
  const answeredAt = ({ exchange }: RecordedCall): number => exchange.startedAt + exchange.firstByteAfter
  return { calls: calls.toSorted((a, b) => answeredAt(a) - answeredAt(b)), others }
}

/** A gateway may stand under a path of its own: `/ai/v1/videos`. */
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
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  if (!/^multipart\/form-data\b/i.test(type)) return parsedJson(body)
  try {
    const form = await new Response(body.slice(), { headers: { 'content-type': type } }).formData()
    return Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'))
  } catch {
    return undefined
  }
}

/** A body as JSON; undefined where it is none. */
export function parsedJson(body: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown
  } catch {
    return undefined
  }
}

/** Whether a call carries credentials, or did before they were taken out. */
export function hasKey({ exchange: { key, redacted, request }, route }: RecordedCall): boolean {
  const names = route.group.credentials.map(({ header }) => header)
  return (
    key !== undefined ||
    names.some((name) => redacted.includes(`header:${name}`) || request.headers.some(([one]) => one === name))
  )
}

/** What is wrong with a request by the contract: the client's own affair, and none of the gateway's. */
export function requestFaults({ route, request }: RecordedCall): readonly string[] {
  if (route.readBody === undefined || !route.endpoint.accepts.includes('json') || !isFields(request))
    return []
  const result = route.readBody(request)
  if (result.success) return []
  return findings(result.error, request, 3).map(
    ({ field, message }) => `${field === '' ? 'body' : field}: ${message}`,
  )
}
