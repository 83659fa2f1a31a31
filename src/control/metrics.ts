/** `sim.getMetrics`: counters and gauges of the simulator, for Prometheus. */
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import type { ProcessFacts } from '../protocol/traffic.ts'
import { version } from '../text/version.ts'
import { aboutNoSession, type ControlApiParts, own } from './control.ts'

export function metricsEndpoint(parts: ControlApiParts): Endpoint {
  return defineEndpoint({
    ...own,
    ...aboutNoSession,
    operation: 'sim.getMetrics',
    method: 'GET',
    path: '/__sim/metrics',
    summary: 'Get metrics in the text format of Prometheus',
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
  return [
    {
      name: 'gateway_sim_build_info',
      type: 'gauge',
      help: 'The version, as a label.',
      samples: [{ labels: { version }, value: 1 }],
    },
    ...gauges('gateway_sim_', [
      ['uptime_seconds', 'Seconds since the simulator was created.', uptimeOf(metrics)],
    ]),
    {
      name: 'gateway_sim_requests_total',
      type: 'counter',
      help:
        'Requests to the gateway by operation (none: an unknown path) and status (0: no response ' +
        'was sent).',
      samples: [...metrics.calls.entries()].map(({ operation, status, count }) => ({
        labels: { operation, status: String(status) },
        value: count,
      })),
    },
    {
      name: 'gateway_sim_rule_conditions_total',
      type: 'counter',
      help: 'Rule conditions evaluated.',
      samples: [{ value: metrics.conditionsEvaluated() }],
    },
    ...held(parts),
    {
      name: 'gateway_sim_evicted_total',
      type: 'counter',
      help: 'Sessions, and things in sessions, that had to make room.',
      samples: [{ value: parts.evictions.count }],
    },
    ...ofProcess(parts.process()),
  ]
}

const uptimeOf = ({ wall, startedAt }: ControlApiParts['metrics']): number => (wall() - startedAt) / 1000

/** The totals of all sessions, and the limits. */
function held({ sessions, traffic, settings: { memory } }: ControlApiParts): readonly Metric[] {
  const all = sessions.all()
  const total = { streams: 0, resources: 0, entries: 0, files: 0, items: 0, bytes: 0 }
  const active = new Map<string, number>()
  for (const { open, sandbox } of all) {
    const { store, journal, uploads, memory: kept } = sandbox
    total.streams += open.size
    total.resources += store.size
    total.entries += journal.count
    total.files += uploads.count
    total.items += kept.count
    total.bytes += kept.size
    for (const [kind, count] of store.countActive(sandbox.clock.now()))
      active.set(kind, (active.get(kind) ?? 0) + count)
  }
  const activeNow = [...active].map(([kind, value]) => ({ labels: { kind }, value }))
  return [
    ...gauges('gateway_sim_', [
      ['sessions', 'Sessions.', all.length],
      ['sessions_limit', 'Maximum number of sessions (setting memory.sessions).', memory.sessions],
      ['open_streams', 'Open streams and delayed responses.', total.streams],
    ]),
    {
      name: 'gateway_sim_active_jobs',
      type: 'gauge',
      help: 'Jobs with pending changes, by kind.',
      samples: activeNow,
    },
    ...gauges('gateway_sim_', [
      ['resources', 'Jobs, and responses with image URLs.', total.resources],
      ['journal_entries', 'Requests in the journals.', total.entries],
      ['files', 'Uploaded files.', total.files],
      ['items', 'Things that sessions keep: requests, jobs, files, counts.', total.items],
      ['session_items_limit', 'Maximum number of items in a session (setting memory.items).', memory.items],
      ['bytes', 'Approximate size of what sessions keep.', total.bytes],
      ['session_bytes_limit', 'Maximum size of what a session keeps (setting memory.bytes).', memory.bytes],
      ['unread_bytes', 'Bytes of responses not yet read by clients.', traffic.unread],
      ['arriving_bytes', 'Bytes of request bodies being received.', traffic.arriving],
    ]),
  ]
}

/** Named as in other Node.js servers, whose dashboards then work. */
function ofProcess(facts: ProcessFacts | undefined): readonly Metric[] {
  if (facts === undefined) return []
  const { loop, memory } = facts
  return gauges('', [
    ['process_resident_memory_bytes', 'Resident memory of the process.', memory.rss],
    ['nodejs_heap_size_total_bytes', 'Size of the heap.', memory.heapTotal],
    ['nodejs_heap_size_used_bytes', 'Used size of the heap.', memory.heapUsed],
    ['nodejs_external_memory_bytes', 'Memory outside the heap, such as buffers.', memory.external],
    ['nodejs_eventloop_lag_p50_seconds', 'Median event-loop lag.', loop.p50 / 1000],
    ['nodejs_eventloop_lag_p99_seconds', '99th percentile of event-loop lag.', loop.p99 / 1000],
    ['nodejs_eventloop_lag_max_seconds', 'Maximum event-loop lag since the server started.', loop.max / 1000],
    [
      'gateway_sim_eventloop_lag_last_minute_seconds',
      'Maximum lag of the event loop in the last minute.',
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

/** The metrics as text, without those that have no value. */
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
