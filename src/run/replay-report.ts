/** The result of a replay as plain data, and its report and trace. */
import { createHash } from 'node:crypto'
import { formatDuration } from '../engine/duration.ts'
import { bytesOf } from '../exchange/exchange.ts'
import type { Item, Report, Section } from '../report/report.ts'
import { counted } from '../text/printable.ts'
import type { Difference } from './build-request.ts'
import { jsonOf, type SentExchange } from './send.ts'

export interface Failure extends Difference {
  readonly kind: 'expectation' | 'contract'
}

export interface StepReport {
  /** From 1. */
  readonly step: string
  readonly kind: 'call' | 'fetch' | 'advance'
  readonly name: string | undefined
  /** `videos.create`, `GET /media/…`, `advance 8s`. */
  readonly title: string
  readonly at: number
  readonly endedAt: number
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly reason: string | undefined
  readonly exchanges: readonly SentExchange[]
  readonly failures: readonly Failure[]
  /** The changes since the last response about the same resource: `status in_progress → failed`. */
  readonly changed: readonly string[]
  readonly saved: Readonly<Record<string, unknown>>
  /** Resource changes during the step, as the simulator reports them. */
  readonly fired: readonly unknown[]
  readonly notes: readonly string[]
}

export interface StoryReport {
  /** As given on the command line. */
  readonly file: string
  readonly title: string
  /** Where it ran: in-process, or a URL. */
  readonly against: string
  readonly base: string
  readonly seed: string | undefined
  /** Whether time was advanced; if not, all times are real. */
  readonly movedTime: boolean
  /** Virtual time at the start, milliseconds since the epoch. */
  readonly start: number
  readonly end: number
  /** `empty` if nothing was tested: no steps, or all of them skipped. */
  readonly outcome: 'passed' | 'failed' | 'empty'
  readonly steps: readonly StepReport[]
  readonly counts: { readonly passed: number; readonly failed: number; readonly skipped: number }
}

function isSkipped({ outcome, counts }: StoryReport): boolean {
  return outcome === 'empty' && counts.skipped > 0
}

