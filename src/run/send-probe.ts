/** Turns a probe into a step, and sends it; retries if the gateway is busy. */
import { fromBase64 } from '../engine/bytes.ts'
import { formatDuration } from '../engine/duration.ts'
import { partsOf } from '../engine/pointer.ts'
import { type ExchangeResponse, headerIn } from '../exchange/exchange.ts'
import { callOf, type JudgedCall } from '../judges/judged-calls.ts'
import type { FromResponse, Probe, ProbeFile, ProbeValue } from '../protocol/probe.ts'
import { valueAt } from '../protocol/wording.ts'
import { callRequest, fetchRequest, fieldsIn, type RequestParts, type StepRequest } from './build-request.ts'
import type { CheckRun } from './check-run.ts'
import type { PlannedProbe } from './plan.ts'
import type { SentExchange } from './send.ts'
import { sendRepeatedly } from './target.ts'

export class CannotSend extends Error {
  override readonly name = 'CannotSend'
}

/** A value with the model, and with values of earlier responses, filled in. */
function resolved(of: ProbeValue, planned: PlannedProbe, run: CheckRun): unknown {
  if (of === null || typeof of !== 'object') return of
  if (Array.isArray(of)) return of.map((one) => resolved(one, planned, run))
  if ('$model' in of) return run.modelOf(planned).id
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
    match: () => ({ kind: 'found', route, group: route.group, params: {} }),
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
  const request =
    to === undefined
      ? await callRequest(step, parts)
      : await fetchRequest({ fetch: to, method, ...contentOf(wanted.file) }, parts)
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

export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection'
}

const maxAttempts = 3
/** No retry if the gateway asks for a longer pause. Milliseconds. */
export const maxPause = 60_000
/** The longest silence in a response, in milliseconds: images take longer than text. */
const maxSilence = { none: 60_000, little: 60_000, all: 300_000 }

/**
 * Sends a request, and retries if the gateway is busy. Sends it again as long as `pauseAfter` names a pause
 * after a response. Rejects with `BrokenConnection`.
 */
export async function send(
  { params, request, follow }: Wire,
  { probe, route }: PlannedProbe,
  run: CheckRun,
  pauseAfter: (call: JudgedCall) => number | undefined,
): Promise<void> {
  const patience = maxSilence[probe.spend]
  let attempts = 0
  await sendRepeatedly(run.options.target, request, { follow, patience }, (sent) => {
    const exchange = { ...sent, source: probe.name }
    run.exchanges.push(exchange)
    attempts++
    const retry = attempts < maxAttempts ? pauseBeforeRetry(exchange, attempts, probe, run) : undefined
    if (retry !== undefined) return retry
    attempts = 0
    const { response } = exchange
    if (response !== undefined)
      return pauseAfter(callOf(exchange, response, { route, params, request: fieldsIn(request.body) }))
    const reason = wasSilent(exchange) ? `no response within ${formatDuration(patience)}` : exchange.reason
    throw new BrokenConnection(reason)
  })
}

/** The pause before the same request is sent again; undefined if the exchange is final. */
function pauseBeforeRetry(
  exchange: SentExchange,
  attempts: number,
  { endpoint }: Probe,
  { hasBeenAnswered }: CheckRun,
): number | undefined {
  const { response } = exchange
  const submits = endpoint.job?.submits !== undefined
  const isWorthIt =
    exchange.ended === 'disconnected'
      ? // Before the first response, the gateway may be down; a silent one would be silent again.
        hasBeenAnswered && !submits && !wasSilent(exchange)
      : // A submission that failed halfway may have created its job.
        (submits ? [429] : busy).includes(response?.status ?? 0)
  const pause = (response && retryAfterOf(response)) ?? 1000 * 2 ** (attempts - 1)
  return isWorthIt && pause <= maxPause ? pause : undefined
}

const wasSilent = ({ broken, streamEnd }: SentExchange): boolean =>
  broken === 'hang' || streamEnd === 'stalled'

/** The statuses of a gateway that may respond later. */
export const busy: readonly number[] = [429, 502, 503, 504, 529]

/** The pause that a response asks for, in milliseconds; dates are not read. */
export function retryAfterOf({ headers }: ExchangeResponse): number | undefined {
  const seconds = Number(headerIn(headers, 'retry-after') ?? NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}
