/**
 * A replay as one JSON document for programs. Names and their meaning stay; what is new gets names of its
 * own.
 */
import { isSkipped, type StepReport, type StoryReport } from '../report.ts'

/** Names this form; another number when a name changes its meaning. */
const jsonFormat = 'gateway-sim-replay/1'

/**
 * The document. Instants are ISO 8601, `at` and `took` virtual milliseconds after the start and since `at`.
 */
export function jsonReport(stories: readonly StoryReport[]): unknown {
  const failed = stories.filter(({ outcome }) => outcome === 'failed').length
  const empty = stories.filter(isSkipped).length
  return {
    format: jsonFormat,
    outcome: failed > 0 ? 'failed' : empty > 0 ? 'empty' : 'held',
    counts: { scenarios: stories.length, failed, empty, steps: sum(stories) },
    scenarios: stories.map((story) => ({
      file: story.file,
      title: story.title,
      against: story.against,
      seed: story.seed ?? null,
      start: new Date(story.start).toISOString(),
      end: new Date(story.end).toISOString(),
      outcome: story.outcome,
      counts: story.counts,
      steps: story.steps.map(stepOf),
    })),
  }
}

function stepOf({
  step,
  kind,
  name,
  title,
  at,
  endedAt,
  outcome,
  reason,
  exchanges,
  failures,
  changed,
  saved,
  fired,
  notes,
}: StepReport): unknown {
  const last = exchanges.at(-1)
  return {
    step,
    kind,
    name: name ?? null,
    title,
    at,
    took: endedAt - at,
    outcome,
    reason: reason ?? null,
    calls: exchanges.length,
    status: last?.reply?.status ?? null,
    broken: last?.broken ?? null,
    ended: last?.ended ?? null,
    failures: failures.map((failure) => ({
      kind: failure.kind,
      field: failure.field,
      expected: failure.expected,
      got: failure.got,
    })),
    changed,
    saved,
    fired,
    notes,
  }
}

function sum(stories: readonly StoryReport[]): StoryReport['counts'] {
  return stories.reduce(
    (all, { counts }) => ({
      held: all.held + counts.held,
      failed: all.failed + counts.failed,
      skipped: all.skipped + counts.skipped,
    }),
    { held: 0, failed: 0, skipped: 0 },
  )
}