function countsOf(stories: readonly StoryReport[]) {
  const sum = (outcome: 'passed' | 'failed' | 'skipped'): number =>
    stories.reduce((all, { counts }) => all + counts[outcome], 0)
  return {
    failed: stories.filter(({ outcome }) => outcome === 'failed').length,
    empty: stories.filter(isSkipped).length,
    steps: { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') },
  }
}

/** The report on scenarios that have run: a section for each. */
export function replayReport(stories: readonly StoryReport[]): Report {
  const trace = traceOf(stories)
  const counts = countsOf(stories)
  const { failed, empty, steps } = counts
  const withoutFailure = empty > 0 ? 'skipped' : 'passed'
  const outcome = failed > 0 ? 'failed' : withoutFailure
  const outcomes = [`${stories.length - failed - empty} passed`, `${failed} failed`]
  if (empty > 0) outcomes.push(`${empty} skipped entirely`)
  return {
    command: 'gateway-sim replay',
    subject: stories.map(({ file }) => file).join(', '),
    outcome,
    summary: `${counted(stories.length, 'scenario')}: ${outcomes.join(', ')}; ${describeCounts(steps)}`,
    sections: stories.map(storySection),
    data: {
      outcome,
      counts,
      ...trace,
      scenarios: trace.scenarios.map((one, index) => ({ outcome: stories[index]?.outcome, ...one })),
    },
  }
}

function storySection(story: StoryReport): Section {
  const { title, file, against, seed, start, steps } = story
  const withSeed = seed === undefined ? '' : `, seed ${seed}`
  return {
    title: `${title} (${file}, ${against}${withSeed}, from ${new Date(start).toISOString()})`,
    items: steps.map((step) => stepItem(step, file)),
    notes: [summaryOf(story)],
  }
}

function stepItem(step: StepReport, file: string): Item {
  const { failures, exchanges, at, endedAt, kind, name, title, reason, notes, outcome } = step
  const last = exchanges.at(-1)
  const status = last === undefined ? '' : ` → ${last.response?.status ?? last.broken}`
  const polls = exchanges.length > 1 ? ` (${exchanges.length} requests)` : ''
  const took = endedAt > at && kind !== 'advance' ? `, ${formatDuration(endedAt - at)}` : ''
  const [first] = failures
  return {
    outcome,
    title: `+${formatDuration(at)} ${title}${status}${polls}${took}`,
    lines: [
      ...(name === undefined ? [] : [name]),
      ...(reason === undefined ? [] : [`skipped: ${reason}`]),
      ...notes,
      ...changesOf(step),
      ...failures.map(failureLine),
    ],
    testCase: {
      suite: file,
      name: `${step.step} ${name ?? title}`,
      file,
      durationMs: endedAt - at,
      message: first === undefined ? reason : failureLine(first),
      type: first?.kind,
    },
  }
}

function changesOf({ changed, kind, saved }: StepReport): string[] {
  const changes = kind === 'advance' || changed.length === 0 ? changed : [changed.join(', ')]
  const names = Object.keys(saved)
  return names.length === 0 ? [...changes] : [...changes, `saved ${names.join(', ')}`]
}

const failureLine = ({ kind, field, expected, got }: Failure): string =>
  `${kind === 'contract' ? 'contract: ' : ''}${field}: expected ${expected}, got ${got}`

function summaryOf({ counts, outcome, start, end, movedTime }: StoryReport): string {
  if (outcome === 'empty') return counts.skipped === 0 ? 'No steps to run.' : 'All requests were skipped.'
  return `${describeCounts(counts)}, ${formatDuration(end - start)}${movedTime ? ' of virtual time' : ''}`
}

function describeCounts({ passed, failed, skipped }: StoryReport['counts']): string {
  const parts = [`${passed} of ${passed + failed + skipped} steps passed`]
  if (failed > 0) parts.push(`${failed} failed`)
  if (skipped > 0) parts.push(`${skipped} skipped`)
  return parts.join(', ')
}

/** The version of the trace; it changes when a name changes its meaning. */
const format = 'gateway-sim-trace/1'

interface Trace {
  readonly format: string
  readonly scenarios: readonly object[]
}

/**
 * All requests and responses: the same for every in-process run. Times are virtual milliseconds: for a call
 * since the start, for a response or an event since its call.
 */
export function traceOf(stories: readonly StoryReport[]): Trace {
  return JSON.parse(shortened(JSON.stringify({ format, scenarios: stories.map(tracedStory) })))
}

function tracedStory({ file, title, seed, start, base, steps }: StoryReport): unknown {
  const story = {
    file: file.replaceAll('\\', '/'),
    title,
    seed,
    start: new Date(start).toISOString(),
    steps: steps.map((step) => tracedStep(step, start)),
  }
  // The place of the run is not part of the trace: the server's base URL is removed from links.
  return JSON.parse(JSON.stringify(story).replaceAll(base, ''))
}

function tracedStep(report: StepReport, start: number): unknown {
  const { step, name, title, at, outcome, reason: skipped, failures, fired, exchanges } = report
  const some = <Item>(list: readonly Item[]) => (list.length === 0 ? undefined : list)
  return {
    step,
    name,
    title,
    at,
    outcome,
    skipped,
    failures: some(failures),
    fired: some(fired),
    requests: some(exchanges.map((exchange) => callOf(exchange, start))),
  }
}

function callOf(exchange: SentExchange, start: number): unknown {
  const { at, sent, response, firstByteAfter, endedAfter, streamEnd, broken, reason } = exchange
  const { method, url, key, headers, body } = sent
  return {
    at: at - start,
    request: { method, url, key, headers: sortedNames(headers), body },
    response: response && {
      elapsed: firstByteAfter,
      status: response.status,
      headers: sortedNames(Object.fromEntries(response.headers)),
      ...bodyOf(response),
    },
    ended: streamEnd,
    broken,
    reason,
    took: endedAfter,
  }
}

function bodyOf(response: NonNullable<SentExchange['response']>): Readonly<Record<string, unknown>> {
  const { events, body } = response
  if (events !== undefined)
    return { events: events.map(({ at, event, data }) => ({ elapsed: at, event, data })) }
  const json = jsonOf(response)
  if (json !== undefined) return { json }
  if (body?.text !== undefined) return { text: body.text }
  if (body === undefined || body.size === 0) return {}
  const sha256 = createHash('sha256').update(bytesOf(body)).digest('hex')
  return { bytes: { size: body.size, sha256 } }
}

function sortedNames(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)))
}

// Inside an event it is between escaped quotes.
function shortened(text: string): string {
  return text.replace(/(?<=["\\,])[A-Za-z0-9+/]{400,}={0,2}(?=["\\])/g, (base64) => {
    const bytes = Buffer.from(base64, 'base64')
    return `<base64 of ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}>`
  })
}
