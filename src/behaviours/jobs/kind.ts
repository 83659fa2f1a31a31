/**
 * A kind of job from one description: its course, what a submission and a poll show, its fields in scenarios.
 * Image jobs, videos and operations declare only their differences.
 */
import * as z from 'zod'
import type { Fields } from '../../engine/fields.ts'
import { type Random, randomFrom, tagIn } from '../../engine/random.ts'
import { type Resource, stateOf } from '../../engine/resource.ts'
import { evictedClause, type Sandbox } from '../../engine/sandbox.ts'
import type { FoldedState, Timeline } from '../../engine/timeline.ts'
import { modelProblem } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { ApiError } from '../../protocol/errors.ts'
import { type PlannedJob, type PlannedRejection, plannedError } from '../../protocol/plan.ts'
import type { PlainResponse } from '../../protocol/response.ts'
import type { GivenResource, ScriptedKind } from '../../protocol/scripted.ts'
import type { Settings } from '../../protocol/settings.ts'
import { type Course, placeGiven, timelineOf, withInitialStatus } from './course.ts'
import { birthFrom, freshId, isOwnedBy, poll } from './job.ts'

/** A job with its state at a time. */
export interface SeenJob<Facts> extends FoldedState {
  readonly job: Resource<Facts>
}

type Place = Pick<Context, 'sandbox' | 'settings'>

interface Description<Facts> extends Omit<ScriptedKind, 'put'> {
  /** Also its settings and its list of models. */
  readonly name: 'imageJobs' | 'videos' | 'videoOperations'
  /** The expected id in messages: `an id from POST /v1/videos`. */
  readonly expected: string
  /** The default model of a given job. */
  readonly defaultModel: string
  course(facts: Facts): Course
  /** What of the facts its course depends on. */
  courseKey?(facts: Facts): string | number
  /** The plan of a submission with these facts. Default: as planned. */
  planOf?(plan: PlannedJob | undefined, facts: Facts, settings: Settings): PlannedJob | undefined
  mintId(tag: string, random: Random): string
  /** The rejection of an unknown id; the sentence has no full stop. */
  notFound(sentence: string): ApiError
  /** The rejection of a submission whose job continues. Default: the planned rejection. */
  goesOn?(rejection: PlannedRejection, id: string): ApiError
  /** The response to a submission. */
  showSubmitted(seen: SeenJob<Facts>): PlainResponse
  /** The response to a poll. */
  show(seen: SeenJob<Facts>): PlainResponse
  /** The facts of a given job, and the fields that it shows; `tag` is set if its id has none. */
  readGiven(
    fields: Fields,
    place: Place & { readonly model: string; readonly chance: Random; readonly tag: string | undefined },
  ): readonly [facts: Facts, shown: Fields]
}

export interface JobKind<Facts> extends ScriptedKind {
  /**
   * Submits a job, which lives in the time of its source, and responds with it. Throws the planned rejection
   * of an ambiguous submission.
   */
  submit(call: Submitter, context: Context, facts: Facts, source?: Resource): PlainResponse
  /** The job with an id, even in the state notFound. Throws a 404. */
  get(id: string, owner: string | undefined, context: Context): Resource<Facts>
  /**
   * The job with its state, without counting as a poll; or why there is none, as a sentence without full
   * stop.
   */
  inspect(
    id: string,
    owner: string | undefined,
    call: Pick<Call, 'now'>,
    context: Context,
  ): SeenJob<Facts> | string
  /** The same. Throws a 404. */
  look(id: string, owner: string | undefined, call: Pick<Call, 'now'>, context: Context): SeenJob<Facts>
  /**
   * Its state for a poll. With the `auto` clock, the first poll shows the state after submission, and a later
   * poll that would see no change advances this job alone to its next change. Throws a 404 in the state
   * notFound.
   */
  poll(job: Resource<Facts>, now: number, context: Context): SeenJob<Facts>
  /** The response to a poll. */
  respond(job: Resource<Facts>, now: number, context: Context): PlainResponse
}

