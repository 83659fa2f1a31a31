/** Takes an `advance` step: moves virtual time and checks the changes that it brings. */
import { formatDuration } from '../engine/duration.ts'
import { formatInstant } from '../engine/instant.ts'
import type { AdvanceStep } from '../scenario/format/steps.ts'
import { changesShown, unfired } from './judge.ts'
import type { StepReport } from './report.ts'
import { filledIn, namesIn } from './saved-values.ts'
import { reportStep, type StepHead, type StoryRun } from './story-run.ts'

/** How long `until: idle` moves time at most, in milliseconds. */
const idleLimit = 86_400_000

export async function runAdvance(run: StoryRun, step: AdvanceStep, number: string): Promise<StepReport> {
  const { target, skip } = run.options
  const { pacer } = target
  const at = pacer.now()
  const { advance } = step
  const head: StepHead = { number, step, kind: 'advance', title: titleOf(step), at }
  // Negative for an instant in the past; undefined if the end depends on changes.
  const ms = typeof advance !== 'object' ? advance : 'to' in advance ? advance.to - at : undefined
  if (!target.movesTime) {
    run.owed += Math.max(0, ms ?? 0)
    return reportStep(run, head, { notes: [unmovableNote(ms)] })
  }
  const skipReason = skip?.(number)
  if (ms !== undefined && ms < 0)
    return reportStep(
      run,
      head,
      skipReason === undefined ? { failures: [backwards(at, at + ms)] } : { reason: skipReason },
    )
  const before = pacer.fired.length
  if (ms !== undefined) await pacer.sleep(ms)
  else await pacer.sleepUntil((advance as { until: 'next' | 'idle' }).until, idleLimit)
  const fired = pacer.fired.slice(before)
  return reportStep(run, head, {
    fired,
    changed: changesShown(fired),
    notes: skipReason === undefined ? [] : [`changes are not checked: ${skipReason}`],
    failures:
      skipReason === undefined
        ? unfired(expectedChanges(run, step), fired).map((difference) => ({
            kind: 'expectation',
            ...difference,
          }))
        : [],
  })
}

function titleOf({ advance }: AdvanceStep): string {
  if (typeof advance !== 'object') return `advance ${formatDuration(advance)}`
  return 'to' in advance ? `advance to ${formatInstant(advance.to)}` : `advance until ${advance.until}`
}

function unmovableNote(ms: number | undefined): string {
  const wait = ms === undefined ? 'any other call is sent at once' : 'any other call waits that long'
  return `time cannot be moved here: a GET that follows is repeated until it meets its expectations, ${wait}`
}

function backwards(now: number, to: number): StepReport['failures'][number] {
  return {
    kind: 'expectation',
    field: 'advance',
    expected: `an instant from now on (${new Date(now).toISOString()}): time does not go backwards`,
    got: formatInstant(to),
  }
}

// A name that no step has saved stays as it is, and matches no change.
function expectedChanges({ saved }: StoryRun, { expect }: AdvanceStep): readonly unknown[] {
  return (expect?.fired ?? []).map((change) =>
    namesIn(change).every((name) => saved.has(name)) ? filledIn(change, saved) : change,
  )
}
