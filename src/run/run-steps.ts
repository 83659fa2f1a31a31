/** Runs the steps of one scenario as a client would, and reports what passed. */

import { formatDuration } from '../engine/duration.ts'
import type { AdvanceStep } from '../scenario/format/steps.ts'
import { changesShown } from './changes.ts'
import type { StepReport, StoryReport } from './replay-report.ts'
import { runCall } from './run-call.ts'
import {
  createStoryRun,
  type RunOptions,
  reportStep,
  type StepHead,
  type Story,
  type StoryRun,
} from './story-run.ts'

/** Runs all steps. Failures are part of the report; rejects only if the replay itself cannot continue. */
export async function runStory(story: Story, options: RunOptions): Promise<StoryReport> {
  const { target } = options
  const run = createStoryRun(story, options)
  const steps: StepReport[] = []
  for (const [index, step] of story.steps.entries()) {
    const number = String(index + 1)
    steps.push(await ('advance' in step ? runAdvance(run, step, number) : runCall(run, step, number)))
  }
  const count = (outcome: StepReport['outcome']): number =>
    steps.filter((report) => report.outcome === outcome).length
  const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  const { file, title, seed } = story
  return {
    file,
    title,
    seed,
    against: target.name,
    base: target.base,
    movedTime: target.movesTime,
    start: run.start,
    end: target.pacer.now(),
    outcome: outcomeOf(steps),
    steps,
    counts,
  }
}

function outcomeOf(steps: readonly StepReport[]): StoryReport['outcome'] {
  if (steps.some(({ outcome }) => outcome === 'failed')) return 'failed'
  const calls = steps.filter(({ kind }) => kind !== 'advance')
  // If every call is skipped, nothing was tested, whatever time has passed.
  const counting = calls.length > 0 ? calls : steps
  return counting.some(({ outcome }) => outcome === 'passed') ? 'passed' : 'empty'
}

async function runAdvance(run: StoryRun, step: AdvanceStep, number: string): Promise<StepReport> {
  const { target } = run.options
  const { pacer } = target
  const at = pacer.now()
  const { advance } = step
  const title = `advance ${formatDuration(advance)}`
  const head: StepHead = { step: number, name: step.name, kind: 'advance', title, at }
  if (!target.movesTime) {
    run.isBehind = true
    return reportStep(run, head, { notes: [unmovableNote] })
  }
  const before = pacer.fired.length
  await pacer.sleep(advance)
  const fired = pacer.fired.slice(before)
  return reportStep(run, head, {
    fired,
    changed: changesShown(fired),
  })
}

const unmovableNote = 'this server cannot advance time: later GET requests repeat until they match'
