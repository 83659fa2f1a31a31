/**
 * A kind of resource with a lifecycle, from one description: how to submit, find, poll and give one, and its
 * normal course. Image jobs, videos and operations declare only their differences.
 */
import * as z from 'zod'
import type { Fields } from '../../engine/fields.ts'
import { type Random, randomFrom, tagIn } from '../../engine/random.ts'
import type { Resource } from '../../engine/resource.ts'
import { evictedClause, type Sandbox } from '../../engine/sandbox.ts'
import { fold, insertEntry, type Ramp, type Timeline, type TimelineEntry } from '../../engine/timeline.ts'
import { modelAccess } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context, EndpointGroup } from '../../protocol/endpoint.ts'
import type { ApiError } from '../../protocol/errors.ts'
import { type PlannedJob, type PlannedRejection, plannedError } from '../../protocol/plan.ts'
import type { GivenResource } from '../../protocol/scripted.ts'
import type { Settings } from '../../protocol/settings.ts'
import { freshId, isOffContract, isOwnedBy, plannedTimeline, withInitialStatus } from './job.ts'

type Place = Pick<Context, 'sandbox' | 'settings'>

/** A given resource in the format of its kind. */
export interface GivenJob<Facts> {
  readonly facts: Facts
  /** The fields that it shows. */
  readonly shown: Fields
  /** Its position on the normal course; undefined for a status outside it. */
  readonly point: CoursePoint | undefined
}

interface Description<Facts> {
  /** Its name in the store: `imageJob`. */
  readonly resource: string
  /** Its noun in messages: `image job`. */
  readonly noun: string
  /** The expected id in messages: `an id from POST /v1/videos`. */
  readonly expected: string
  readonly catalog: NonNullable<EndpointGroup['catalog']>
  /** The default model of a given resource. */
  readonly defaultModel: string
  /** The initial status if a timeline has none. */
  readonly first: unknown
  /** The rejection of an unknown id; the sentence has no full stop. */
  notFound(sentence: string): ApiError
  /** The rejection of a submission whose job continues. Default: the planned rejection. */
  goesOn?(rejection: PlannedRejection, id: string): ApiError
  mintId(tag: string, random: Random): string
  /** Reads a given resource; `chance` is its random source, `tag` is set if its id has none. */
  readGiven(
    fields: Fields,
    given: GivenResource,
    place: Place & { readonly model: string; readonly chance: Random; readonly tag: string | undefined },
  ): GivenJob<Facts>
}

/** The result of a submission. */
interface NewJob<Facts> {
  readonly facts: Facts
  readonly timeline: Timeline
  /** The local time of the source job. */
  readonly birth?: { readonly bornAt: number; readonly skip: number } | undefined
}

export type JobKind<Facts> = Omit<Description<Facts>, 'readGiven' | 'goesOn'> & {
  /** Throws the planned rejection of an ambiguous submission. */
  add(
    call: Pick<Call, 'key' | 'identity' | 'plan' | 'now'>,
    sandbox: Sandbox,
    job: NewJob<Facts>,
  ): Resource<Facts>
  /** The resource with an id, even in the state notFound; or an error message without full stop. */
  find(id: string, owner: string | undefined, context: Context): Resource<Facts> | string
  /** The same, or throws. */
  get(id: string, owner: string | undefined, context: Context): Resource<Facts>
  put(given: GivenResource, place: Place): void
}

export function defineJobKind<Facts>(described: Description<Facts>): JobKind<Facts> {
  const { resource: kind, noun, expected, first, mintId, goesOn = plannedError } = described
  const idFrom = (sandbox: Sandbox, identity: Random): string =>
    freshId(kind, sandbox, identity, (random) => mintId(sandbox.tag, random))
  const jobs: JobKind<Facts> = {
    ...described,
    add({ key, identity, plan, now }, sandbox, { facts, timeline, birth }) {
      const added = sandbox.store.add({
        kind,
        id: idFrom(sandbox, identity),
        owner: key.value,
        bornAt: birth?.bornAt ?? now,
        skip: birth?.skip ?? 0,
        facts,
        timeline,
        offContract: isOffContract(plan),
      })
      if (plan.reject?.jobContinues === true) throw goesOn(plan.reject, added.id)
      return added
    },
    get(id, owner, context) {
      const found = jobs.find(id, owner, context)
      if (typeof found === 'string') throw described.notFound(found)
      return found
    },
    find(id, owner, { sandbox }) {
      const found = sandbox.store.find<Facts>(kind, id)
      const shown = `\`${id.slice(0, 100)}\``
      const here = `in the session "${sandbox.name}"`
      if (found === undefined)
        return `Unknown ${noun} ${shown} ${here}: expected ${expected}${evictedClause(sandbox)}`
      if (owner === undefined || isOwnedBy(found, owner)) return found
      return `This API key has no ${noun} ${shown} ${here}: use the API key that submitted it`
    },
    put(given, place) {
      const { sandbox, settings } = place
      const {
        id: named,
        key,
        model,
        ...fields
      } = given.fields as Fields & {
        readonly [Name in 'id' | 'key' | 'model']?: string
      }
      const owner = key ?? ''
      const chance = givenRandom(kind, sandbox)
      const id = named ?? idFrom(sandbox, chance)
      const { facts, shown, point } = described.readGiven(fields, given, {
        ...place,
        model: model ?? givenModel(described.defaultModel, described.catalog, owner, settings),
        chance,
        tag: tagIn(id) === sandbox.tag ? undefined : sandbox.tag,
      })
      const { timeline, age } = givenTimeline(given, shown, 'status', point)
      sandbox.store.add({
        kind,
        id,
        owner,
        bornAt: sandbox.clock.now() - age,
        facts,
        timeline: withInitialStatus(timeline, first),
        offContract: given.offContract,
      })
    },
  }
  return jobs
}

