/** Compiles the response of a rule to a plan. No other file interprets the keys of a response. */
import { defined } from '../../engine/fields.ts'
import type { Random } from '../../engine/random.ts'
import type { Ramp, Timeline, TimelineEntry } from '../../engine/timeline.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import type { PlannedFault } from '../../protocol/chunks.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { type RejectionType, rejections } from '../../protocol/errors.ts'
import { heldFile } from '../../protocol/held-file.ts'
import type { Operation } from '../../protocol/operations.ts'
import type { Plan, PlannedJob, PlannedPace, PlannedRejection, PlannedResponse } from '../../protocol/plan.ts'
import type { Script, ScriptedCall, ScriptItem, Words } from '../../protocol/script.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { compileFaults, faultNamed, plannedFault } from '../faults/all.ts'
import type { TimelineSpec } from '../format/given.ts'
import type { AnswerSpec, DelaySpec, ErrorSpec, JobSpec } from '../format/rule.ts'
import type { ScriptItemSpec, StreamSpec, ToolCallSpec } from '../format/stream.ts'
import { messages } from '../rejection.ts'
import type { RuleFacts } from '../rule-outcomes.ts'
import { fillTemplates, hasTemplates, textOf } from '../templates.ts'
import { callsOf } from './select.ts'

function paceOf({ firstEventAfter, tokensPerSecond, ...stream }: StreamSpec): PlannedPace | undefined {
  const eventInterval = tokensPerSecond === undefined ? stream.eventInterval : 1000 / tokensPerSecond
  return filled({ firstEventAfter, eventInterval })
}

function itemOf(item: ScriptItemSpec): ScriptItem {
  if ('text' in item) {
    const { text, logprobs, citations } = item
    return { kind: 'text', ...wordsOf(text), ...defined({ logprobs, citations }) }
  }
  if ('reasoning' in item) {
    const { reasoning, signature } = item
    return { kind: 'reasoning', ...wordsOf(reasoning), ...defined({ signature }) }
  }
  if ('redacted' in item)
    return item.redacted === true ? { kind: 'redacted' } : { kind: 'redacted', data: item.redacted }
  if ('refusal' in item) return { kind: 'refusal', ...wordsOf(item.refusal) }
  if ('toolCall' in item) return { kind: 'toolCalls', calls: [callOf(item.toolCall)] }
  if ('toolCalls' in item) return { kind: 'toolCalls', calls: item.toolCalls.map(callOf) }
  if ('usage' in item) return item.usage === 'none' ? { kind: 'noUsage' } : { kind: 'usage', ...item.usage }
  if ('finish' in item)
    return typeof item.finish === 'string'
      ? { kind: 'finish', reason: item.finish }
      : { kind: 'finish', reason: 'stop_sequence', sequence: item.finish.stop_sequence }
  if ('wait' in item) return { kind: 'wait', ms: item.wait }
  if ('raw' in item) return { kind: 'raw', text: textOf(item.raw) ?? '' }
  if ('fault' in item) return { kind: 'fault', fault: plannedFault(item.fault) }
  return 'partial' in item ? { kind: 'partial', image: item.partial } : { kind: 'image', image: item.image }
}

/** A template that is a whole text, or all of its chunks, has the type of its value in the request. */
function wordsOf(written: string | readonly string[]): Words {
  if (!Array.isArray(written)) return { text: textOf(written) ?? '' }
  const chunks = written.map((chunk) => textOf(chunk) ?? '')
  return { text: chunks.join(''), chunks }
}

function callOf({ name, arguments: given, id }: ToolCallSpec): ScriptedCall {
  const input =
    typeof given === 'string' || Array.isArray(given)
      ? wordsOf(given as string | readonly string[])
      : { text: JSON.stringify(given) }
  return { name: textOf(name) ?? '', input, ...defined({ id: textOf(id) }) }
}

