/** The jobs of a recording: their polls become timelines in virtual time. */

import { everyKey, poll } from '../behaviours/jobs/job.ts'
import type { AskedCall } from '../core/recorded-calls.ts'
import { defined, type Fields, isFields, jsonIn } from '../engine/fields.ts'
import { lastPart } from '../engine/pointer.ts'
import { ageOf, type Resource } from '../engine/resource.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { Timeline } from '../engine/timeline.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { bytesOf } from '../exchange/exchange.ts'
import type { Payload } from '../protocol/call.ts'
import type { Route } from '../protocol/router.ts'
import type { ScriptedKind } from '../protocol/scripted.ts'
import type { Settings } from '../protocol/settings.ts'
import { valueAt } from '../protocol/wording.ts'
import { timelineOf } from '../scenario/compile/compile.ts'
import type { TimelineSpec } from '../scenario/format/given.ts'

interface Shown {
  readonly at: number
  readonly exchange: Exchange
}

export interface RecordedJob {
  readonly kind: ScriptedKind
  readonly id: string
  /** The response to its submission. */
  readonly facts: Fields
  /** Milliseconds from its submission to the first poll. */
  readonly firstPollAfter: number
  /** The operation that polls it by its id. */
  readonly poll: string | undefined
  readonly states: readonly Shown[]
  /** Rejected polls of an existing job. Each is played back once. */
  readonly rejections: readonly Shown[]
}

export function polledId(route: Route, params: Fields): string | undefined {
  const { job: { polls } = {}, path } = route.endpoint
  if (polls === undefined) return undefined
  const named = params[/\{(\w+)\}[^{]*$/.exec(path)?.[1] ?? '']
  return typeof named === 'string' ? lastPart(named) : undefined
}

export function submittedId(body: Fields): string | undefined {
  const named = body['id'] ?? body['name']
  return typeof named === 'string' ? lastPart(named) : undefined
}

export function fieldsOf({ response }: Exchange): Fields {
  const value = jsonIn(bytesOf(response?.body))
  return isFields(value) ? value : {}
}

export interface JobPolls {
  readonly kind: ScriptedKind
  readonly id: string
  readonly submission: Exchange | undefined
  readonly facts: Fields
  /** In the order in which they were sent. */
  readonly polls: readonly Exchange[]
  poll?: string | undefined
}

export function recordedJob({ kind, id, submission, facts, polls, poll: operation }: JobPolls): RecordedJob {
  const bornAt = submission?.at ?? polls[0]?.at ?? 0
  const shown = polls.map((exchange) => ({
    at: Math.max(0, Math.round(exchange.at - bornAt)),
    exchange,
  }))
  const isState = ({ exchange: { response } }: Shown): boolean =>
    response !== undefined && (response.status < 300 || response.status === 404 || response.status === 410)
  const states: Shown[] = []
  for (const one of shown.filter(isState)) {
    const before = states.at(-1)
    if (before === undefined || !isSame(before.exchange, one.exchange)) states.push(one)
  }
  const [first] = states
  // The state of the first poll applies from the beginning, unless it is terminal: the job was not finished
  // when it was submitted.
  if (first !== undefined && first.at > 0) {
    if (submission === undefined || !hasEnded(kind, first.exchange)) states[0] = { ...first, at: 0 }
    else states.unshift({ at: 0, exchange: submission })
  }
  const rejections = shown.filter((one) => !isState(one))
  return { kind, id, firstPollAfter: shown[0]?.at ?? 0, poll: operation, facts, states, rejections }
}

function isSame(a: Exchange, b: Exchange): boolean {
  const [one, other] = [bytesOf(a.response?.body), bytesOf(b.response?.body)]
  return a.response?.status === b.response?.status && one?.length === other?.length && isEqual(one, other)
}

// A loop: polls of finished operations hold their videos.
function isEqual(one: Uint8Array = empty, other: Uint8Array = empty): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}

const empty = new Uint8Array()

function hasEnded(kind: ScriptedKind, exchange: Exchange): boolean {
  const { response } = exchange
  if (response === undefined || response.status >= 300) return true
  if (kind.readEnd !== undefined)
    return kind.readEnd(new TextDecoder().decode(bytesOf(response.body))) !== undefined
  const { status } = fieldsOf(exchange)
  return status === kind.ended.succeeded || status === kind.ended.failed
}

