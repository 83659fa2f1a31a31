/** The state that the steps of one replay share. */

import { createSchemaJudge, type Judge } from '../judges/contract/judge-response.ts'
import type { Step } from '../scenario/format/steps.ts'
import { pathWithin, type RequestParts } from './build-request.ts'
import { createChanges } from './changes.ts'
import type { StepReport } from './replay-report.ts'
import type { Target } from './target.ts'

export interface Story {
  readonly file: string
  readonly title: string
  readonly seed: string | undefined
  readonly steps: readonly Step[]
}

export interface RunOptions {
  readonly target: Target
  readonly parts: RequestParts
  /** Why a step cannot run here; undefined if it can. */
  skip?(step: Step): string | undefined
  /** Called while waiting takes real time. */
  readonly onProgress?: ((step: string, message: string) => void) | undefined
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

/** What is known of a step before it runs. `at` is a time of the target. */
export type StepHead = Pick<StepReport, 'step' | 'kind' | 'name' | 'title' | 'at'>

export function reportStep(
  { options: { target }, start }: StoryRun,
  head: StepHead,
  details: Partial<StepReport>,
): StepReport {
  const { failures = [], reason } = details
  const judged = failures.length > 0 ? 'failed' : 'passed'
  return {
    ...head,
    at: head.at - start,
    endedAt: target.pacer.now() - start,
    outcome: reason === undefined ? judged : 'skipped',
    reason,
    exchanges: [],
    failures,
    changed: [],
    saved: {},
    fired: [],
    notes: [],
    ...details,
  }
}

export function pathOf({ options: { target } }: StoryRun, url: string): string {
  return pathWithin(target.base, url)
}
