/** The transcript of a replay for people, at most 100 columns wide. */
import { formatDuration } from '../../engine/duration.ts'
import { type Paint, plain, type Style } from '../../text/paint.ts'
import { escapeControls } from '../../text/printable.ts'
import { wrap } from '../../text/wrap.ts'
import { type Failure, isSkipped, type StepReport, type StoryReport } from '../report.ts'

const width = 100
const timeColumn = 10
const indent = ' '.repeat(timeColumn + 4)
const maxChanges = 6

/** One scenario: its title, a line for each step with changes and failures, and a summary. */
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

/** The summary of several scenarios. */
export function prettySummary(stories: readonly StoryReport[], paint: Paint = plain): string {
  const failed = stories.filter(({ outcome }) => outcome === 'failed')
  const steps = stories.reduce(
    (sum, { counts }) => ({
      held: sum.held + counts.held,
      failed: sum.failed + counts.failed,
      skipped: sum.skipped + counts.skipped,
    }),
    { held: 0, failed: 0, skipped: 0 },
  )
  const empty = stories.filter(isSkipped).length
  const held = stories.length - failed.length - empty
  const outcomes = [`${held} held`, `${failed.length} failed`]
  if (empty > 0) outcomes.push(`${empty} tested nothing`)
  const summary = `${stories.length} scenarios: ${outcomes.join(', ')}; ${describeCounts(steps)}`
  const style = failed.length > 0 ? 'red' : empty > 0 ? 'yellow' : 'green'
  const files = failed.map(({ file }) => `  ${paint('red', '✗')} ${file}\n`)
  return `${paint(style, summary)}\n${files.join('')}`
}

const marks: Readonly<Record<StepReport['outcome'], readonly [Style, string]>> = {
  held: ['green', '✓'],
  failed: ['red', '✗'],
  skipped: ['yellow', '-'],
}

function stepLines(step: StepReport, paint: Paint): string[] {
  const last = step.exchanges.at(-1)
  const status =
    last === undefined ? '' : last.reply === undefined ? ` → ${last.broken}` : ` → ${last.reply.status}`
  const polls = step.exchanges.length > 1 ? ` (${step.exchanges.length} calls)` : ''
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
  const changes = changed.length === 0 ? [] : kind === 'advance' ? [...changed] : [changed.join(', ')]
  if (kind === 'advance' && fired.length > changes.length)
    changes.push(`and ${fired.length - changes.length} more`)
  const names = Object.keys(saved)
  return [...changes.slice(0, maxChanges + 1), ...(names.length === 0 ? [] : [`saved ${names.join(', ')}`])]
}

function failureLines({ kind, field, expected, got }: Failure, paint: Paint): string[] {
  const prefix = kind === 'contract' ? 'contract: ' : ''
  return [
    ...block(`${prefix}${field}`, 'red', paint),
    ...labelled('expected ', expected).map((line) => paint('green', line)),
    ...labelled('got      ', got).map((line) => paint('red', line)),
  ]
}

function labelled(label: string, text: string): string[] {
  return wrap(`${indent}  ${label}`, escapeControls(text), width)
}

function block(text: string, style: Style, paint: Paint): string[] {
  return wrap(indent, escapeControls(text), width).map((line) => paint(style, line))
}

function summaryLine({ counts, outcome, start, end, movedTime }: StoryReport, paint: Paint): string {
  if (outcome === 'empty')
    return paint(
      'yellow',
      counts.skipped === 0
        ? 'No steps: nothing to run.'
        : `NOTHING WAS TESTED: all ${counts.skipped} steps were skipped.`,
    )
  const style = outcome === 'held' ? 'green' : 'red'
  const took = `, ${formatDuration(end - start)}${movedTime ? ' of virtual time' : ''}`
  return `${paint(style, describeCounts(counts))}${paint('dim', took)}`
}

function describeCounts({ held, failed, skipped }: StoryReport['counts']): string {
  const parts = [`${held} of ${held + failed + skipped} steps held`]
  if (failed > 0) parts.push(`${failed} failed`)
  if (skipped > 0) parts.push(`${skipped} skipped`)
  return parts.join(', ')
}

function truncate(text: string): string {
  const shown = escapeControls(text)
  return shown.length <= width ? shown : `${shown.slice(0, width - 1)}…`
}
