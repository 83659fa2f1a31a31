/** Turns a probe into a request and sends it; retries if the gateway is busy. */
import { fromBase64 } from '../engine/bytes.ts'
import { formatDuration } from '../engine/duration.ts'
import { jsonIn } from '../engine/fields.ts'
import { partsOf } from '../engine/pointer.ts'
import { bytesOf } from '../exchange/exchange.ts'
import type { FromResponse, ProbeFile, ProbeValue } from '../protocol/probe.ts'
import { valueAt } from '../protocol/wording.ts'
import {
  callRequest,
  fetchRequest,
  type RequestParts,
  type SentBody,
  type StepRequest,
} from './build-request.ts'
import type { CheckOptions } from './check-types.ts'
import type { PlannedProbe } from './plan.ts'
import type { SentExchange } from './send.ts'

export class CannotSend extends Error {
  override readonly name = 'CannotSend'
}

/** The last response to a probe, or why it is unusable. */
export type Usable = { readonly json: unknown } | string

export interface Resolver {
  value(value: ProbeValue): unknown
  text(value: ProbeValue): string
}

export function createResolver(responseTo: (probe: string) => Usable, model: () => string): Resolver {
  const value = (of: ProbeValue): unknown => {
    if (of === null || typeof of !== 'object') return of
    if (Array.isArray(of)) return of.map(value)
    if ('$model' in of) return model()
    if ('$from' in of) return fromResponse(of as FromResponse, responseTo)
    return Object.fromEntries(Object.entries(of).map(([name, one]) => [name, value(one as ProbeValue)]))
  }
  return { value, text: (of) => String(value(of)) }
}

function fromResponse(
  { $from, pointer, part, otherwise }: FromResponse,
  responseTo: (probe: string) => Usable,
): unknown {
  const reasons: string[] = []
  for (const probe of [$from].flat()) {
    const response = responseTo(probe)
    if (typeof response === 'string') {
      reasons.push(response)
      continue
    }
    const found = at(response.json, pointer)
    if (found === undefined || found === null) {
      reasons.push(`the response to ${probe} has no ${pointer}`)
      continue
    }
    if (part === undefined) return found
    const taken = part.exec(String(found))?.[1] ?? otherwise
    if (taken !== undefined && taken !== '') return taken
    reasons.push(`${JSON.stringify(found).slice(0, 80)} in the response to ${probe} has an unexpected format`)
  }
  throw new CannotSend(reasons.join('; '))
}

/** What a JSON pointer shows in a value. */
export function at(value: unknown, pointer: string): unknown {
  return valueAt(value, partsOf(pointer))
}

export interface SentRequest {
  readonly method: string
  readonly url: string
  /** Lower-case names; headers with the API key are omitted. */
  readonly headers: Readonly<Record<string, string>>
  readonly params: Readonly<Record<string, string>>
  /** The JSON that was sent, or the parts of the form in words. */
  readonly body: unknown
}

export interface ProbeResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly size: number
  readonly json: unknown
  readonly exchange: SentExchange
  readonly ended: 'completed' | 'disconnected'
}

interface Sender {
  readonly options: CheckOptions
  readonly exchanges: SentExchange[]
  readonly deadline: number
  readonly hasBeenAnswered: boolean
}

interface Wire {
  readonly sent: SentRequest
  readonly request: StepRequest
  /** Whether redirections are followed: a store may keep files elsewhere; the gateway itself must answer. */
  readonly follow: boolean
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const

/** The request of a probe. Rejects with `CannotSend` if a value is missing. */
export async function requestOf(
  planned: PlannedProbe,
  { options }: Sender,
  resolver: Resolver,
): Promise<Wire> {
  const { probe, set, route } = planned
  const { request: wanted, endpoint } = probe
  const to = wanted.to === undefined ? undefined : linkOf(resolver.text(wanted.to))
  const named = wanted.method === undefined ? endpoint.method : resolver.text(wanted.method)
  const method = methods.find((one) => one === named)
  if (method === undefined) throw new CannotSend(`the response contains the unsupported method ${named}`)
  const hasClientHeaders = wanted.clientHeaders !== false
  const parts: RequestParts = {
    base: options.target.base,
    routeOf: () => (hasClientHeaders ? route : { ...route, group: { ...route.group, clientHeaders: {} } }),
    keyFor: () => options.apiKey,
    firstKey: 'the key',
    headers: hasClientHeaders ? (set.headers ?? {}) : {},
    bytesOf: async ({ base64 = '' }) => fromBase64(base64),
  }
  const params = resolvedIn(wanted.params ?? {}, (value) => resolver.text(value))
  const step = {
    call: endpoint.operation,
    with: { ...params, ...bodyOf(planned, resolver) },
    form: wanted.form !== undefined,
    ...(wanted.key === false ? { key: '' } : {}),
  }
  const match = () => ({ kind: 'found' as const, route, group: route.group, params: {} })
  const request =
    to === undefined
      ? await callRequest(step, parts)
      : await fetchRequest({ fetch: to, method, ...contentOf(wanted.file) }, parts, match)
  const { url, headers, body } = request
  return {
    sent: { method: request.method, url, headers, params, body: shownBody(body) },
    request,
    follow: to !== undefined && method === 'GET',
  }
}

// A link may be of the gateway itself.
function linkOf(link: string): string {
  if (!URL.canParse(link) || !/^https?:$/.test(new URL(link).protocol))
    throw new CannotSend(`${link.slice(0, 60)} is not an HTTP URL`)
  return link
}

const resolvedIn = <Value, Result>(
  fields: Readonly<Record<string, Value>>,
  resolve: (value: Value) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, resolve(value)]))

