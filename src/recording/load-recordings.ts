/** Reads recordings for playback: finds the operation and the job of each call. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Recordings } from '../core/recorded-calls.ts'
import { serviceGroups } from '../endpoints/registry.ts'
import { defined } from '../engine/fields.ts'
import { bytesOf, type Exchange, headerIn, isLost } from '../exchange/exchange.ts'
import { findRoute } from '../exchange/find-route.ts'
import { HarError } from '../exchange/har-error.ts'
import { readHar } from '../exchange/read-har.ts'
import { splitPath } from '../http/exchange.ts'
import { readBytes } from '../http/read-payload.ts'
import type { Payload } from '../protocol/call.ts'
import { createRouter, type Route } from '../protocol/router.ts'
import { indexRecordings, type RecordedCall, targetOf } from './play-index.ts'
import {
  fieldsOf,
  type JobPolls,
  polledId,
  type RecordedJob,
  recordedJob,
  requestFields,
  submittedId,
} from './play-jobs.ts'
import { linkMarker } from './play-response.ts'
import { linkedOrigins } from './proxy/links.ts'

/** Reads a HAR file, a folder of them, or a parsed HAR object. Throws a `HarError` with the place. */
export async function readRecordings(source: string | object): Promise<Recordings> {
  const files = typeof source === 'string' ? recordingFiles(source) : ['a HAR object']
  const exchanges =
    typeof source === 'string'
      ? files.flatMap((file) => readHarFile(file))
      : readHar(JSON.stringify(source), 'a HAR object')
  const found = await routedCalls(exchanges)
  const { calls, jobs } = withJobs(found.calls)
  const [first] = found.calls
  return {
    files,
    calls: found.calls.length,
    first: first && `${first.exchange.request.method} ${first.path}`,
    played: indexRecordings(calls, jobs, linkMarker(found.bases)),
  }
}

/** The calls of a HAR file, or of all in a folder. Throws `HarError`, which names the path `shown`. */
export const readExchanges = (path: string, shown = path): Exchange[] =>
  recordingFiles(path, shown).flatMap((file) =>
    readHarFile(file, file === path ? shown : join(shown, basename(file))),
  )

/** The calls of a HAR file, with the body files next to it. Throws `HarError`. */
export function readHarFile(file: string, shown = basename(file)): Exchange[] {
  const folder = dirname(file)
  const text = reading(file, () => readFileSync(file, 'utf8'))
  return readHar(text, shown, (name) => readFileSync(join(folder, name)))
}

/** The path, or the HAR files of a folder. Throws `HarError`. */
export function recordingFiles(path: string, shown = path): string[] {
  if (!reading(shown, () => statSync(path)).isDirectory()) return [path]
  const files = readdirSync(path)
    .filter((name) => name.toLowerCase().endsWith('.har'))
    .sort()
    .map((name) => join(path, name))
  if (files.length > 0) return files
  throw new HarError(
    `${shown}: the folder contains no .har files: pass a folder of recordings, or a HAR file`,
  )
}

function reading<Result>(path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new HarError(
      code === 'ENOENT'
        ? `${path}: not found: expected a HAR file, or a folder of HAR files`
        : `${path}: cannot be read (${code ?? String(error)})`,
    )
  }
}

export type RoutedCall = Omit<RecordedCall, 'job'>

/** The calls in the order they were sent, and the base URLs of their servers. */
export async function routedCalls(
  exchanges: readonly Exchange[],
): Promise<{ readonly calls: readonly RoutedCall[]; readonly bases: ReadonlySet<string> }> {
  const router = createRouter(serviceGroups)
  const bases = new Set<string>()
  const calls: RoutedCall[] = []
  for (const exchange of [...exchanges].sort((a, b) => a.at - b.at)) {
    const { request, response } = exchange
    if (request.method === 'OPTIONS' || (response !== undefined && isLost(response))) continue
    const url = new URL(request.url)
    const { path: own, prefix: session } = splitPath(url.pathname)
    const { path, prefix, route, params } = findRoute(router, request.method, own)
    if (path.startsWith('/__sim')) continue
    bases.add(url.origin + session + prefix)
    // A linked URL may be unrecorded; playback must not send a client to another host.
    if (response !== undefined && route?.endpoint.speaks === undefined)
      for (const origin of responseOrigins(response)) bases.add(origin)
    const headers = Object.fromEntries(request.headers)
    calls.push({
      target: targetOf(route, request.method, path),
      route,
      params,
      path,
      query: url.search.slice(1),
      payload: await payloadOf(exchange, route, headers),
      headers,
      exchange,
    })
  }
  return { calls, bases }
}

function responseOrigins({ headers, body }: NonNullable<Exchange['response']>): Iterable<string> {
  const isJson = /[/+]json/.test(headerIn(headers, 'content-type') ?? '')
  return isJson ? linkedOrigins(body?.text ?? '') : []
}

function payloadOf(
  { request: { body } }: Exchange,
  route: Route | undefined,
  headers: RoutedCall['headers'],
): Payload | Promise<Payload> {
  if (route === undefined || body === undefined || route.endpoint.accepts.length === 0)
    return { kind: 'none' }
  return readBytes(bytesOf(body), headers, route.endpoint)
}

interface OpenJob extends JobPolls {
  readonly polls: Exchange[]
  readonly submitted?: RoutedCall
}

/** Assigns submissions and polls to their jobs. Polls become states of the job. */
export function withJobs(routed: readonly RoutedCall[]): {
  readonly calls: readonly RecordedCall[]
  readonly jobs: ReadonlyMap<string, RecordedJob>
} {
  const open = new Map<string, OpenJob>()
  const closed: OpenJob[] = []
  const plain: RoutedCall[] = []
  for (const call of routed) {
    const { route, params, payload, exchange } = call
    const polls = route?.endpoint.job?.polls
    const polled = route === undefined ? undefined : polledId(route, params)
    if (polls !== undefined && polled !== undefined) {
      const name = `${polls.resource} ${polled}`
      const unsubmitted = { kind: polls, id: polled, submission: undefined, facts: {}, polls: [] }
      const job: OpenJob = open.get(name) ?? unsubmitted
      open.set(name, job)
      if (exchange.response !== undefined) job.polls.push(exchange)
      job.poll = route?.endpoint.operation
      continue
    }
    plain.push(call)
    const kind = route?.endpoint.job?.submits
    const body = fieldsOf(exchange)
    const id = (exchange.response?.status ?? 500) < 300 ? submittedId(body) : undefined
    if (kind === undefined || id === undefined) continue
    const name = `${kind.resource} ${id}`
    const before = open.get(name)
    if (before !== undefined) closed.push(before)
    const { status } = kind.readPoll(body)
    const facts = { ...requestFields(payload), ...defined({ status }) }
    open.set(name, { kind, id, submission: exchange, facts, polls: [], submitted: call })
  }
  const jobs = new Map<string, RecordedJob>()
  const submitted = new Map<RoutedCall, RecordedJob>()
  for (const polls of [...closed, ...open.values()]) {
    const job = recordedJob(polls)
    jobs.set(`${job.kind.resource} ${job.id}`, job)
    if (polls.submitted !== undefined) submitted.set(polls.submitted, job)
  }
  return { calls: plain.map((call) => ({ ...call, job: submitted.get(call) })), jobs }
}