/** The API key of a given resource in scenarios. */
export const givenKey = () =>
  z
    .string()
    .min(1)
    .optional()
    .describe('The API key of the submission. Default: the first API key in `keys`.')

/**
 * The course of a kind with progress: its statuses, its progress field, and the percentages of its changes.
 */
export interface Course {
  readonly first: string
  readonly moving: string
  readonly done: string
  readonly failed: string
  /** The field of the number. */
  readonly progress: string
  /** The timeline has an entry at each; with the `auto` clock, each poll advances to the next. */
  readonly steps: readonly number[]
  /** Further fields at the beginning. */
  readonly begins: Fields
  /** The error of a planned failure, or the default error. */
  errorOf(failure: PlannedJob['failure']): unknown
}

/**
 * Starts in the first status, runs from the first step with proportional progress, and finishes at the end of
 * `duration`, in milliseconds. The contract has no transitions (section 3); these are ours.
 */
export function courseTimeline(course: Course, duration: number, job: PlannedJob = {}): Timeline {
  return job.timeline !== undefined
    ? withInitialStatus(job.timeline, course.first)
    : plannedTimeline(job, duration, (way) => courseOf(course, duration, way))
}

/** The timeline of a submission; submissions without a plan share one. */
export function submittedCourse(
  course: Course,
  kind: string,
  duration: number,
  job: PlannedJob | undefined,
  { store }: Pick<Sandbox, 'store'>,
): Timeline {
  return job === undefined
    ? store.timelineOf(`${kind} ${duration}`, () => courseTimeline(course, duration))
    : courseTimeline(course, duration, job)
}

/** The state in which a stuck job stays. */
const stuckAt = 50

function courseOf(course: Course, duration: number, job: PlannedJob): Timeline {
  const { first, moving, done, failed, progress, steps } = course
  const whole = job.finished === true ? 0 : duration
  const at = (share: number): number => Math.round((whole * share) / 100)
  const failAt = job.failAt ?? (job.failure === undefined ? undefined : 100)
  const end = job.stuck === true ? stuckAt : Math.min(failAt ?? 100, job.notFoundAt ?? 100)
  const entries: TimelineEntry[] = [{ at: 0, patch: { status: first, [progress]: 0, ...course.begins } }]
  for (const [index, from] of steps.entries()) {
    if (from >= end) break
    const to = steps[index + 1] ?? 100
    const ramp = { from, to, over: at(to) - at(from) }
    entries.push({ at: at(from), patch: { status: moving }, ramps: { [progress]: ramp } })
  }
  const ends = (status: string, more: Fields = {}): TimelineEntry => ({
    at: at(end),
    patch: { status, [progress]: end, ...more },
  })
  if (job.stuck === true) entries.push(ends(moving))
  else if (job.notFoundAt === end) entries.push({ at: at(end), notFound: true })
  else if (failAt !== undefined) entries.push(ends(failed, { error: course.errorOf(job.failure) }))
  else entries.push(ends(done))
  return entries
}

/** The changes that follow from a change of the status (`ScriptedKind.follows`). */
export function courseFollows(course: Course, { status }: Fields, { error }: Fields): Fields {
  if (status === undefined) return {}
  const had = error !== undefined && error !== null
  const progress: Record<string, unknown> = {}
  if (status === course.done) progress[course.progress] = 100
  if (status === course.first) progress[course.progress] = 0
  if (status === course.failed) return had ? progress : { ...progress, error: course.errorOf(undefined) }
  return had ? { ...progress, error: null } : progress
}

/** The fields of a given resource, and its position by status: from its progress, else halfway. */
export function givenOnCourse(
  course: Course,
  { [course.progress]: progress, ...fields }: Fields,
  given: GivenResource,
  { status, duration }: { readonly status: unknown; readonly duration: number },
): Pick<GivenJob<unknown>, 'shown' | 'point'> {
  const follows = given.timeline === undefined && isMidCourse(status, progress, course)
  const own = progress === undefined || follows ? fields : { ...fields, [course.progress]: progress }
  return {
    shown: given.timeline === undefined ? { ...own, status } : own,
    point: pointOf(course, status, progress, duration),
  }
}

