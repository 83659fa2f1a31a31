/** Turns a probe into a request and sends it; retries if the gateway is busy. */
import { fromBase64 } from '../engine/bytes.ts'
import { formatDuration } from '../engine/duration.ts'
import { partsOf } from '../engine/pointer.ts'
import { bytesOf, type ExchangeResponse, headerIn } from '../exchange/exchange.ts'
import { callOf, type RecordedCall } from '../judges/recorded-calls.ts'
import type { FromResponse, ProbeFile, ProbeValue } from '../protocol/probe.ts'
import { valueAt } from '../protocol/wording.ts'
import {
  callRequest,
  fetchRequest,
  type RequestParts,
  type SentBody,
  type StepRequest,
} from './build-request.ts'
import type { CheckRun } from './check-run.ts'
import type { PlannedProbe } from './plan.ts'

export class CannotSend extends Error {
  override readonly name = 'CannotSend'
}

/** A value with the model, and with values of earlier responses, filled in. */
function resolved(of: ProbeValue, planned: PlannedProbe, run: CheckRun): unknown {
  if (of === null || typeof of !== 'object') return of
  if (Array.isArray(of)) return of.map((one) => resolved(one, planned, run))
  if ('$model' in of) return run.modelOf(planned.models).id
  if ('$from' in of) return fromResponse(of as FromResponse, run)
  return resolvedIn(of as Readonly<Record<string, ProbeValue>>, (one) => resolved(one, planned, run))
}

function fromResponse({ $from, pointer, part, otherwise }: FromResponse, run: CheckRun): unknown {
  const reasons: string[] = []
  for (const probe of [$from].flat()) {
    const response = run.usable(probe)
    if (typeof response === 'string') {
      reasons.push(response)
      continue
    }
    const found = valueIn(response.json, pointer)
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

/** The value at a JSON pointer. */
export function valueIn(value: unknown, pointer: string): unknown {
  return valueAt(value, partsOf(pointer))
}

/** The request of a probe, and how it is sent. */
export interface Wire {
  readonly params: Readonly<Record<string, string>>
  readonly request: StepRequest
  /** Whether redirections are followed: a store may keep files elsewhere; the gateway itself must answer. */
  readonly follow: boolean
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const

/** The request of a probe. Rejects with `CannotSend` if a value is missing. */
export async function requestOf(planned: PlannedProbe, run: CheckRun): Promise<Wire> {
  const { probe, set, route } = planned
  const { options } = run
  const text = (value: ProbeValue): string => String(resolved(value, planned, run))
  const { request: wanted, endpoint } = probe
  const to = wanted.to === undefined ? undefined : linkOf(text(wanted.to))
  const named = wanted.method === undefined ? endpoint.method : text(wanted.method)
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
  const params = resolvedIn(wanted.params ?? {}, text)
  const step = {
    call: endpoint.operation,
    with: { ...params, ...bodyOf(planned, run) },
    form: wanted.form !== undefined,
    ...(wanted.key === false ? { key: '' } : {}),
  }
  const match = () => ({ kind: 'found' as const, route, group: route.group, params: {} })
  const request =
    to === undefined
      ? await callRequest(step, parts)
      : await fetchRequest({ fetch: to, method, ...contentOf(wanted.file) }, parts, match)
  return { params, request, follow: to !== undefined && method === 'GET' }
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

function bodyOf(planned: PlannedProbe, run: CheckRun): Record<string, unknown> {
  const { json, form = [] } = planned.probe.request
  if (json !== undefined) return resolved(json, planned, run) as Record<string, unknown>
  return resolvedIn(Object.fromEntries(form), (value) =>
    isFile(value) ? value : String(resolved(value, planned, run)),
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
export const isSameFile = ({ body }: ExchangeResponse, { base64 }: ProbeFile): boolean =>
  Buffer.from(fromBase64(base64)).equals(bytesOf(body))

export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection'
}

const maxAttempts = 3
/** No retry if the gateway asks for a longer pause. Milliseconds. */
const maxPause = 60_000
/** The longest silence in a response, in milliseconds: images take longer than text. */
const maxSilence = { none: 60_000, little: 60_000, all: 300_000 }

/** Sends a request, retries if the gateway is busy. Rejects with `BrokenConnection`. */
export async function attempt(
  { params, request, follow }: Wire,
  { probe, route }: PlannedProbe,
  { options, exchanges, hasBeenAnswered }: CheckRun,
): Promise<RecordedCall> {
  const { send, pacer } = options.target
  const patience = maxSilence[probe.spend]
  const submits = probe.endpoint.job?.submits !== undefined
  // A submission that failed halfway may have created its job.
  const again = submits ? [429] : temporary
  for (let attempts = 1; ; attempts++) {
    const exchange = { ...(await send(request, { follow, patience })), source: probe.name }
    exchanges.push(exchange)
    const isBroken = exchange.ended === 'disconnected'
    const wasSilent = exchange.broken === 'hang' || exchange.streamEnd === 'stalled'
    const { response } = exchange
    const pause = (response && retryAfterOf(response, Infinity)) ?? 1000 * 2 ** (attempts - 1)
    // Before the first response, the gateway may be down; a silent one would be silent again.
    const isWorthIt = isBroken
      ? hasBeenAnswered && !submits && !wasSilent
      : again.includes(response?.status ?? 0)
    if (isWorthIt && attempts < maxAttempts && pause <= maxPause) {
      await pacer.sleep(pause)
      continue
    }
    if (response !== undefined)
      return callOf(exchange, response, { route, params, request: shownBody(request.body) })
    throw new BrokenConnection(wasSilent ? `no response within ${formatDuration(patience)}` : exchange.reason)
  }
}

const temporary: readonly number[] = [429, 502, 503, 504, 529]

/** The pause that a response asks for in seconds, at most `longest`; dates are not read. */
export function retryAfterOf({ headers }: ExchangeResponse, longest: number): number | undefined {
  const seconds = Number(headerIn(headers, 'retry-after') ?? NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, longest) : undefined
}