export function defineJobKind<Facts>(described: Description<Facts>): JobKind<Facts> {
  const { resource: kind, noun, notFound } = described
  const find = (id: string, owner: string | undefined, { sandbox }: Context): Resource<Facts> | string => {
    const found = sandbox.store.find<Facts>(kind, id)
    const shown = `\`${id.slice(0, 100)}\``
    const here = `in the session "${sandbox.name}"`
    if (found === undefined)
      return `Unknown ${noun} ${shown} ${here}: expected ${described.expected}${evictedClause(sandbox)}`
    if (owner === undefined || isOwnedBy(found, owner)) return found
    return `This API key has no ${noun} ${shown} ${here}: use the API key that submitted it`
  }
  const gone = (id: string, { sandbox }: Context): string =>
    `The ${noun} \`${id}\` no longer exists: a scenario or an override removed it from the session ` +
    `"${sandbox.name}"`
  const jobs: JobKind<Facts> = {
    ...described,
    submit(call, context, facts, source) {
      const job = addSubmitted(described, call, context, { facts, source })
      const { reject } = call.plan
      if (reject?.jobContinues === true) throw (described.goesOn ?? plannedError)(reject, job.id)
      return described.showSubmitted({ job, ...stateOf(job, call.now) })
    },
    get(id, owner, context) {
      const found = find(id, owner, context)
      if (typeof found === 'string') throw notFound(found)
      return found
    },
    inspect(id, owner, { now }, context) {
      const job = find(id, owner, context)
      if (typeof job === 'string') return job
      const state = stateOf(job, now)
      return state.notFound ? gone(id, context) : { job, ...state }
    },
    look(id, owner, call, context) {
      const seen = jobs.inspect(id, owner, call, context)
      if (typeof seen === 'string') throw notFound(seen)
      return seen
    },
    poll(job, now, context) {
      const state = poll(job, context.sandbox, now)
      if (state.notFound) throw notFound(gone(job.id, context))
      return { job, ...state }
    },
    respond: (job, now, context) => described.show(jobs.poll(job, now, context)),
    put: (given, place) => putGiven(described, given, place),
  }
  return jobs
}

type Submitter = Pick<Call, 'key' | 'identity' | 'plan' | 'now'>

function addSubmitted<Facts>(
  described: Description<Facts>,
  { key, identity, plan, now }: Submitter,
  { sandbox, settings }: Context,
  { facts, source }: { readonly facts: Facts; readonly source: Resource | undefined },
): Resource<Facts> {
  const { name, resource: kind } = described
  const { duration } = settings[name]
  const planned = described.planOf?.(plan.job, facts, settings) ?? plan.job
  const timeline = (): Timeline => timelineOf(described.course(facts), duration, planned)
  return sandbox.store.add({
    kind,
    id: newId(described, sandbox, identity),
    owner: key.value,
    ...(source === undefined ? { bornAt: now } : birthFrom(source, now)),
    facts,
    // Submissions without a plan share one.
    timeline:
      planned === undefined
        ? sandbox.store.timelineOf(`${kind} ${duration} ${described.courseKey?.(facts)}`, timeline)
        : timeline(),
    // Only a timeline marked `offContract` violates the contract.
    offContract: plan.offContract === true && plan.job?.timeline !== undefined,
  })
}

function putGiven<Facts>(described: Description<Facts>, given: GivenResource, place: Place): void {
  const { name, resource: kind, ended } = described
  const { sandbox, settings } = place
  const { id: named, key: owner = '', model, ...fields } = described.patch(given.fields) as GivenFields
  // The same in every run, different for each of a kind.
  const chance = randomFrom(`given ${kind} ${sandbox.store.list(kind).length} of ${sandbox.seed}`)
  const id = named ?? newId(described, sandbox, chance)
  const [facts, shown] = described.readGiven(fields, {
    ...place,
    model: model ?? givenModel(described, owner, settings),
    chance,
    tag: tagIn(id) === sandbox.tag ? undefined : sandbox.tag,
  })
  const status = shown['error'] == null ? ended.succeeded : ended.failed
  const course = described.course(facts)
  const { timeline, age } = placeGiven(
    course,
    settings[name].duration,
    given.timeline === undefined ? { status, ...shown } : shown,
    given,
  )
  sandbox.store.add({
    kind,
    id,
    owner,
    bornAt: sandbox.clock.now() - age,
    facts,
    timeline: withInitialStatus(timeline, course.begins['status']),
    offContract: given.offContract,
  })
}

function newId(
  { resource, mintId }: Pick<Description<never>, 'resource' | 'mintId'>,
  sandbox: Sandbox,
  identity: Random,
): string {
  return freshId(resource, sandbox, identity, (random) => mintId(sandbox.tag, random))
}

type GivenFields = Fields & { readonly [Name in 'id' | 'key' | 'model']?: string }

/** The API key of a given job in scenarios. */
export const givenKey = () =>
  z
    .string()
    .min(1)
    .optional()
    .describe('The API key of the submission. Default: the first API key in `keys`.')

/** A model that the key of a given job may use, so that further calls can start from it. */
function givenModel(
  { name: catalog, defaultModel }: Pick<Description<never>, 'name' | 'defaultModel'>,
  key: string,
  settings: Settings,
): string {
  const models =
    settings.keys !== undefined && Object.hasOwn(settings.keys, key) ? settings.keys[key]?.models : undefined
  const known = [defaultModel, ...(settings.models[catalog] ?? []), ...(models ?? [])].filter(
    (model) => !model.endsWith('*'),
  )
  const isUsable = (model: string): boolean =>
    modelProblem(model, { value: key, models }, catalog, settings) === undefined
  return known.find(isUsable) ?? defaultModel
}