/** The rejection. Its message names the rule, to distinguish it from the simulator's own errors. */
function rejectionOf(error: ErrorSpec, rule: string, endpoint?: Endpoint): PlannedRejection {
  const type = knownType(error.type) ?? typeOf(error.status ?? 500, endpoint)
  const retryAfterMs = error.retryAfter ?? (type === 'rate_limit_error' ? 1000 : undefined)
  const { code, status, param } = error
  const ownType = error.type === type ? undefined : error.type
  return {
    type,
    message: error.message ?? `${messages[type]} (scenario rule ${rule}).`,
    before: error.before ?? 'act',
    ...defined({ code, status, param, retryAfterMs, ownType }),
  }
}

/** The error type that a scenario names; undefined if it is not a known type. */
function knownType(written: string | undefined): RejectionType | undefined {
  return written !== undefined && Object.hasOwn(rejections, written) ? (written as RejectionType) : undefined
}

// If a status has several types, the one that the operation returns.
function typeOf(status: number, endpoint: Endpoint | undefined): RejectionType {
  if (status === 529) return 'overloaded_error'
  if (status === 503) return endpoint?.upstream === true ? 'provider_unavailable' : 'overloaded_error'
  return (
    (Object.keys(rejections) as RejectionType[]).find((type) => rejections[type].status === status) ??
    (status < 500 ? 'invalid_request_error' : 'api_error')
  )
}

export type MakePlan = (facts: RuleFacts) => Plan

export type ResponseSpec = NonNullable<AnswerSpec['response']>

/** The bytes of a response with its own bytes. Throws for a file that cannot be read. */
export type HoldResponse = (response: ResponseSpec) => HeldBytes | undefined

/** A response for repeated use: its constant parts are computed once for each operation. */
export function compileAnswer(answer: AnswerSpec, rule: string, hold: HoldResponse): MakePlan {
  const { delay, fault, ...still } = answer
  const bytes = answer.response === undefined ? undefined : hold(answer.response)
  const templated = hasTemplates(still)
  const made = new Map<string, Plan>()
  const planOf = (facts: RuleFacts): Plan => {
    if (templated) return stillPlan(fillTemplates(still, facts), rule, facts.route, bytes)
    const known = made.get(facts.operation)
    if (known !== undefined) return known
    const plan = stillPlan(still, rule, facts.route, bytes)
    made.set(facts.operation, plan)
    return plan
  }
  if (delay === undefined && fault === undefined) return planOf
  const faults = fault === undefined ? undefined : compileFaults(fault)
  return (facts) => {
    const random = facts.identity.fork(`rule ${rule}`)
    const waiting = delay === undefined ? {} : { delay: drawDelay(delay, random.fork('delay')) }
    const met = faults?.(random) ?? []
    return withFaults({ ...planOf(facts), ...waiting }, met, facts.route)
  }
}

/** The plan with the faults that happen. Those that reject, or change the job, are part of it. */
function withFaults(plan: Plan, faults: readonly PlannedFault[], operation: Operation): Plan {
  let planned = plan
  for (const { kind, options } of faults) {
    const more = faultNamed(kind)?.plan?.(options, operation)
    if (more !== undefined) planned = merged(planned, more)
  }
  return faults.length === 0 ? plan : { ...planned, faults: [...(planned.faults ?? []), ...faults] }
}

/** The parts of two plans that are joined; all other parts of the second override the first. */
const joined = ['job', 'answer', 'headers'] as const

// The plan of a fault is added to the plan of the rule.
function merged(plan: Plan, more: Plan): Plan {
  const both = joined.flatMap((name) =>
    plan[name] !== undefined && more[name] !== undefined ? [[name, { ...plan[name], ...more[name] }]] : [],
  )
  return { ...plan, ...more, ...Object.fromEntries(both) }
}

