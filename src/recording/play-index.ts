/** Recorded calls by operation and digest, as a simulator plays them, and when two requests are the same. */

import type { AskedCall, RecordedAnswer, RecordedCalls } from '../core/recorded-calls.ts'
import { isFields } from '../engine/fields.ts'
import { Hasher } from '../engine/hash.ts'
import { partsOf } from '../engine/pointer.ts'
import { type RuleTrace, summarizeValue } from '../engine/rule-trace.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { bytesOf } from '../exchange/exchange.ts'
import { readText } from '../http/read-payload.ts'
import type { FormField, Payload } from '../protocol/call.ts'
import { TooDeepError, writeInput } from '../protocol/canonical.ts'
import type { PlainResponse } from '../protocol/response.ts'
import type { Route } from '../protocol/router.ts'
import { valueAt } from '../protocol/wording.ts'
import { bodyOf } from '../scenario/condition-facts.ts'
import { PlayedJobs, polledId, type RecordedJob } from './play-jobs.ts'
import { type MarkLinks, recordedResponse } from './play-response.ts'

const maxFields = 2000

interface Place {
  readonly field: string
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** The difference between `got` and the recorded value; undefined if none can be shown. */
function differenceFrom(
  recorded: RecordedCall,
  got: ComparedRequest,
  omitted: Omitted,
): RuleTrace | undefined {
  const expected = placesOf(recorded, omitted)
  const actual = placesOf(got, omitted)
  let first: Pick<RuleTrace, 'field' | 'path' | 'expected' | 'got'> | undefined
  let held = 0
  for (const [name, { field, path, value }] of expected) {
    const other = actual.get(name)
    if (other !== undefined && other.value === value) held++
    else first ??= { field, path, expected: worded(value), got: summarizeValue(other?.value) }
  }
  let of = expected.size
  for (const [name, { field, path, value }] of actual) {
    if (expected.has(name)) continue
    of++
    first ??= { field, path, expected: 'nothing', got: summarizeValue(value) }
  }
  const rule = recorded.exchange.source ?? ''
  return first && { rule, recorded: true, outcome: 'differs', held, of, ...first }
}

const worded = (value: unknown): string => JSON.stringify(summarizeValue(value))

/** The leaf fields of a request by path, in order. */
function placesOf(request: ComparedRequest, omitted: Omitted): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  const visit = (field: string, path: readonly (string | number)[], value: unknown): void => {
    if (places.size >= maxFields) return
    const isEmpty = value !== null && typeof value === 'object' && Object.keys(value).length === 0
    if (Array.isArray(value) && !isEmpty)
      for (const [at, item] of value.entries()) visit(field, [...path, at], item)
    else if (isFields(value) && !isEmpty)
      for (const [name, item] of Object.entries(value)) visit(field, [...path, name], item)
    else {
      const kept = isEmpty ? JSON.stringify(value) : value
      places.set(JSON.stringify([field, ...path]), { field, path, value: kept })
    }
  }
  visit('path', [], request.params)
  visit('query', [], Object.fromEntries(comparedQuery(request.query, omitted)))
  visit('body', [], withoutDefaults(bodyOf(without(request.payload, omitted.body)), request))
  return places
}

// Fields with their default value are ignored.
function withoutDefaults(body: unknown, { route }: ComparedRequest): unknown {
  if (!isFields(body)) return body
  const defaults = defaultsOf(route)
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => !defaults.has(name) || (value !== null && value !== defaults.get(name)),
    ),
  )
}

export interface RecordedCall extends ComparedRequest {
  readonly path: string
  readonly exchange: Exchange
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly job: RecordedJob | undefined
}

interface Bucket {
  /** By the fields that are ignored in comparisons. */
  readonly shapes: Map<string, { readonly omitted: Omitted; readonly calls: Map<string, RecordedCall[]> }>
  readonly all: { readonly call: RecordedCall; readonly omitted: Omitted }[]
}

const maxCompared = 200

const noPayload: Payload = { kind: 'none' }

