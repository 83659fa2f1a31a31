/** The operations of recorded requests, and the jobs whose states their polls showed. */

import { defined, type Fields, isFields, jsonIn } from '../engine/fields.ts'
import { lastPart } from '../engine/pointer.ts'
import { bytesOf, type Exchange, type ExchangeResponse, isLost } from '../exchange/exchange.ts'
import { findRoute } from '../exchange/find-route.ts'
import { splitPath } from '../http/exchange.ts'
import { readBytes } from '../http/read-payload.ts'
import type { Payload } from '../protocol/call.ts'
import type { Route, Router } from '../protocol/router.ts'
import type { ScriptedKind } from '../protocol/scripted.ts'
import type { TimelineSpec } from '../scenario/format/given.ts'

export interface RecordedCall {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  /** As sent, without `?`. */
  readonly query: string
  readonly payload: Payload
  readonly exchange: Exchange
  readonly response: ExchangeResponse
  /** The job that it submitted. */
  job?: RecordedJob
}

export interface RecordedJob {
  readonly kind: ScriptedKind
  readonly id: string
  readonly submission: Exchange
  /** The operation that polls it by its id. */
  poll?: string
  /** What its polls showed, each state once. */
  readonly states: { readonly at: number; readonly exchange: Exchange }[]
}

export interface RecordedCalls {
  /** In the order in which they were sent, without polls. */
  readonly calls: readonly RecordedCall[]
  readonly jobs: readonly RecordedJob[]
  /** The requests that say nothing of the gateway, with the reason: one sentence each. */
  readonly left: readonly string[]
}

/** Polls become the states of the jobs that were submitted before. */
export async function recordedCalls(exchanges: readonly Exchange[], router: Router): Promise<RecordedCalls> {
  const calls: RecordedCall[] = []
  const jobs: RecordedJob[] = []
  const left: string[] = []
  const open = new Map<string, RecordedJob>()
  for (const exchange of [...exchanges].sort((a, b) => a.at - b.at)) {
    const call = await recordedCall(exchange, router)
    if (typeof call === 'string') left.push(`${exchange.source}: ${call}`)
    if (call === undefined || typeof call === 'string') continue
    if (call.route.endpoint.job?.polls !== undefined) {
      if (!addPoll(call, open)) left.push(`${exchange.source}: the submission of this job was not recorded`)
      continue
    }
    calls.push(call)
    const job = submittedJob(call)
    if (job === undefined) continue
    call.job = job
    jobs.push(job)
    open.set(`${job.kind.resource} ${job.id}`, job)
  }
  for (const job of jobs) beginAtSubmission(job)
  return { calls, jobs, left }
}

/** A string is the reason why it cannot be used. Undefined for what browsers and tests send besides. */
async function recordedCall(exchange: Exchange, router: Router): Promise<RecordedCall | string | undefined> {
  const { request, response } = exchange
  const { method, body, headers } = request
  const url = new URL(request.url)
  const { path, route, params } = findRoute(router, method, splitPath(url.pathname).path)
  if (method === 'OPTIONS' || path.startsWith('/__sim')) return undefined
  if (response === undefined || isLost(response)) return 'the response was not recorded'
  if (route === undefined) return `${method} ${path} is not an operation`
  const payload: Payload =
    body === undefined || route.endpoint.accepts.length === 0
      ? { kind: 'none' }
      : await readBytes(bytesOf(body), Object.fromEntries(headers), route.endpoint)
  return { route, params, query: url.search.slice(1), payload, exchange, response }
}

/** False if its job is unknown. */
function addPoll(call: RecordedCall, open: Map<string, RecordedJob>): boolean {
  const { route, params, payload, exchange, response } = call
  const { job: { polls } = {}, path, operation } = route.endpoint
  const body = payload.kind === 'json' && isFields(payload.value) ? payload.value : {}
  const named =
    polls?.field === undefined ? params[/\{(\w+)\}[^{]*$/.exec(path)?.[1] ?? ''] : body[polls.field]
  const job = open.get(`${polls?.kind.resource} ${typeof named === 'string' ? lastPart(named) : ''}`)
  if (job === undefined) return false
  if (polls?.field === undefined) job.poll = operation
  const { status } = response
  const before = job.states.at(-1)?.exchange.response
  const isState = status < 300 || status === 404 || status === 410
  if (isState && (before?.status !== status || textOf(before) !== textOf(response)))
    job.states.push({ at: Math.max(0, Math.round(exchange.at - job.submission.at)), exchange })
  return true
}

const textOf = (response: Exchange['response']): string =>
  Buffer.from(bytesOf(response?.body)).toString('latin1')

function submittedJob({ route, exchange, response }: RecordedCall): RecordedJob | undefined {
  const kind = route.endpoint.job?.submits
  const id = response.status < 300 ? submittedId(fieldsOf(exchange)) : undefined
  return kind === undefined || id === undefined ? undefined : { kind, id, submission: exchange, states: [] }
}

function submittedId(body: Fields): string | undefined {
  const named = body['id'] ?? body['name']
  return typeof named === 'string' ? lastPart(named) : undefined
}

/**
 * The state of the first poll applies from the beginning, unless it is terminal: the job was not finished
 * when it was submitted.
 */
function beginAtSubmission({ kind, submission, states }: RecordedJob): void {
  const [first] = states
  if (first === undefined || first.at === 0) return
  if (hasEnded(kind, first.exchange)) states.unshift({ at: 0, exchange: submission })
  else states[0] = { ...first, at: 0 }
}

function hasEnded(kind: ScriptedKind, exchange: Exchange): boolean {
  const { response } = exchange
  if (response === undefined || response.status >= 300) return true
  if (kind.readEnd !== undefined)
    return kind.readEnd(new TextDecoder().decode(bytesOf(response.body))) !== undefined
  const { status } = fieldsOf(exchange)
  return status === kind.ended.succeeded || status === kind.ended.failed
}

export function fieldsOf({ response }: Exchange): Fields {
  const value = jsonIn(bytesOf(response?.body))
  return isFields(value) ? value : {}
}

/** The timeline of a job in the scenario format, as far as the format can express it. */
export function recordedTimeline({ kind, states }: RecordedJob): TimelineSpec {
  return states.map(({ at, exchange }) =>
    exchange.response !== undefined && exchange.response.status >= 300
      ? { at, notFound: true as const }
      : { at, ...known(kind.readPoll(fieldsOf(exchange)), kind.entry().shape) },
  ) as TimelineSpec
}

/** A status that the scenario format cannot express. */
export function unknownStatus({ kind }: RecordedJob, exchange: Exchange): unknown {
  const body = fieldsOf(exchange)
  if ((exchange.response?.status ?? 500) >= 300 || body['done'] !== undefined) return undefined
  const { status } = known(kind.readPoll(body), kind.entry().shape)
  return status === undefined ? body['status'] : undefined
}

function known(fields: Fields, shape: ReturnType<ScriptedKind['entry']>['shape']): Fields {
  return defined(
    Object.fromEntries(
      Object.entries(fields).filter(([name, value]) => shape[name]?.safeParse(value).success === true),
    ),
  )
}
