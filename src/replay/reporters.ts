/** The result of a replay as plain data, and its reports: a transcript, JSON, JUnit, a trace. */
import { createHash } from 'node:crypto'
import { formatDuration } from '../engine/duration.ts'
import { type JunitCase, junitXml } from '../text/junit.ts'
import { markdownReport as markdown } from '../text/markdown.ts'
import { type Paint, plain, type Style } from '../text/paint.ts'
import { counted, escapeControls, wrap } from '../text/printable.ts'
import type { Difference, Exchange, Received } from './build-request.ts'

export interface Failure extends Difference {
  readonly kind: 'expectation' | 'contract'
}

export interface StepReport {
  /** From 1; `3.1` is the first one of a parallel group. */
  readonly step: string
  readonly kind: 'call' | 'fetch' | 'advance'
  readonly name: string | undefined
  /** `videos.create`, `GET /media/…`, `advance 8s`. */
  readonly title: string
  readonly at: number
  readonly endedAt: number
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly reason: string | undefined
  readonly exchanges: readonly Exchange[]
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

export function isSkipped({ outcome, counts }: StoryReport): boolean {
  return outcome === 'empty' && counts.skipped > 0
}

/** The version of this format; it changes when a name changes its meaning. */
const jsonFormat = 'gateway-sim-replay/1'

/** The document. Timestamps are ISO 8601; `at` and `took` are virtual milliseconds. */
export function jsonReport(stories: readonly StoryReport[]): unknown {
  const { failed, empty, steps } = countsOf(stories)
  const withoutFailure = empty > 0 ? 'empty' : 'passed'
  return {
    format: jsonFormat,
    outcome: failed > 0 ? 'failed' : withoutFailure,
    counts: { scenarios: stories.length, failed, empty, steps },
    scenarios: stories.map(({ file, title, against, seed = null, start, end, outcome, counts, steps }) => ({
      file,
      title,
      against,
      seed,
      start: new Date(start).toISOString(),
      end: new Date(end).toISOString(),
      outcome,
      counts,
      steps: steps.map(stepOf),
    })),
  }
}

function stepOf(report: StepReport): unknown {
  const { step, kind, name = null, title, at, outcome, reason = null, exchanges } = report
  const { failures, changed, saved, fired, notes } = report
  const { response, broken = null, ended = null } = exchanges.at(-1) ?? {}
  return {
    step,
    kind,
    name,
    title,
    at,
    took: report.endedAt - at,
    outcome,
    reason,
    requests: exchanges.length,
    status: response?.status ?? null,
    broken,
    ended,
    failures,
    changed,
    saved,
    fired,
    notes,
  }
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

const width = 100
const timeColumn = 10
const indent = ' '.repeat(timeColumn + 4)
const maxChanges = 6

export function prettyStory(story: StoryReport, paint: Paint = plain): string {
  const { title, file, against, seed, start } = story
  const withSeed = seed === undefined ? '' : `, seed ${seed}`
  const lines = [
    ...wrap('', escapeControls(title), width).map((line) => paint('bold', line)),
    paint('dim', truncate(`${file}, ${against}${withSeed}, from ${new Date(start).toISOString()}`)),
  ]
  for (const step of story.steps) lines.push(...stepLines(step, paint))
  lines.push(summaryLine(story, paint))
  return `${lines.join('\n')}\n`
}

export function prettySummary(stories: readonly StoryReport[], paint: Paint = plain): string {
  const { failed, empty, steps } = countsOf(stories)
  const outcomes = [`${stories.length - failed - empty} passed`, `${failed} failed`]
  if (empty > 0) outcomes.push(`${empty} skipped entirely`)
  const summary = `${stories.length} scenarios: ${outcomes.join(', ')}; ${describeCounts(steps)}`
  const withoutFailure = empty > 0 ? 'yellow' : 'green'
  const style = failed > 0 ? 'red' : withoutFailure
  const files = stories.flatMap(({ outcome, file }) =>
    outcome === 'failed' ? [`  ${paint('red', '✗')} ${file}\n`] : [],
  )
  return `${paint(style, summary)}\n${files.join('')}`
}

const marks: Readonly<Record<StepReport['outcome'], readonly [Style, string]>> = {
  passed: ['green', '✓'],
  failed: ['red', '✗'],
  skipped: ['yellow', '-'],
}

function stepLines(step: StepReport, paint: Paint): string[] {
  const last = step.exchanges.at(-1)
  const status = last === undefined ? '' : ` → ${last.response?.status ?? last.broken}`
  const polls = step.exchanges.length > 1 ? ` (${step.exchanges.length} requests)` : ''
  const took =
    step.endedAt > step.at && step.kind !== 'advance' ? `, ${formatDuration(step.endedAt - step.at)}` : ''
  const head = `${step.title}${status}${polls}${took}`
  const [first = '', ...more] = wrap('', escapeControls(head), width - indent.length)
  const time = `+${formatDuration(step.at)}`.padStart(timeColumn)
  const lines = [
    `${paint('dim', time)}  ${paint(...marks[step.outcome])} ${first}`,
    ...more.map((line) => `${indent}${line}`),
  ]
  if (step.name !== undefined) lines.push(...block(step.name, 'cyan', paint))
  if (step.reason !== undefined) lines.push(...block(`skipped: ${step.reason}`, 'yellow', paint))
  for (const note of step.notes) lines.push(...block(note, 'yellow', paint))
  for (const change of changesOf(step)) lines.push(...block(change, 'dim', paint))
  for (const failure of step.failures) lines.push(...failureLines(failure, paint))
  return lines
}

function changesOf({ changed, fired, kind, saved }: StepReport): string[] {
  let changes = [...changed]
  if (kind !== 'advance' && changed.length > 0) changes = [changed.join(', ')]
  if (kind === 'advance' && fired.length > changes.length)
    changes.push(`and ${fired.length - changes.length} more`)
  const names = Object.keys(saved)
  return [...changes.slice(0, maxChanges + 1), ...(names.length === 0 ? [] : [`saved ${names.join(', ')}`])]
}

const placeOf = ({ kind, field }: Failure): string => `${kind === 'contract' ? 'contract: ' : ''}${field}`

const failureLines = (failure: Failure, paint: Paint): string[] => [
  ...block(placeOf(failure), 'red', paint),
  ...block(failure.expected, 'green', paint, '  expected '),
  ...block(failure.got, 'red', paint, '  got      '),
]

const block = (text: string, style: Style, paint: Paint, label = ''): string[] =>
  wrap(indent + label, escapeControls(text), width).map((line) => paint(style, line))

function summaryLine({ counts, outcome, start, end, movedTime }: StoryReport, paint: Paint): string {
  if (outcome === 'empty')
    return paint(
      'yellow',
      counts.skipped === 0 ? 'No steps to run.' : `All ${counts.skipped} steps were skipped.`,
    )
  const style = outcome === 'passed' ? 'green' : 'red'
  const took = `, ${formatDuration(end - start)}${movedTime ? ' of virtual time' : ''}`
  return `${paint(style, describeCounts(counts))}${paint('dim', took)}`
}

function describeCounts({ passed, failed, skipped }: StoryReport['counts']): string {
  const parts = [`${passed} of ${passed + failed + skipped} steps passed`]
  if (failed > 0) parts.push(`${failed} failed`)
  if (skipped > 0) parts.push(`${skipped} skipped`)
  return parts.join(', ')
}

function truncate(text: string): string {
  const shown = escapeControls(text)
  return shown.length <= width ? shown : `${shown.slice(0, width - 1)}…`
}

export function junitReport(stories: readonly StoryReport[]): string {
  return junitXml(
    'gateway-sim replay',
    stories.map((story) => ({
      name: story.title,
      file: story.file,
      timestamp: new Date(story.start).toISOString().slice(0, 19),
      durationMs: story.end - story.start,
      cases: story.steps.map((step) => caseOf(step, story.file)),
    })),
  )
}

function caseOf(step: StepReport, file: string): JunitCase {
  const name = `${step.step} ${step.name ?? step.title}`
  const common = { name, classname: file, file, durationMs: step.endedAt - step.at }
  if (step.outcome === 'passed') return { ...common, outcome: 'passed' }
  if (step.outcome === 'skipped') return { ...common, outcome: 'skipped', message: step.reason ?? '' }
  return {
    ...common,
    outcome: 'failed',
    ...failureOf(step),
    text: [step.title, ...step.failures.map(failureText), ...step.changed].join('\n'),
  }
}

function failureOf({ failures: [first] }: StepReport): { readonly message: string; readonly type: string } {
  if (first === undefined) return { message: 'failed', type: 'expectation' }
  return { message: `${first.field}: expected ${first.expected}, got ${first.got}`, type: first.kind }
}

/** The report as Markdown: a row for each scenario, a line for each failed or skipped step. */
export function markdownReport(stories: readonly StoryReport[]): string {
  const { failed, steps } = countsOf(stories)
  const linesOf = (outcome: StepReport['outcome'], lineOf: (step: StepReport) => string): string[] =>
    stories.flatMap((story) =>
      story.steps
        .filter((step) => step.outcome === outcome)
        .map((step) => `${story.file}, step ${step.step}, ${step.name ?? step.title}: ${lineOf(step)}`),
    )
  return markdown({
    title: `gateway-sim replay: ${failed === 0 ? 'passed' : 'failed'}`,
    summary: `${counted(stories.length, 'scenario')}: ${describeCounts(steps)}`,
    table: {
      head: ['scenario', 'file', 'outcome', 'passed', 'failed', 'skipped'],
      rows: stories.map(({ title, file, outcome, counts }) => [
        ...[title, file, outcome],
        ...[counts.passed, counts.failed, counts.skipped].map(String),
      ]),
    },
    lists: [
      { title: 'Failed', lines: linesOf('failed', (step) => failureOf(step).message) },
      { title: 'Skipped', lines: linesOf('skipped', ({ reason = '' }) => reason) },
    ],
  })
}

const failureText = (failure: Failure): string =>
  `${placeOf(failure)}\n  expected ${failure.expected}\n  got      ${failure.got}`

/**
 * The file. Times are virtual milliseconds: for a call since the start, for a response or an event since its
 * call.
 */
export function traceText(stories: readonly StoryReport[]): string {
  const trace = { format: 'gateway-sim-trace/1', scenarios: stories.map(tracedStory) }
  return `${shortened(JSON.stringify(trace, null, 2))}\n`
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

function callOf({ request, at, endedAt, response, broken, ended, reason }: Exchange, start: number): unknown {
  const { method, url, key, headers, body: sent } = request
  return {
    at: at - start,
    request: { method, url, key, headers: sortedNames(headers), body: sent },
    response: response && {
      elapsed: response.elapsed,
      status: response.status,
      headers: response.headers,
      ...body(response),
    },
    ended,
    broken,
    reason,
    took: endedAt - at,
  }
}

function body({ json, text, events, size, sha256 }: Received): Readonly<Record<string, unknown>> {
  if (events !== undefined) return { events }
  if (json !== undefined) return { json }
  if (text !== undefined) return { text }
  return size === 0 ? {} : { bytes: { size, sha256 } }
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