/** The calls in recorded order; `jobs` has all jobs, by kind and id. */
export function indexRecordings(
  calls: readonly RecordedCall[],
  jobs: ReadonlyMap<string, RecordedJob>,
  markLinks: MarkLinks,
): RecordedCalls {
  const buckets = new Map<string, Bucket>()
  for (const call of calls) add(buckets, call)
  const responses = new WeakMap<Exchange, PlainResponse>()
  const responseOf = (exchange: Exchange): PlainResponse => {
    const response = responses.get(exchange) ?? recordedResponse(exchange, markLinks)
    responses.set(exchange, response)
    return response
  }
  const played = new PlayedJobs()
  return {
    find(asked) {
      const { route } = asked
      const poll = route === undefined ? undefined : findPoll(asked, route, jobs, played)
      if (poll === 'none') return undefined
      if (poll !== undefined) return { play: () => answered(poll(), responseOf) }
      return findCall(asked, buckets, played, responseOf)
    },
    isLeftToSimulate(asked) {
      const { route, params, sandbox } = asked
      if (route === undefined) return false
      const { open, upload, job: use, idsIn } = route.endpoint
      if (open === true || upload === 'receive' || upload === 'serve') return true
      const id = polledId(route, params) ?? params[idsIn?.params?.[0] ?? '']
      const kind = use?.polls ?? use?.about
      if (kind === undefined || id === undefined) return false
      const job = jobs.get(`${kind.resource} ${id}`)
      return (
        sandbox.store.find(kind.resource, id) !== undefined ||
        (job !== undefined && played.wasStarted(job, sandbox))
      )
    },
    nearest: (asked) => nearestOf(asked, buckets),
  }
}

const answered = (
  exchange: Exchange,
  responseOf: (exchange: Exchange) => PlainResponse,
  redacted: readonly string[] = [],
) => ({ source: exchange.source ?? '', response: responseOf(exchange), redacted })

function add(buckets: Map<string, Bucket>, call: RecordedCall): void {
  const { target, exchange } = call
  const bucket: Bucket = buckets.get(target) ?? { shapes: new Map(), all: [] }
  buckets.set(target, bucket)
  const omitted = omittedOf(exchange.redacted)
  const name = omittedName(omitted)
  const shape = bucket.shapes.get(name) ?? { omitted, calls: new Map<string, RecordedCall[]>() }
  bucket.shapes.set(name, shape)
  const digest = digestOf(call, omitted)
  if (digest === undefined) return
  const same = shape.calls.get(digest)
  // Large bodies are read again only to explain a miss.
  const kept = call.payload.kind === 'json' ? { ...call, payload: noPayload } : call
  if (same === undefined) {
    shape.calls.set(digest, [kept])
    bucket.all.push({ call: kept, omitted })
  } else same.push(kept)
}

// Requests that are nested too deeply cannot be compared: they are not played back.
function digestOf(request: ComparedRequest, omitted: Omitted): string | undefined {
  try {
    return requestDigest(request, omitted)
  } catch (error) {
    if (error instanceof TooDeepError) return undefined
    throw error
  }
}

/** The response to a poll of a recorded job; `none` if the job has been removed. */
function findPoll(
  asked: AskedCall,
  route: Route,
  jobs: ReadonlyMap<string, RecordedJob>,
  played: PlayedJobs,
): (() => Exchange) | 'none' | undefined {
  const id = polledId(route, asked.params)
  const kind = route.endpoint.job?.polls
  if (id === undefined || kind === undefined) return undefined
  const { sandbox, settings } = asked
  const resource = sandbox.store.find(kind.resource, id)
  if (resource !== undefined) {
    const job = played.of(resource)
    return job === undefined || job.states.length === 0 ? 'none' : () => played.poll(job, resource, asked)
  }
  const job = jobs.get(`${kind.resource} ${id}`)
  if (job === undefined || job.states.length === 0) return undefined
  if (played.wasStarted(job, sandbox)) return 'none'
  return () => {
    const started = played.start(job, job.firstPollAfter, sandbox, settings)
    return started === undefined ? (job.states[0]?.exchange as Exchange) : played.poll(job, started, asked)
  }
}

function findCall(
  asked: AskedCall,
  buckets: ReadonlyMap<string, Bucket>,
  played: PlayedJobs,
  responseOf: (exchange: Exchange) => PlainResponse,
): RecordedAnswer | undefined {
  const request = comparedRequest(asked)
  const bucket = buckets.get(request.target)
  if (bucket === undefined) return undefined
  const { sandbox, settings } = asked
  for (const [shape, { omitted, calls }] of bucket.shapes) {
    const digest = digestOf(request, omitted)
    const found = digest === undefined ? undefined : calls.get(digest)
    if (found === undefined) continue
    return {
      play() {
        const name = `recorded ${shape} ${digest}`
        const before = sandbox.plays.get(name) ?? 0
        sandbox.plays.set(name, before + 1)
        const { exchange, job } = found[Math.min(before, found.length - 1)] as RecordedCall
        if (job !== undefined) played.start(job, 0, sandbox, settings)
        return answered(exchange, responseOf, exchange.redacted.filter(isOmitted))
      },
    }
  }
  return undefined
}

