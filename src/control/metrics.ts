/** `sim.readMetrics`: what the simulator has counted and what it holds, for Prometheus. */
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import type { ProcessFacts } from '../protocol/traffic.ts'
import { version } from '../text/version.ts'
import { aboutNoSession, type ControlApiParts, own } from './control.ts'

export function metricsEndpoint(parts: ControlApiParts): Endpoint {
  return defineEndpoint({
    ...own,
    ...aboutNoSession,
    operation: 'sim.readMetrics',
    method: 'GET',
    path: '/__sim/metrics',
    summary: 'What it has done and what it holds, as a text for Prometheus',
    accepts: [],
    act: () => ({
      status: 200,
      headers: { 'content-type': prometheusType },
      body: { kind: 'text', text: prometheusText(metricsOf(parts)) },
    }),
  })
}

function metricsOf(parts: ControlApiParts): readonly Metric[] {
  const { metrics } = parts
  if (metrics === undefined)
    throw new ApiError(
      'not_found_error',
      'Metrics are off: start with `gateway-sim serve --metrics`, or set `control.metrics: true`.',
    )
  return [
    {
      name: 'gateway_sim_build_info',
      type: 'gauge',
      help: 'The version, as a label.',
      samples: [{ labels: { version }, value: 1 }],
    },
    ...gauges('gateway_sim_', [
      [
        'uptime_seconds',
        'How long the simulator has been running.',
        (metrics.wall() - metrics.startedAt) / 1000,
      ],
    ]),
    {
      name: 'gateway_sim_calls_total',
      type: 'counter',
      help: 'Calls of the gateway by operation (none: an unknown path) and status (0: no response was sent).',
      samples: [...metrics.calls.entries()].map(({ operation, status, count }) => ({
        labels: { operation, status: String(status) },
        value: count,
      })),
    },
    {
      name: 'gateway_sim_rule_conditions_total',
      type: 'counter',
      help: 'Conditions of rules that were evaluated.',
      samples: [{ value: metrics.conditionsEvaluated() }],
    },
    ...held(parts),
    {
      name: 'gateway_sim_evicted_total',
      type: 'counter',
      help: 'What was evicted because a bound was reached, by kind.',
      samples: Object.entries(parts.evictions.counts).map(([kind, value]) => ({ labels: { kind }, value })),
    },
    ...ofProcess(parts.process()),
  ]
}

/** What all sessions hold together, and the bounds. */
function held({ sessions, traffic, settings: { memory } }: ControlApiParts): readonly Metric[] {
  const all = sessions.all()
  const total = { streams: 0, resources: 0, entries: 0, journalBytes: 0, files: 0, fileBytes: 0 }
  const active = new Map<string, number>()
  for (const { open, sandbox } of all) {
    const { store, journal, uploads } = sandbox
    total.streams += open.size
    total.resources += store.size
    total.entries += journal.held.entries
    total.journalBytes += journal.held.bytes
    total.files += uploads.count
    total.fileBytes += uploads.size
    for (const [kind, count] of store.countActive(sandbox.clock.now()))
      active.set(kind, (active.get(kind) ?? 0) + count)
  }
  const activeNow = [...active].map(([kind, value]) => ({ labels: { kind }, value }))
  return [
    ...gauges('gateway_sim_', [
      ['sessions', 'Sessions that exist.', all.length],
      ['sessions_limit', 'Bound of sessions (setting memory.sessions).', memory.sessions],
      ['open_streams', 'Streams and held responses that are open.', total.streams],
    ]),
    {
      name: 'gateway_sim_active_resources',
      type: 'gauge',
      help: 'Jobs, videos and operations to which something is still to happen, by kind.',
      samples: activeNow,
    },
    ...gauges('gateway_sim_', [
      ['resources', 'Jobs, videos, operations and responses with URLs.', total.resources],
      ['session_resources_limit', 'Bound of the resources of a session.', memory.resources],
      ['journal_entries', 'Calls in the journals.', total.entries],
      [
        'session_journal_entries_limit',
        'Bound of the calls in the journal of a session.',
        memory.journalEntries,
      ],
      ['journal_bytes', 'Text of requests and responses in the journals.', total.journalBytes],
      ['journal_bytes_limit', 'Bound of the text in all journals.', memory.journalBytesInAll],
      ['files', 'Uploaded files.', total.files],
      ['session_files_limit', 'Bound of the uploaded files of a session.', memory.files],
      ['file_bytes', 'Size of the uploaded files.', total.fileBytes],
      ['unread_bytes', 'Bytes of responses that clients have not read yet.', traffic.unread],
      ['arriving_bytes', 'Bytes of request bodies of open calls.', traffic.arriving],
      ['session_file_bytes_limit', 'Bound of the size of the uploaded files of a session.', memory.fileBytes],
    ]),
  ]
}

/** Under the names that other servers on node have, so that their dashboards work. */
function ofProcess(facts: ProcessFacts | undefined): readonly Metric[] {
  if (facts === undefined) return []
  const { loop, memory } = facts
  return gauges('', [
    ['process_resident_memory_bytes', 'Memory of the process (RSS).', memory.rss],
    ['nodejs_heap_size_total_bytes', 'Size of the heap.', memory.heapTotal],
    ['nodejs_heap_size_used_bytes', 'Used part of the heap.', memory.heapUsed],
    ['nodejs_external_memory_bytes', 'Memory of buffers and the like.', memory.external],
    ['nodejs_eventloop_lag_p50_seconds', 'Median delay of the event loop.', loop.p50 / 1000],
    ['nodejs_eventloop_lag_p99_seconds', '99th percentile of the delay of the event loop.', loop.p99 / 1000],
    [
      'nodejs_eventloop_lag_max_seconds',
      'Greatest delay of the event loop since the start of the server.',
      loop.max / 1000,
    ],
    [
      'gateway_sim_eventloop_lag_last_minute_seconds',
      'Greatest delay of the event loop in the last minute.',
      loop.maxLastMinute / 1000,
    ],
  ])
}

type Gauge = readonly [name: string, help: string, value: number]

const gauges = (prefix: string, rows: readonly Gauge[]): Metric[] =>
  rows.map(([name, help, value]) => ({ name: prefix + name, type: 'gauge', help, samples: [{ value }] }))

/** Writes metrics in the text format of Prometheus, version 0.0.4. */

type Labels = Readonly<Record<string, string>>

interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  /** One value for each set of labels. */
  readonly samples: readonly { readonly labels?: Labels; readonly value: number }[]
}

const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

/** The metrics as text; those without a value are left out. */
export function prometheusText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`,
      `# TYPE ${name} ${type}\n`,
      ...samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}\n`),
    ])
    .join('')
}

function labelText(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