function pointOf(
  course: Course,
  status: unknown,
  progress: unknown,
  duration: number,
): CoursePoint | undefined {
  const { first, moving, done, failed } = course
  const usual = status === failed ? 100 : 50
  const share = isMidCourse(status, progress, course) ? progress : usual
  const at = Math.round((duration * share) / 100)
  const normal = courseTimeline(course, duration)
  if (status === first) return { course: normal, at: 0, ended: false }
  if (status === moving) return { course: normal, at, ended: false }
  if (status === done) return { course: normal, at: duration, ended: true }
  if (status !== failed) return undefined
  return { course: courseTimeline(course, duration, { failAt: share }), at, ended: true }
}

/** Whether a resource of this status passes this progress on its normal course. */
function isMidCourse(status: unknown, progress: unknown, { moving, failed }: Course): progress is number {
  if (typeof progress !== 'number' || progress < 0 || progress > 100) return false
  return status === failed || (status === moving && progress >= 10 && progress < 100)
}

interface GivenTimeline {
  readonly timeline: Timeline
  /** Milliseconds since its creation. */
  readonly age: number
}

/** The course of a status, and the point in it at which a resource of unspecified age is. */
export interface CoursePoint {
  readonly course: Timeline
  /** Milliseconds after birth. */
  readonly at: number
  /** Whether the course has ended there: an older resource ended earlier and has not been waiting. */
  readonly ended: boolean
}

/**
 * The timeline and age of a given resource. With a given timeline, `fields` apply until the timeline changes
 * them. Otherwise its status decides: `place` is undefined for a status outside any course, which then never
 * changes.
 */
function givenTimeline(
  given: GivenResource,
  fields: Fields,
  statusField: string,
  place: CoursePoint | undefined,
): GivenTimeline {
  if (given.timeline !== undefined)
    return {
      timeline: hasFields(fields) ? [{ at: 0, patch: fields }, ...given.timeline] : given.timeline,
      age: given.age ?? 0,
    }
  if (place === undefined) return { timeline: [{ at: 0, patch: fields }], age: given.age ?? 0 }
  const age = given.age ?? place.at
  // A resource that has this status at this age by default continues normally, unless its progress differs.
  const natural =
    given.age !== undefined &&
    !place.ended &&
    !Object.keys(fields).some((name) => name.startsWith('progress')) &&
    fold(place.course, age).state[statusField] === fields[statusField]
  const course =
    natural || (place.ended && age >= place.at) ? place.course : shiftCourse(place.course, age - place.at)
  // Ramps that began before birth cannot be written as they were: they continue from their current value.
  const timeline =
    natural || age >= place.at
      ? course
      : insertEntry(course, { at: age, ramps: remainingRamps(place.course, place.at) })
  const { [statusField]: status, ...rest } = fields
  // A course without duration has no middle: then the status is constant.
  const patch = status === undefined || fold(timeline, age).state[statusField] === status ? rest : fields
  return { timeline: hasFields(patch) ? insertEntry(timeline, { at: age, patch }) : timeline, age }
}

/** The course shifted by `by` milliseconds; entries before birth move to birth. */
function shiftCourse(course: Timeline, by: number): Timeline {
  return course.map((entry) => (entry.at === 0 ? entry : { ...entry, at: Math.max(0, entry.at + by) }))
}

/** The remainders of the ramps that are under way `elapsed` milliseconds after birth. */
function remainingRamps(course: Timeline, elapsed: number): Record<string, Ramp> {
  const { state, reached } = fold(course, elapsed)
  const remaining: Record<string, Ramp> = {}
  const since = course[reached - 1]
  for (const [field, { to, over }] of Object.entries(since?.ramps ?? {})) {
    const rest = over - (elapsed - (since?.at ?? 0))
    if (rest > 0) remaining[field] = { from: state[field] as number, to, over: rest }
  }
  return remaining
}

/** A model that the key of a given resource may use, so that further calls can start from it. */
function givenModel(
  defaultModel: string,
  catalog: NonNullable<EndpointGroup['catalog']>,
  key: string,
  settings: Settings,
): string {
  const models =
    settings.keys !== undefined && Object.hasOwn(settings.keys, key) ? settings.keys[key]?.models : undefined
  const known = [defaultModel, ...(settings.models[catalog] ?? []), ...(models ?? [])].filter(
    (model) => !model.endsWith('*'),
  )
  return (
    known.find((model) => modelAccess(model, { value: key, models }, catalog, settings) === 'ok') ??
    defaultModel
  )
}

/** The random source of a given resource: the same in every run, different for each of a kind. */
function givenRandom(kind: string, sandbox: Sandbox): Random {
  return randomFrom(`given ${kind} ${sandbox.store.list(kind).length} of ${sandbox.seed}`)
}

const hasFields = (fields: Fields): boolean => Object.keys(fields).length > 0
