/** Polls what a probe asks for to its end, and judges its life. */
import { learn, type Outcome, single, withExchange } from './outcome.ts'
import { type Attempt, attempt, pollInterval, retryAfterOf } from './patience.ts'
import { at, type Resolver } from './placeholders.ts'
import type { Kept, Run } from './run.ts'
import type { ProbeReply } from './send-probe.ts'
import { type PlannedProbe, referencesIn } from './suite.ts'

const defaultLimit = 600_000

/** Polls to the end, and once more: what has ended must stay so. */
export async function polled(
  planned: PlannedProbe,
  run: Run,
  wire: Parameters<typeof attempt>[0],
  first: Attempt,
  resolver: Resolver,
): Promise<Outcome> {
  const { probe } = planned
  const polling = probe.polling as NonNullable<typeof probe.polling>
  const limit = run.options.limit ?? defaultLimit
  const source = sourceOf(planned, run)
  const startedAt = source?.reply.at ?? first.reply.at
  const outcomes = [single(planned, run, wire.sent, first, resolver)]
  const replies = [first.reply]
  const hasEnded = (): boolean => polling.until.includes(at(replies.at(-1)?.json, polling.pointer))
  const isStuck = (): boolean => (replies.at(-1)?.status ?? 0) >= 400
  let waited = 0
  // What has ended by the first poll does not show how long it took.
  let took = 0
  while (!hasEnded() && !isStuck() && waited < limit) {
    const wait = Math.max(retryAfterOf(replies.at(-1) as ProbeReply, 60_000) ?? 0, pollInterval(waited))
    run.options.onProgress?.(probe.endpoint.operation, `${probe.name}: waiting`)
    await run.time.wait(wait)
    waited += wait
    const next = await attempt(wire, planned, run)
    outcomes.push(single(planned, run, wire.sent, next, resolver))
    replies.push(next.reply)
    took = next.reply.at - startedAt
  }
  const ended = hasEnded()
  if (ended) {
    const last = await attempt(wire, planned, run)
    outcomes.push(single(planned, run, wire.sent, last, resolver))
    replies.push(last.reply)
  }
  const succeeded = ended && hasSucceeded(polling, replies.at(-2) as ProbeReply)
  run.keep(
    planned,
    replies.at(ended ? -2 : -1) as ProbeReply,
    succeeded,
    ended ? `it needs ${probe.name}, which did not succeed` : `it needs ${probe.name}, which did not end`,
  )
  const shownBefore = outcomes.flatMap(({ deviations }) => deviations)
  const sights = [
    ...(source === undefined ? [] : [{ route: source.planned.route, reply: source.reply.json }]),
    ...replies
      .filter(({ status }) => status < 400)
      .map(({ json }) => ({ route: planned.route, reply: json })),
  ]
  const life = run.judge
    .life(sights, shownBefore)
    .map(withExchange({ planned, request: wire.sent, reply: replies.at(-1) as ProbeReply }))
  const skipped = outcomes.find((one) => one.skipped !== undefined)?.skipped
  return {
    planned,
    skipped: skipped ?? (ended || isStuck() ? undefined : `it did not end within ${limit / 1000}s (--limit)`),
    deviations: [...shownBefore, ...life],
    learned: succeeded ? learn(planned, run, replies.at(-2) as ProbeReply, Math.round(took)) : [],
  }
}

function hasSucceeded(
  { succeeded }: NonNullable<PlannedProbe['probe']['polling']>,
  reply: ProbeReply,
): boolean {
  const value = at(reply.json, succeeded.pointer)
  return succeeded.is === undefined ? value !== undefined && value !== null : succeeded.is.includes(value)
}

/** The reply to the submission that is polled. */
function sourceOf({ probe }: PlannedProbe, run: Run): Kept | undefined {
  const [name] = referencesIn(probe.request).flatMap(({ $from }) => $from)
  return name === undefined ? undefined : run.replyTo(name)
}
