/** Sends the request of a step, once or until the reply is as expected. */
import { formatDuration } from '../engine/duration.ts'
import type { CallStep, Expectation, FetchStep } from '../scenario/format/steps.ts'
import type { Difference } from './differences.ts'
import type { Exchange, StepRequest } from './exchange.ts'
import { type CallView, unmet, viewOf } from './judge.ts'
import { hasEndMarker } from './read-stream.ts'
import { partAt } from './saved-values.ts'
import { sendRequest } from './send-request.ts'
import { defaultLimit, type Story, type StoryRun } from './story-run.ts'

const defaultEvery = 1000
/** The most calls of one step; each of them is kept. */
const maxCalls = 10_000

/** When to send: after `wait`, then each `every`, until `until` is met or `limit` is over (milliseconds). */
export interface PollPlan {
  readonly until?: Expectation
  readonly every: number
  readonly limit: number
  readonly wait: number
}

/**
 * How to send a step. Where time cannot be moved, a call that only looks is polled for its expectations, for
 * the time that is owed; anything else, which might act twice, waits first.
 */
export function pollPlan(
  { options: { target, parts }, owed, maxWait }: StoryRun,
  step: CallStep | FetchStep,
  { method }: StepRequest,
): PollPlan {
  if ('call' in step && step.until !== undefined) {
    const limit = step.limit ?? defaultLimit
    return {
      until: step.until,
      every: Math.max(1, step.every ?? defaultEvery),
      limit: target.movesTime ? limit : Math.min(limit, maxWait),
      wait: 0,
    }
  }
  const looks = method === 'GET' || ('call' in step && parts.routeOf(step.call).endpoint.polls !== undefined)
  if (owed > 0 && looks && step.expect !== undefined)
    return {
      until: checkable(step.expect, target.movesTime).expected,
      every: Math.min(defaultEvery, owed),
      limit: maxWait,
      wait: 0,
    }
  return { every: defaultEvery, limit: maxWait, wait: owed }
}

export interface PollResult {
  readonly exchanges: readonly Exchange[]
  /** The last reply. */
  readonly view: CallView
  /** Why polling ended without success. */
  readonly late: readonly Difference[]
  /** Whether it ended because the time was over. */
  readonly timedOut?: boolean
}

export async function poll(
  { story, options: { target, onProgress } }: StoryRun,
  step: CallStep | FetchStep,
  request: StepRequest,
  number: string,
  { until, every, limit, wait }: PollPlan,
): Promise<PollResult> {
  const { pacer } = target
  const say = (message: string): void => {
    if (!target.movesTime) onProgress?.(number, message)
  }
  if (wait > 0) {
    say(`waiting ${formatDuration(wait)}`)
    await pacer.sleep(wait)
  }
  const operation = 'call' in step ? step.call : undefined
  const stopAfter = 'call' in step ? step.stopAfter : undefined
  const began = pacer.now()
  const exchanges: Exchange[] = []
  for (;;) {
    const exchange = await sendRequest(request, target, { stopAfter, isLast: hasEndMarker })
    exchanges.push(exchange)
    const view = viewOf(exchange)
    const missing = until === undefined ? [] : unmet(until, view, exchange.reason)
    if (missing.length === 0) return { exchanges, view, late: [] }
    if (isFinal(view, operation, story)) return { exchanges, view, late: [finalRefusal(view)] }
    // At the end of the time it is sent once more.
    const left = limit - (pacer.now() - began)
    if (left <= 0 || exchanges.length >= maxCalls)
      return { exchanges, view, late: [timedOut(exchanges.length, limit), ...missing], timedOut: true }
    say(`${exchanges.length} calls, ${missing[0]?.field} is ${missing[0]?.got}`)
    await pacer.sleep(Math.min(every, left))
  }
}

function finalRefusal({ status, body }: CallView): Difference {
  const message = partAt({ body }, 'body.error.message')
  return {
    field: 'until',
    expected: 'this, or a refusal that may go away',
    got: `${status}${typeof message === 'string' ? ` ${JSON.stringify(message)}` : ''}`,
  }
}

function timedOut(calls: number, limit: number): Difference {
  const tooMany = calls >= maxCalls ? ', the maximum for one step: use a longer `every`' : ''
  return {
    field: 'until',
    expected: `this within ${formatDuration(limit)}`,
    got: `${calls} calls without it${tooMany}`,
  }
}

// The service repeats these refusals, unless a rule of the scenario gives them.
function isFinal({ status, body }: CallView, operation: string | undefined, story: Story): boolean {
  if (operation === undefined || status === undefined || story.hasRuleFor?.(operation) === true) return false
  if ([401, 403, 404].includes(status)) return true
  // A 400 about an id may mean "too early": the content of a video that is not finished.
  return status === 400 && !/id$/i.test(String(partAt({ body }, 'body.error.param') ?? ''))
}

/** Expectations without `took` and `after` where time is real: it depends on machines and networks. */
export function checkable(
  expected: Expectation,
  movesTime: boolean,
): { readonly expected: Expectation; readonly notes: readonly string[] } {
  const isTimed =
    expected.took !== undefined || expected.stream?.events?.some(({ after }) => after !== undefined) === true
  if (movesTime || !isTimed) return { expected, notes: [] }
  const { took: _took, stream, ...rest } = expected
  const events = stream?.events?.map(({ after: _after, ...event }) => event)
  return {
    expected: {
      ...rest,
      ...(stream === undefined ? {} : { stream: { ...stream, ...(events === undefined ? {} : { events }) } }),
    },
    notes: ['`took` and `after` are only checked on virtual time'],
  }
}
