/** Takes the steps of one scenario, as a client would, and reports what held. */
import type { ParallelStep, Step } from '../scenario/format/steps.ts'
import type { StepReport, StoryReport } from './report.ts'
import { runAdvance } from './run-advance.ts'
import { runCall } from './run-call.ts'
import { createStoryRun, type RunOptions, type Story, type StoryRun } from './story-run.ts'

/** Runs all steps. Failures are part of the report; rejects only if the replay itself cannot go on. */
export async function runStory(story: Story, options: RunOptions): Promise<StoryReport> {
  const { target } = options
  const run = createStoryRun(story, options)
  const taken: StepReport[] = []
  for (const [index, step] of story.steps.entries())
    taken.push(...(await runStep(run, step, String(index + 1))))
  const steps = skipIdleAdvances(taken)
  const count = (outcome: StepReport['outcome']): number =>
    steps.filter((report) => report.outcome === outcome).length
  const counts = { held: count('held'), failed: count('failed'), skipped: count('skipped') }
  return {
    file: story.file,
    title: story.title,
    against: target.name,
    base: target.base,
    seed: story.seed,
    movedTime: target.movesTime,
    start: run.start,
    end: target.pacer.now(),
    outcome: counts.held + counts.failed === 0 ? 'empty' : counts.failed > 0 ? 'failed' : 'held',
    steps,
    counts,
  }
}

async function runStep(run: StoryRun, step: Step, number: string): Promise<StepReport[]> {
  if ('parallel' in step) return runParallel(run, step, number)
  return [await ('advance' in step ? runAdvance(run, step, number) : runCall(run, step, number))]
}

async function runParallel(run: StoryRun, step: ParallelStep, number: string): Promise<StepReport[]> {
  const lanes = step.parallel.map((inner, index) => () => {
    const named = inner.name === undefined && step.name !== undefined ? { ...inner, name: step.name } : inner
    return runStep(run, named, `${number}.${index + 1}`)
  })
  return (await run.options.target.pacer.together(lanes)).flat()
}

// If every call is skipped, nothing has been tested: an `advance` that held would hide that.
function skipIdleAdvances(reports: readonly StepReport[]): StepReport[] {
  const calls = reports.filter(({ kind }) => kind !== 'advance')
  if (calls.length === 0 || calls.some(({ outcome }) => outcome !== 'skipped')) return [...reports]
  return reports.map((report) =>
    report.outcome === 'held'
      ? {
          ...report,
          outcome: 'skipped',
          reason: 'every call of this scenario is skipped: it runs once one of them does',
        }
      : report,
  )
}
