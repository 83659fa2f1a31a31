/** Sends the probes of a plan, in order, and collects what each shows. */
import type { Learned } from '../protocol/probe.ts'
import { type Seen, type Shown, shownExchange } from './findings.ts'
import { type Answered, isExpected, ProbeJudge } from './judge-probe.ts'
import { chooseModels, type Models } from './models.ts'
import { CheckFailure, type CheckOptions, type Fetch, type Time, wallTime } from './options.ts'
import { type Attempt, attempt, pollInterval, retryAfterOf } from './patience.ts'
import { at, CannotSend, createResolver, type Resolver, type Usable } from './placeholders.ts'
import { type ProbeReply, requestOf, type SentRequest } from './send-probe.ts'
import { namesModel, type PlannedProbe, referencesIn } from './suite.ts'

/** What came of one probe. */
export interface Outcome {
  readonly planned: PlannedProbe
  /** Why it was not judged, or not to the end. */
  readonly skipped: string | undefined
  readonly deviations: readonly Seen[]
  readonly learned: Learned
}

const defaultLimit = 600_000

/** The state of a run. */
class Run {
  readonly options: CheckOptions
  readonly fetch: Fetch
  readonly time: Time
  readonly models: Models
  readonly judge = new ProbeJudge()
  /** The last replies that can be used, or why there is none. */
  readonly #replies = new Map<string, { readonly reply: ProbeReply; readonly isUsable: boolean }>()
  readonly #reasons = new Map<string, string>()
  /** Groups that refuse the key, with what they said. */
  readonly refusedKeys = new Map<string, string>()
  hasBeenAnswered = false
  hasUsedKey = false

  constructor(options: CheckOptions, fetch: Fetch, time: Time, models: Models) {
    this.options = options
    this.fetch = fetch
    this.time = time
    this.models = models
  }

  resolverFor({ models }: PlannedProbe): Resolver {
    return createResolver(
      (name) => this.usable(name),
      () => this.models.of(models).id,
    )
  }

  usable(name: string): Usable {
    const found = this.#replies.get(name)
    if (found?.isUsable === true) return { json: found.reply.json }
    return this.#reasons.get(name) ?? `it needs ${name}, which was not answered`
  }

  replyTo(name: string): ProbeReply | undefined {
    return this.#replies.get(name)?.reply
  }

  keep(name: string, reply: ProbeReply, isUsable: boolean, reason?: string): void {
    this.#replies.set(name, { reply, isUsable })
    if (reason !== undefined) this.#reasons.set(name, reason)
  }
}

/** Throws `CheckFailure` where nothing answers, or the key is refused everywhere. */
export async function runProbes(plan: readonly PlannedProbe[], options: CheckOptions): Promise<Outcome[]> {
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const time = options.time ?? wallTime
  const run = new Run(options, fetch, time, await chooseModels(plan, options, fetch))
  const outcomes: Outcome[] = []
  for (const planned of plan) {
    options.onProgress?.(planned.probe.endpoint.operation, planned.probe.name)
    outcomes.push(await runProbe(planned, run))
  }
  const [refusal] = run.refusedKeys.values()
  if (refusal !== undefined && !run.hasUsedKey)
    throw new CheckFailure('unauthorised', `the gateway refuses the key: ${refusal}`)
  return outcomes
}

async function runProbe(planned: PlannedProbe, run: Run): Promise<Outcome> {
  const skip = (skipped: string): Outcome => ({ planned, skipped, deviations: [], learned: [] })
  const reason = reasonToSkip(planned, run)
  if (reason !== undefined) return skip(reason)
  const resolver = run.resolverFor(planned)
  let wire: ReturnType<typeof requestOf>
  try {
    wire = requestOf(planned, run.options, resolver)
  } catch (error) {
    if (error instanceof CannotSend) return skip(error.message)
    throw error
  }
  let tried: Attempt
  try {
    tried = await attempt(wire, planned, run)
  } catch (error) {
    // Nobody answers at all: the next probe would not be answered either.
    if (!run.hasBeenAnswered) throw new CheckFailure('unreachable', messageOf(error))
    return skip(`the connection broke: ${messageOf(error)}`)
  }
  run.hasBeenAnswered = true
  return planned.probe.polling === undefined
    ? single(planned, run, wire.sent, tried, resolver)
    : polled(planned, run, wire, tried, resolver)
}

function reasonToSkip({ probe, route }: PlannedProbe, run: Run): string | undefined {
  const refused = run.refusedKeys.get(route.group.name)
  if (refused !== undefined && probe.request.key !== false && probe.request.to === undefined)
    return `the gateway refuses the key for ${route.group.name}: ${refused}`
  const { after } = probe.request
  const before = after === undefined ? {} : run.usable(after)
  if (typeof before === 'string') return before
  if (probe.while === undefined) return undefined
  const { probe: name, pointer, is } = probe.while
  const reply = run.replyTo(name)
  const value = reply === undefined ? undefined : at(reply.json, pointer)
  return is.includes(value) ? undefined : `it applies only while ${name} is ${is.join(' or ')}`
}