function stillPlan(
  answer: Omit<AnswerSpec, 'delay' | 'fault'>,
  rule: string,
  { endpoint }: Operation,
  bytes: HeldBytes | undefined,
): Plan {
  const kind = endpoint.job?.submits
  const { call, stream, patch, unset, upstream, timeline, error } = answer
  const job: PlannedJob | undefined = filled({
    ...jobOf(answer.job),
    timeline: timeline && kind && timelineOf(timeline, kind),
  })
  const jobContinues = answer.job === 'created' || job !== undefined || undefined
  const scripts = scriptsOf(answer)
  const patched = patch !== undefined || unset !== undefined
  return defined({
    reject: error && { ...rejectionOf(error, rule, endpoint), ...defined({ jobContinues }) },
    job,
    script: scripts[0],
    choices: scripts.length < 2 ? undefined : scripts,
    answer: call === undefined ? undefined : { calls: callsOf(call) },
    pace: stream && paceOf(stream),
    response: answer.response && responseOf(answer.response, bytes),
    patch: patched ? { merge: patch ?? {}, unset: unset ?? [] } : undefined,
    headers: answer.headers && headersOf(answer.headers),
    upstream: upstream && (defined(upstream) as NonNullable<Plan['upstream']>),
    offContract: answer.offContract === true ? true : undefined,
  })
}

function headersOf(headers: NonNullable<AnswerSpec['headers']>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      value === null ? null : String(value),
    ]),
  )
}

/** The scripts: one for all choices, or one for each. */
function scriptsOf({ text, choices, stream }: Omit<AnswerSpec, 'delay' | 'fault'>): readonly Script[] {
  if (stream?.script !== undefined) return [stream.script.map(itemOf)]
  if (text !== undefined) return [[itemOf({ text })]]
  return (choices ?? []).map(({ text: own = '', script = [{ text: own }] }) => script.map(itemOf))
}

function jobOf(job: JobSpec | undefined): PlannedJob {
  if (job === undefined || job === 'created') return {}
  if (job === 'stuck') return { stuck: true }
  if (job === 'finished') return { finished: true }
  const { code, message, ...planned } = job
  const hasFailure = code !== undefined || message !== undefined
  return defined({ ...planned, failure: hasFailure ? { code: code ?? 'failed', message } : undefined })
}

function responseOf(
  { status = 200, body, text, contentType, file }: ResponseSpec,
  bytes: HeldBytes | undefined,
): PlannedResponse {
  const headers = contentType === undefined ? {} : { 'content-type': contentType }
  if (bytes !== undefined) {
    const { body: held } = heldFile(bytes, file ?? '', contentType)
    // Ranges apply only to successful responses.
    return status === 200
      ? { status, headers, body: held }
      : { status, headers: { 'content-type': held.type }, body: { ...held, asIs: true } }
  }
  if (text !== undefined) return { status, headers, body: { kind: 'text', text } }
  return { status, headers: {}, body: body === undefined ? { kind: 'none' } : { kind: 'json', value: body } }
}

const maxDelay = 24 * 3_600_000

function drawDelay(delay: DelaySpec, random: Random): number {
  if (typeof delay !== 'object') return delay
  if ('from' in delay) return random.integer(delay.from, delay.to)
  // Box and Muller; the first draw must not be zero.
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  return Math.min(Math.round(delay.median * Math.exp(delay.sigma * normal)), delay.max ?? maxDelay)
}

/** Timelines of scenario files, in the form of the engine. */
export function timelineOf(written: TimelineSpec, kind: ScriptedKind): Timeline {
  return written.map(({ at = 0, poll, unset, reset, notFound, ...fields }): TimelineEntry => {
    const ramps: [string, Ramp][] = []
    const still: [string, unknown][] = []
    for (const [name, value] of Object.entries(fields))
      if (isRamp(value) && kind.ramps.includes(name)) ramps.push([name, value])
      else still.push([name, value])
    return {
      at,
      ...defined({
        poll,
        patch: still.length === 0 ? undefined : kind.patch(Object.fromEntries(still)),
        unset,
        reset,
        notFound,
        ramps: ramps.length === 0 ? undefined : Object.fromEntries(ramps),
      }),
    }
  })
}

/** An object without undefined members; undefined if it has no others. */
function filled<T extends object>(value: T): ReturnType<typeof defined<T>> | undefined {
  const members = defined(value)
  return Object.keys(members).length === 0 ? undefined : members
}

function isRamp(value: unknown): value is Ramp {
  return value !== null && typeof value === 'object' && 'over' in value && 'from' in value && 'to' in value
}
