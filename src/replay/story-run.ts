/** The state that the steps of one replay share. */

import { type Fields, isFields } from '../engine/fields.ts'
import { createJudge, type JudgeResponse } from '../judges/contract/judge-response.ts'
import type { Match } from '../protocol/router.ts'
import type { AdvanceStep, CallStep, FetchStep, Step } from '../scenario/format/steps.ts'
import { pathWithin, type RequestParts } from './build-request.ts'
import { type CallView, shown } from './judge.ts'
import type { Target } from './pacer.ts'
import type { StepReport } from './reporters.ts'

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
  /** Why the step with this number cannot run here; undefined if it can. */
  skip?(step: string): string | undefined
  /** A note for steps that fail with 401, if no key was given. */
  readonly missingKeyNote?: string | undefined
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
  readonly judge: JudgeResponse
  /** The milliseconds of `advance` steps, if time cannot be advanced. */
  owed: number
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
    judge: createJudge(),
    owed: 0,
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

const keyFields = [
  ...['id', 'name', 'status', 'progress', 'done', 'comment', 'model', 'object', 'upload_url', 'path'],
]
const maxShown = 6

/** The changes in a response since the last response about the same resource. */
function createChanges() {
  const seen = new Map<string, ReadonlyMap<string, string>>()
  return {
    of({ body, stream, broken, bytes, headers }: CallView, key: string): string[] {
      if (broken !== undefined) return [broken]
      if (stream !== undefined) return describeStream(stream)
      if (!isFields(body))
        return bytes === undefined || bytes === 0
          ? []
          : [`${bytes} bytes (${headers['content-type'] ?? 'no content type'})`]
      const error = body['error']
      if (isFields(error) && body['id'] === undefined && typeof error['message'] === 'string')
        return [`${String(error['type'] ?? 'error')}: ${error['message']}`]
      const id = [body['id'], body['name']].find((one) => typeof one === 'string') ?? key
      const now = flatten(body)
      const before = seen.get(id)
      seen.set(id, now)
      if (before === undefined) {
        const words = keyFields
          .flatMap((name) => (now.has(name) ? [`${name} ${now.get(name)}`] : []))
          .slice(0, maxShown)
        return words.length > 0 ? words : [`fields ${Object.keys(body).join(', ')}`]
      }
      // A missing field counts as null.
      const changed = [...new Set([...now.keys(), ...before.keys()])].filter(
        (name) => (now.get(name) ?? 'null') !== (before.get(name) ?? 'null'),
      )
      return changed
        .slice(0, maxShown)
        .map((name) => `${name} ${before.get(name) ?? '-'} → ${now.get(name) ?? '-'}`)
    },
  }
}

function describeStream(stream: NonNullable<CallView['stream']>): string[] {
  const { toolCalls, finish, eventCount, ended, error } = stream
  const words = [`${eventCount} events`]
  for (const name of ['reasoning', 'text', 'refusal'] as const)
    if (stream[name] !== '') words.push(`${name} ${short(stream[name])}`)
  for (const call of toolCalls) words.push(`tool ${call.name}`)
  if (finish !== undefined) words.push(`finish ${finish}`)
  if (isFields(error)) words.push(`error ${short(String(error['message'] ?? ''))}`)
  if (ended !== 'completed') words.push(`ended ${ended}`)
  return words
}

function flatten(body: Fields): Map<string, string> {
  const inside = ([name, value]: [string, unknown]): [string, string][] =>
    isFields(value)
      ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, short(one)])
      : [[name, short(value)]]
  return new Map(Object.entries(body).flatMap(inside))
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : shown(value)
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`
}
