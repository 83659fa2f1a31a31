/** A replay as JUnit XML: one suite for each scenario, one case for each step. Times are virtual. */
import { type JunitCase, junitXml } from '../../text/junit.ts'
import type { Failure, StepReport, StoryReport } from '../report.ts'

/** The document. */
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
  const common = {
    name: `${step.step} ${step.name ?? step.title}`,
    classname: file,
    file,
    durationMs: step.endedAt - step.at,
  }
  if (step.outcome === 'held') return { ...common, outcome: 'passed' }
  if (step.outcome === 'skipped') return { ...common, outcome: 'skipped', message: step.reason ?? '' }
  const [first] = step.failures
  return {
    ...common,
    outcome: 'failed',
    message: first === undefined ? 'failed' : `${first.field}: expected ${first.expected}, got ${first.got}`,
    type: first?.kind ?? 'expectation',
    text: [step.title, ...step.failures.map(failureText), ...step.changed].join('\n'),
  }
}

function failureText({ kind, field, expected, got }: Failure): string {
  const prefix = kind === 'contract' ? 'contract: ' : ''
  return `${prefix}${field}\n  expected ${expected}\n  got      ${got}`
}
