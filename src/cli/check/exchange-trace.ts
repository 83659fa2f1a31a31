/** Recorded requests as the page shows them: the HTML report of a check. */

import type { CheckReport, Finding } from '../../check/report.ts'
import { harEntry, harFrame, headerIn, type RecordedExchange } from '../../har/write-har.ts'
import { aboutOf } from '../../journal/about.ts'
import { sortRecording } from '../../judges/recorded-calls.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { createEventParser } from '../../protocol/parse-events.ts'
import { version } from '../../text/version.ts'
import { fitTrace } from '../../trace/fit-trace.ts'
import { savedPage } from '../../trace/saved-page.ts'
import { maxTraceBytes, type SavedTrace, type TraceEntry } from '../../trace/trace.ts'
import type { RequestFormat } from '../output-files.ts'

const session = 'gateway'

/** A report with all requests: a HAR file, or the page with a saved trace. */
export async function exchangesText(
  format: RequestFormat,
  exchanges: readonly RecordedExchange[],
  report: CheckReport,
): Promise<string> {
  if (format === 'html') return savedPage(fitTrace(await exchangeTrace(exchanges, report), maxTraceBytes))
  const { head, tail } = harFrame(version)
  const lines = exchanges.map((exchange) => {
    const lost = exchange.response?.bodyLost === true ? { lostBytes: 1 } : {}
    return JSON.stringify(harEntry(exchange, lost))
  })
  return head + lines.join(',\n') + tail
}

async function exchangeTrace(
  exchanges: readonly RecordedExchange[],
  report: CheckReport,
): Promise<SavedTrace> {
  const { calls } = await sortRecording(exchanges)
  const endpoints = new Map(calls.map(({ exchange, route }) => [exchange, route.endpoint]))
  const entries = exchanges.map((exchange, seq) => entryOf(exchange, seq, endpoints.get(exchange)))
  const findings = [...report.violations, ...report.accepted, ...report.additions]
  const judged = entries.map((entry, seq) => {
    const about = findings.filter((one) => isAbout(one, exchanges[seq] as RecordedExchange))
    return { ...entry, violations: about.map(asViolation) }
  })
  const now = entries.at(-1)?.at ?? new Date().toISOString()
  return {
    format: 'gateway-sim trace 1',
    version,
    strict: false,
    draws: [],
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
        media: {},
      },
    ],
    cut: [
      `Requests of a check: ${report.summary.violations} violations.`,
      'A gateway has no rules, and a check collects no jobs, media or client report.',
    ],
  }
}

function entryOf(
  { startedAt, request, response, ended }: RecordedExchange,
  seq: number,
  endpoint: Endpoint | undefined,
): TraceEntry {
  const { pathname, search } = new URL(request.url)
  const at = new Date(startedAt).toISOString()
  const headers = response?.headers ?? []
  const streamed = headerIn(headers, 'content-type')?.startsWith('text/event-stream') === true
  const stream = response !== undefined && streamed ? eventsOf(response) : []
  const path = pathname + search
  const sent = textOf(request.body)
  return {
    seq,
    at,
    realAt: at,
    session,
    namedBy: 'default',
    ended,
    streamed,
    stream,
    requestId: headerIn(headers, 'x-request-id') ?? '',
    operation: endpoint?.operation ?? null,
    method: request.method,
    path,
    traceId: null,
    about: aboutOf({ path, request: sent ?? undefined }, endpoint),
    key: null,
    caller: null,
    rule: null,
    decidedBy: null,
    rejection: null,
    bug: null,
    headers: Object.fromEntries(request.headers),
    request: sent,
    status: response?.status ?? 0,
    response: textOf(response?.body),
    unmatched: false,
    transitions: [],
    faults: [],
    violations: [],
    ignored: [],
    eventCount: stream.length,
    endOffset: null,
  }
}

/** Text; of other bytes, how many there are. */
function textOf(bytes: Uint8Array | undefined): string | null {
  if (bytes === undefined || bytes.length === 0) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return `(${bytes.length} bytes)`
  }
}

function eventsOf({ body, chunks = [] }: NonNullable<RecordedExchange['response']>): TraceEntry['stream'] {
  const events: TraceEntry['stream'] = []
  let offset = 0
  const parser = createEventParser({
    onEvent: ({ event, data }) => events.push({ offset, event, data }),
  })
  const decoder = new TextDecoder()
  let from = 0
  for (const { at, bytes } of chunks.length === 0 ? [{ at: 0, bytes: body.length }] : chunks) {
    offset = at
    parser.feed(decoder.decode(body.subarray(from, (from += bytes)), { stream: true }))
  }
  return events
}

/** A finding of a recording names the places of all requests; that of a gateway shows the first one. */
function isAbout(
  { request, response, probes }: Finding,
  { source, request: { method, url }, response: received }: RecordedExchange,
): boolean {
  const isShown = request.method === method && request.url === url && response.status === received?.status
  return probes.includes(source) || isShown
}

function asViolation({
  where,
  pointer,
  rule,
  expected,
  got,
  operations,
}: Finding): TraceEntry['violations'][number] {
  const states = rule === undefined ? '' : `${rule}: `
  return {
    field: `${where} ${pointer}`.trim(),
    message: `${states}expected ${expected}, got ${got} (${operations.join(', ')})`,
  }
}