function single(
  planned: PlannedProbe,
  run: Run,
  request: SentRequest,
  { reply, earlier }: Attempt,
  resolver: Resolver,
): Outcome {
  const { probe } = planned
  const answered = { planned, request, reply }
  // What a gateway says while it is busy has the form of a refusal, too.
  const before = earlier.flatMap((one) => judgedForm(run, { ...answered, reply: one }))
  const unjudged = notJudged(planned, run, reply)
  if (unjudged !== undefined) {
    run.keep(probe.name, reply, false, unjudged)
    return { planned, skipped: unjudged, deviations: [...before, ...judgedForm(run, answered)], learned: [] }
  }
  if (usesKey(planned)) run.hasUsedKey = true
  const isFine = isExpected(planned, reply.status) && reply.status < 400
  run.keep(probe.name, reply, isFine, isFine ? undefined : `it needs ${probe.name}, which was refused`)
  return {
    planned,
    skipped: undefined,
    deviations: [...before, ...run.judge.judge(answered, resolver).map(withExchange(answered))],
    learned: learn(planned, run, reply, 0),
  }
}

const usesKey = ({ probe: { request } }: PlannedProbe): boolean =>
  request.key !== false && request.to === undefined

const withExchange =
  (answered: Answered) =>
  (deviation: Shown): Seen => ({
    ...deviation,
    probe: answered.planned.probe.name,
    exchange: shownExchange(answered),
  })

function judgedForm(run: Run, answered: Answered): Seen[] {
  // What stands before the gateway answers 502 to 504 in words of its own.
  if ([502, 503, 504].includes(answered.reply.status)) return []
  return run.judge.form(answered).map(withExchange(answered))
}

function learn(planned: PlannedProbe, run: Run, reply: ProbeReply, took: number): Learned {
  const model = namesModel(planned.probe.request) ? run.models.of(planned.models).id : undefined
  return planned.probe.learn?.({ status: reply.status, body: reply.json, model, took }) ?? []
}

/** Why a reply says nothing about the probe. */
function notJudged(planned: PlannedProbe, run: Run, reply: ProbeReply): string | undefined {
  const { probe, route, models } = planned
  const { status } = reply
  const said = at(reply.json, '/error/message')
  const words = typeof said === 'string' ? `: ${said.slice(0, 200)}` : ''
  if (status === 401 && usesKey(planned)) {
    run.refusedKeys.set(route.group.name, `401${words}`)
    return `the gateway refuses the key for ${route.group.name}: 401${words}`
  }
  if (isTransient(status)) return `the gateway was busy: ${status}${words}`
  if (isExpected(planned, status)) return undefined
  if (status >= 500 && probe.expect?.status !== 'refused') return `the gateway failed: ${status}${words}`
  if (probe.inferred === true && status >= 400)
    return `the contract does not show this operation, and the gateway answers ${status}${words}`
  const model = namesModel(probe.request) ? run.models.of(models) : undefined
  if (model?.given !== false || (![403, 404].includes(status) && !/model/i.test(words))) return undefined
  return (
    `the gateway does not take the model ${model.id}: name one with --model ${models}=ID ` +
    `(${status}${words})`
  )
}

const isTransient = (status: number): boolean => [429, 502, 503, 504, 529].includes(status)

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}

/** Polls to the end, and once more: what has ended must stay so. */
async function polled(
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
  const startedAt = source?.at ?? first.reply.at
  const outcomes = [single(planned, run, wire.sent, first, resolver)]
  const replies = [first.reply]
  const hasEnded = (): boolean => polling.until.includes(at(replies.at(-1)?.json, polling.pointer))
  const isStuck = (): boolean => (replies.at(-1)?.status ?? 0) >= 400
  let waited = 0
  let took = hasEnded() ? (replies[0] as ProbeReply).at - startedAt : 0
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
    probe.name,
    replies.at(ended ? -2 : -1) as ProbeReply,
    succeeded,
    ended ? `it needs ${probe.name}, which did not succeed` : `it needs ${probe.name}, which did not end`,
  )
  const skipped = outcomes.find((one) => one.skipped !== undefined)?.skipped
  return {
    planned,
    skipped: skipped ?? (ended || isStuck() ? undefined : `it did not end within ${limit / 1000}s (--limit)`),
    deviations: outcomes.flatMap(({ deviations }) => deviations),
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
function sourceOf({ probe }: PlannedProbe, run: Run): ProbeReply | undefined {
  const [name] = referencesIn(probe.request).flatMap(({ $from }) => $from)
  return name === undefined ? undefined : run.replyTo(name)
}
