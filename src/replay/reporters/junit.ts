/**
 * A replay as JUnit XML, as CI systems read it: a suite for each scenario, a case for each step. Times are
 * virtual seconds.
 */

import { attributes, escaped } from '../../text/xml.ts'
import type { StepReport, StoryReport } from '../report.ts'

/** The document. */
export function junitReport(stories: readonly StoryReport[]): string {
  const steps = stories.flatMap((story) => story.steps)
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'gateway-sim replay', ...countsOf(steps), time: seconds(stories.reduce((sum, { start, end }) => sum + end - start, 0)) })}>`,
  ]
  for (const story of stories) {
    lines.push(
      `  <testsuite${attributes({ name: story.title, file: story.file, timestamp: new Date(story.start).toISOString().slice(0, 19), ...countsOf(story.steps), time: seconds(story.end - story.start) })}>`,
    )
    for (const step of story.steps) lines.push(...caseOf(step, story))
    lines.push('  </testsuite>')
  }
  return `${[...lines, '</testsuites>'].join('\n')}\n`
}

function caseOf(step: StepReport, { file }: StoryReport): string[] {
  const open = `    <testcase${attributes({ name: `${step.step} ${step.name ?? step.title}`, classname: file, file, time: seconds(step.endedAt - step.at) })}`
  if (step.outcome === 'held') return [`${open}/>`]
  if (step.outcome === 'skipped')
    return [`${open}>`, `      <skipped${attributes({ message: step.reason ?? '' })}/>`, '    </testcase>']
  const [first] = step.failures
  const message =
    first === undefined ? 'failed' : `${first.field}: expected ${first.expected}, got ${first.got}`
  const text = [
    step.title,
    ...step.failures.map(
      ({ kind, field, expected, got }) =>
        `${kind === 'contract' ? 'contract: ' : ''}${field}\n  expected ${expected}\n  got      ${got}`,
    ),
    ...step.changed,
  ].join('\n')
  return [
    `${open}>`,
    `      <failure${attributes({ message, type: first?.kind ?? 'expectation' })}>${escaped(text)}</failure>`,
    '    </testcase>',
  ]
}

function countsOf(steps: readonly StepReport[]): Readonly<Record<string, string>> {
  const count = (outcome: StepReport['outcome']): string =>
    String(steps.filter((step) => step.outcome === outcome).length)
  return { tests: String(steps.length), failures: count('failed'), errors: '0', skipped: count('skipped') }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