/** Where to look for a recorded call. */
export function targetOf(route: Route | undefined, method: string, path: string): string {
  return route === undefined ? `${method} ${path}` : route.endpoint.operation
}

function comparedRequest({
  request,
  route,
  params,
  payload,
}: Omit<AskedCall, 'sandbox' | 'settings' | 'now'>) {
  return {
    target: targetOf(route, request.method, request.path),
    route,
    params,
    query: request.query,
    payload,
  }
}

function nearestOf(
  asked: Parameters<RecordedCalls['nearest']>[0],
  buckets: ReadonlyMap<string, Bucket>,
): RuleTrace | undefined {
  const request = comparedRequest(asked)
  let nearest: RuleTrace | undefined
  for (const { call, omitted } of (buckets.get(request.target)?.all ?? []).slice(0, maxCompared)) {
    const trace = differenceFrom({ ...call, payload: payloadOf(call) }, request, omitted)
    if (trace === undefined) continue
    if (nearest === undefined || trace.of - trace.held < nearest.of - nearest.held) nearest = trace
  }
  return nearest
}

function payloadOf({ payload, exchange, headers, route }: RecordedCall): Payload {
  const { body } = exchange.request
  if (payload.kind !== 'none' || body === undefined || route === undefined) return payload
  return readText(bytesOf(body), headers, route.endpoint)
}

export interface ComparedRequest {
  /** The operation, or method and path for an unknown path. */
  readonly target: string
  readonly route: Route | undefined
  readonly params: Readonly<Record<string, string>>
  /** As sent, without `?`. */
  readonly query: string
  readonly payload: Payload
}

/** The redacted parts of a recorded request, which comparisons ignore. */
export interface Omitted {
  readonly body: readonly (readonly string[])[]
  readonly query: ReadonlySet<string>
}

/** The ignored fields, from the redaction marks of a recording (`/user`, `query:sig`). */
export function omittedOf(redacted: readonly string[]): Omitted {
  const pointers = redacted.filter((mark) => mark.startsWith('/'))
  return {
    body: pointers.map(partsOf),
    query: new Set(redacted.flatMap((mark) => (mark.startsWith('query:') ? [mark.slice(6)] : []))),
  }
}

const isOmitted = (mark: string): boolean => /^(?:\/|query:)/.test(mark)

/** A key for the ignored fields: equal for recordings that ignore the same fields. */
function omittedName({ body, query }: Omitted): string {
  return JSON.stringify([body.map((path) => path.join('/')).sort(), [...query].sort()])
}

/** The digest of a request. Throws `TooDeepError`. */
function requestDigest(request: ComparedRequest, omitted: Omitted): string {
  const { target, route, params, query, payload } = request
  const hasher = new Hasher().text(target).text(JSON.stringify(params))
  for (const [name, value] of comparedQuery(query, omitted)) hasher.text(name).text(value)
  writeInput(hasher, 'content', without(payload, omitted.body), {
    ignored: noNames,
    defaults: defaultsOf(route),
  })
  return hasher.words().join()
}

/** The default values of fields, including `stream`, which does not affect the content. */
function defaultsOf(route: Route | undefined): ReadonlyMap<string, unknown> {
  return new Map([['stream', false], ...(route?.contentDefaults ?? [])])
}

const noNames: ReadonlySet<string> = new Set()

/** The compared parameters by name; equal names keep their order. */
export function comparedQuery(query: string, { query: omitted }: Omitted): [string, string][] {
  if (query === '') return []
  return [...new URLSearchParams(query)]
    .filter(([name]) => !omitted.has(name))
    .sort(([a], [b]) => Number(a > b) - Number(a < b))
}

/** The payload without the redacted fields. */
export function without(payload: Payload, paths: Omitted['body']): Payload {
  if (paths.length === 0) return payload
  if (payload.kind === 'form') return { kind: 'form', fields: payload.fields.filter(isKept(paths)) }
  if (payload.kind !== 'json' || payload.value === null || typeof payload.value !== 'object') return payload
  const value: unknown = structuredClone(payload.value)
  for (const path of paths) {
    const holder = valueAt(value, path.slice(0, -1))
    const name = path.at(-1) as string
    if (holder !== null && typeof holder === 'object' && Object.hasOwn(holder, name))
      (holder as Record<string, unknown>)[name] = 'redacted'
  }
  return { ...payload, value }
}

const isKept =
  (paths: Omitted['body']) =>
  ({ name }: FormField): boolean =>
    !paths.some(([first]) => first === name)