function bodyOf({ probe: { request } }: PlannedProbe, resolver: Resolver): Record<string, unknown> {
  if (request.json !== undefined) return resolver.value(request.json) as Record<string, unknown>
  return resolvedIn(Object.fromEntries(request.form ?? []), (value) =>
    isFile(value) ? value : resolver.text(value),
  )
}

const isFile = (value: unknown): value is ProbeFile =>
  value !== null && typeof value === 'object' && 'base64' in value

const contentOf = (file: ProbeFile | undefined) =>
  file === undefined
    ? {}
    : { content: { base64: file.base64 }, headers: { 'content-type': file.contentType } }

function shownBody(body: SentBody | undefined): unknown {
  if (body === undefined) return undefined
  if ('json' in body) return body.json
  if ('bytes' in body) return `${body.bytes.size} bytes (${body.bytes.type})`
  return Object.fromEntries(
    body.form.map((part) => [
      part.name,
      'value' in part ? part.value : `${part.filename} (${part.file.type})`,
    ]),
  )
}

/** Whether a response is a file, byte by byte. */
export const isSameFile = ({ exchange }: ProbeResponse, { base64 }: ProbeFile): boolean =>
  Buffer.from(fromBase64(base64)).equals(bytesOf(exchange.response?.body))

export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection'
}

/** The check timed out before the response ended. */
export class TimeIsUp extends Error {
  override readonly name = 'TimeIsUp'

  readonly unanswered: string | undefined

  constructor({ timeout = 0 }: CheckOptions, unanswered?: string) {
    const probe = unanswered === undefined ? '' : `: no response to ${JSON.stringify(unanswered)}`
    super(`the check took longer than ${formatDuration(timeout)} (--timeout)${probe}`)
    this.unanswered = unanswered
  }
}

const maxAttempts = 3
/** No retry if the gateway asks for a longer pause. Milliseconds. */
const maxPause = 60_000
/** The longest silence in a response, in milliseconds: images take longer than text. */
const maxSilence = { none: 60_000, little: 60_000, all: 300_000 }

/** Sends a request, retries if the gateway is busy. Rejects with `BrokenConnection` or `TimeIsUp`. */
export async function attempt(
  { request, follow }: Wire,
  { probe }: PlannedProbe,
  { options, exchanges, deadline, hasBeenAnswered }: Sender,
): Promise<ProbeResponse> {
  const { send, pacer } = options.target
  // A submission that failed halfway may have created its job.
  const gatewayIsDown = [429, 502, 503, 504, 529]
  const ofRequest = typeof probe.expect?.status === 'string' ? gatewayIsDown : [500, ...gatewayIsDown]
  const again = probe.endpoint.job?.submits !== undefined ? [429] : ofRequest
  // Before the first response, the gateway may be down.
  const mayBreak = hasBeenAnswered && probe.endpoint.job?.submits === undefined
  for (let attempts = 1; ; attempts++) {
    const longest = maxSilence[probe.spend]
    const patience = Math.min(longest, Math.max(1, Math.ceil(deadline - pacer.now())))
    const exchange = await send(request, { follow, patience })
    exchanges.push({ ...exchange, source: probe.name })
    const { broken, streamEnd, response } = exchange
    const wasSilent = broken === 'hang' || streamEnd === 'stalled'
    if (wasSilent && patience < longest) throw new TimeIsUp(options, probe.name)
    const isBroken = broken !== undefined || wasSilent || streamEnd === 'disconnected'
    // A silent gateway would be silent again.
    const isRetried = attempts < maxAttempts && !wasSilent
    if (isBroken && mayBreak && isRetried && pacer.now() + 1000 < deadline) {
      await pacer.sleep(1000)
      continue
    }
    if (response === undefined)
      throw new BrokenConnection(
        broken === 'hang' ? `no response within ${formatDuration(longest)}` : exchange.reason,
      )
    const read = responseOf(exchange, isBroken)
    const pause = retryAfterOf(read, Infinity) ?? 1000 * 2 ** (attempts - 1)
    const isTooLong = pause > maxPause || pacer.now() + pause >= deadline
    if (!again.includes(read.status) || attempts >= maxAttempts || isTooLong) return read
    await pacer.sleep(pause)
  }
}

function responseOf(exchange: SentExchange, isBroken: boolean): ProbeResponse {
  const { status = 0, headers = [], body } = exchange.response ?? {}
  const text = body?.text ?? ''
  return {
    status,
    headers: new Map(headers),
    body: text,
    size: body?.size ?? 0,
    json: jsonIn(text),
    exchange,
    ended: isBroken ? 'disconnected' : 'completed',
  }
}

/** The pause that a response asks for in seconds, at most `longest`; dates are not read. */
export function retryAfterOf({ headers }: ProbeResponse, longest: number): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, longest) : undefined
}
