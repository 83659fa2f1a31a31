/** The state that the steps of one replay share. */

import { createSchemaJudge, type Judge } from '../judges/contract/judge-response.ts'
import type { Match } from '../protocol/router.ts'
import type { AdvanceStep, CallStep, FetchStep, Step } from '../scenario/format/steps.ts'
import { pathWithin, type RequestParts } from './build-request.ts'
import { createChanges } from './changes.ts'
import type { StepReport } from './replay-report.ts'
import type { Target } from './target.ts'

export interface Story {
  readonly file: string
  readonly title: string
  readonly seed: string | undefined
  readonly steps: readonly Step[]
  /** Whether the scenario has a rule for an operation; never if omitted. */
  hasRuleFor?(operation: string): boolean
  /** Whether the scenario breaks events of an operation on purpose; never if omitted. */
  breaksEvents?(operation: string): boolean
}

export interface RunOptions {
  readonly target: Target
  readonly parts: RequestParts
  /** The operation of a path, for responses to `fetch`. */
  match(method: string, path: string): Match
  /** Why a step cannot run here; undefined if it can. */
  skip?(step: Step): string | undefined
  onStep?(report: StepReport): void
  /** Called while waiting takes real time. */
  onProgress?(step: string, message: string): void
  /** The maximum polling time if time cannot be advanced, in milliseconds. */
  readonly limit?: number
}

export const defaultTimeout = 3_600_000

export interface StoryRun {
  readonly story: Story
  readonly options: RunOptions
  /** Virtual time at the start, milliseconds since the epoch. */
  readonly start: number
  readonly saved: Map<string, unknown>
  readonly changes: ReturnType<typeof createChanges>
  readonly judge: Judge
  /** Whether an `advance` step came before, although the time of the target cannot be advanced. */
  isBehind: boolean
  /** The longest wait if time cannot be advanced, in milliseconds. */
  readonly maxWait: number
}

export function createStoryRun(story: Story, options: RunOptions): StoryRun {
  return {
    story,
    options,
    start: options.target.pacer.now(),
    saved: new Map(),
    changes: createChanges(),
    judge: createSchemaJudge(),
    isBehind: false,
    maxWait: options.limit ?? defaultTimeout,
  }
}

export interface StepHead {
  readonly number: string
  readonly step: CallStep | FetchStep | AdvanceStep
  readonly kind: StepReport['kind']
  readonly title: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export function reportStep(
  { options, start }: StoryRun,
  { number, step, kind, title, at }: StepHead,
  details: Partial<StepReport>,
): StepReport {
  const { failures = [], reason } = details
  const judged = failures.length > 0 ? 'failed' : 'passed'
  const report: StepReport = {
    step: number,
    kind,
    name: step.name,
    title,
    at: at - start,
    endedAt: options.target.pacer.now() - start,
    outcome: reason !== undefined ? 'skipped' : judged,
    reason,
    exchanges: [],
    failures,
    changed: [],
    saved: {},
    fired: [],
    notes: [],
    ...details,
  }
  options.onStep?.(report)
  return report
}

export function pathOf({ options: { target } }: StoryRun, url: string): string {
  return pathWithin(target.base, url)
}