/** The timeline of a job in the scenario format, as far as the format can express it. */
export function courseOf({ kind, states }: Pick<RecordedJob, 'kind' | 'states'>): TimelineSpec {
  return states.map(({ at, exchange }) =>
    exchange.response !== undefined && exchange.response.status >= 300
      ? { at, notFound: true as const }
      : { at, ...known(kind.readPoll(fieldsOf(exchange)), kind.entry().shape) },
  ) as TimelineSpec
}

/** A status that the scenario format cannot express. */
export function unknownStatus({ kind }: Pick<RecordedJob, 'kind'>, exchange: Exchange): unknown {
  const body = fieldsOf(exchange)
  if ((exchange.response?.status ?? 500) >= 300 || body['done'] !== undefined) return undefined
  const { status } = known(kind.readPoll(body), kind.entry().shape)
  return status === undefined ? body['status'] : undefined
}

function known(fields: Fields, shape: ReturnType<ScriptedKind['entry']>['shape']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) =>
        value !== undefined && Object.hasOwn(shape, name) && shape[name]?.safeParse(value).success === true,
    ),
  )
}

/** The jobs of recordings in the sessions of simulators. */
export class PlayedJobs {
  /** The job that a resource plays back, and its timeline. */
  readonly #playing = new WeakMap<Resource, { readonly job: RecordedJob; readonly timeline: Timeline }>()

  /** Adds a job to a session, `age` milliseconds after its submission. Restarts a job with the same id. */
  start(job: RecordedJob, age: number, sandbox: Sandbox, settings: Settings): Resource | undefined {
    const { kind, id, facts, states } = job
    sandbox.store.remove(kind.resource, id)
    kind.put(
      {
        fields: { ...known(facts, kind.given().shape), id, key: everyKey },
        // A job that was never polled has the default timeline.
        timeline: states.length === 0 ? undefined : timelineOf(courseOf(job), kind),
        age,
        offContract: true,
        contents: undefined,
      },
      { sandbox, settings },
    )
    const resource = sandbox.store.find(kind.resource, id)
    if (resource === undefined) return undefined
    this.#playing.set(resource, { job, timeline: resource.timeline })
    sandbox.plays.set(startedName(job), 1)
    return resource
  }

  /** Whether a session has had this job. */
  wasStarted(job: RecordedJob, { plays }: Sandbox): boolean {
    return plays.has(startedName(job))
  }

  /** The job that a resource of a session plays back; undefined after its timeline was changed. */
  of(resource: Resource): RecordedJob | undefined {
    const playing = this.#playing.get(resource)
    return playing?.timeline === resource.timeline ? playing.job : undefined
  }

  /** The response to a poll: a due rejection that was not played back yet, or the state. */
  poll(job: RecordedJob, resource: Resource, { sandbox, now }: Pick<AskedCall, 'sandbox' | 'now'>): Exchange {
    poll(resource, sandbox, now)
    const age = ageOf(resource, now)
    const name = `recorded rejections of ${job.kind.resource} ${job.id}`
    const had = sandbox.plays.get(name) ?? 0
    const rejection = job.rejections[had]
    if (rejection !== undefined && rejection.at <= age) {
      sandbox.plays.set(name, had + 1)
      return rejection.exchange
    }
    return (job.states.findLast(({ at }) => at <= age) ?? (job.states[0] as Shown)).exchange
  }
}

const startedName = ({ kind, id }: RecordedJob): string => `recorded job ${kind.resource} ${id}`

export function requestFields(payload: Payload): Fields {
  if (payload.kind === 'json' && isFields(payload.value)) {
    const { value } = payload
    const prompt = valueAt(value, ['instances', 0, 'prompt'])
    const parameters = value['parameters']
    return { ...(isFields(parameters) ? parameters : {}), ...defined({ prompt }), ...value }
  }
  if (payload.kind !== 'form') return {}
  return Object.fromEntries(
    payload.fields.flatMap((field) => ('value' in field ? [[field.name, field.value]] : [])),
  )
}
