/** Recorded requests as the page shows them: the HTML report of a check. */

import { aboutOf } from '../../exchange/about.ts'
import type { StreamedEvent } from '../../exchange/exchange.ts'
import {
  bytesOf,
  type Exchange,
  type ExchangeBody,
  type ExchangeResponse,
  type Headers,
  headerIn,
} from '../../exchange/exchange.ts'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import { harEntry, harFrame } from '../../exchange/write-har.ts'
import { sortRecording } from '../../judges/recorded-calls.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { createEventParser } from '../../protocol/parse-events.ts'
import type { CheckReport, Finding } from '../../run/check-types.ts'
import { version } from '../../text/version.ts'
import { fitTrace } from '../../trace/fit-trace.ts'
import { savedPage } from '../../trace/saved-page.ts'
import { maxTraceBytes, type SavedTrace, type TraceEntry } from '../../trace/trace.ts'
import type { RequestFormat } from '../output-files.ts'

const session = 'gateway'

/** A report with all requests: a HAR file, or the page with a saved trace. */
export async function exchangesText(
  format: RequestFormat,
  exchanges: readonly Exchange[],
  report: CheckReport,
): Promise<string> {
  if (format === 'html') return savedPage(fitTrace(await exchangeTrace(exchanges, report), maxTraceBytes))
  const { head, tail } = harFrame(version)
  return head + exchanges.map((exchange) => JSON.stringify(harEntry(exchange))).join(',\n') + tail
}

async function exchangeTrace(exchanges: readonly Exchange[], report: CheckReport): Promise<SavedTrace> {
  const { calls } = await sortRecording(exchanges)
  const endpoints = new Map(calls.map(({ exchange, route }) => [exchange, route.endpoint]))
  const entries = exchanges.map((exchange, seq) => entryOf(exchange, seq, endpoints.get(exchange)))
  const findings = [...report.violations, ...report.accepted, ...report.additions]
  const judged = entries.map((entry, seq) => {
    const about = findings.filter((one) => isAbout(one, exchanges[seq] as Exchange))
    return { ...entry, cause: { ...entry.cause, violations: about.map(asViolation) } }
  })
  const now = entries.at(-1)?.at ?? new Date().toISOString()
  return {
    format: 'gateway-sim trace 1',
    version,
    strict: false,
    savedAt: new Date().toISOString(),
    title: `check of ${report.baseUrl}`,
    sessions: [
      {
        name: session,
        clock: { mode: 'real', speed: 1, frozen: false, now, next: null, in: null, pending: 0 },
        total: entries.length,
        first: 0,
        entries: judged,
        explanations: {},
        jobs: { total: 0, more: 0, evicted: 0, jobs: [] },
        clientReport: {
          ok: true,
          requests: entries.length,
          errors: 0,
          warnings: 0,
          hints: 0,
          findings: [],
          more: 0,
        },
        overrides: [],
        scenarios: [],
      },
    ],
    cut: [
      `Requests of a check: ${report.summary.violations} violations.`,
      'A gateway has no rules, and a check collects no jobs, media or client report.',
    ],
  }
}

function entryOf(
  { at: startedAt, firstByteAfter, endedAfter, request, response, ended }: Exchange,
  seq: number,
  endpoint: Endpoint | undefined,
): TraceEntry {
  const { pathname, search } = new URL(request.url)
  const at = new Date(startedAt).toISOString()
  const headers = response?.headers ?? []
  const streamed = headerIn(headers, 'content-type')?.startsWith('text/event-stream') === true
  const events = response !== undefined && streamed ? eventsOf(response) : undefined
  const entry: JournalEntryJson = {
    seq,
    at,
    realAt: at,
    session,
    operation: endpoint?.operation,
    request: {
      method: request.method,
      url: pathname + search,
      headers: pairs(request.headers),
      body: shownBody(request.body),
    },
    response: response && {
      status: response.status,
      headers: pairs(headers),
      body: shownBody(response.body),
      events,
      eventCount: events?.length,
    },
    ended,
    firstByteAfter,
    endedAfter,
    redacted: [],
    cause: {
      requestId: headerIn(headers, 'x-request-id') ?? '',
      namedBy: 'default',
      unmatched: false,
      transitions: [],
      faults: [],
      violations: [],
      ignored: [],
    },
  }
  return { ...entry, about: aboutOf(entry, endpoint) }
}

const pairs = (headers: Headers): [string, string][] => headers.map(([name, value]) => [name, value])

/** Text; of other bytes, how many there are. */
function shownBody(body: ExchangeBody | undefined): TraceEntry['request']['body'] {
  if (body === undefined || body.size === 0) return undefined
  const { text, size, isComplete } = body
  return text === undefined
    ? { text: `(${size} bytes)`, size, isComplete: false, isSummary: true }
    : { text, size, isComplete }
}

function eventsOf(response: ExchangeResponse): StreamedEvent[] {
  const { chunks = [] } = response
  const body = bytesOf(response.body)
  const events: StreamedEvent[] = []
  let now = 0
  const parser = createEventParser({
    onEvent: ({ event, data }) => events.push({ at: now, event, data }),
  })
  const decoder = new TextDecoder()
  let from = 0
  for (const { at, bytes } of chunks.length === 0 ? [{ at: 0, bytes: body.length }] : chunks) {
    now = at
    parser.feed(decoder.decode(body.subarray(from, (from += bytes)), { stream: true }))
  }
  return events
}

/** A finding of a recording names the places of all requests; that of a gateway shows the first one. */
function isAbout(
  { request, response, probes }: Finding,
  { source, request: { method, url }, response: received }: Exchange,
): boolean {
  const isShown = request.method === method && request.url === url && response.status === received?.status
  return probes.includes(source ?? '') || isShown
}

function asViolation({
  where,
  pointer,
  rule,
  expected,
  got,
  operations,
}: Finding): TraceEntry['cause']['violations'][number] {
  const states = rule === undefined ? '' : `${rule}: `
  return {
    field: `${where} ${pointer}`.trim(),
    message: `${states}expected ${expected}, got ${got} (${operations.join(', ')})`,
  }
}
