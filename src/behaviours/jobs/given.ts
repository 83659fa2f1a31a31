/** Resources that exist when a scenario begins: how far they have come, and their fixed fields. */
import { type Random, randomFrom } from '../../engine/random.ts'
import { fold, insertEntry, type Ramp, type Timeline } from '../../engine/timeline.ts'
import type { World } from '../../engine/world.ts'
import { modelAccess } from '../../protocol/auth.ts'
import type { EndpointGroup } from '../../protocol/endpoint.ts'
import type { PlannedJob } from '../../protocol/plan.ts'
import type { GivenResource } from '../../protocol/scripted.ts'
import type { Settings } from '../../protocol/settings.ts'

export interface GivenTimeline {
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
 * The timeline and age of a given resource. With a timeline of its own, `fields` apply from the beginning
 * until the timeline changes them. Otherwise by its status: `place` is undefined for a status outside of
 * any course, which it then shows for ever.
 */
export function givenTimeline(
  given: GivenResource,
  fields: Readonly<Record<string, unknown>>,
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
  // A resource that has this status at this age anyway continues normally, unless its progress says
  // otherwise.
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
  // A course of no length has no middle: then the status is set, and stays.
  const patch = status === undefined || fold(timeline, age).state[statusField] === status ? rest : fields
  return { timeline: hasFields(patch) ? insertEntry(timeline, { at: age, patch }) : timeline, age }
}

/** The statuses of a kind by how far it is. */
export interface StatusWords {
  readonly first: string
  readonly moving: string
  readonly done: string
  readonly failed: string
}

/** The point of a resource by its status: half-way, or as far as its progress says. */
export function coursePointOf(
  status: unknown,
  progress: unknown,
  words: StatusWords,
  duration: number,
  courseOf: (job: PlannedJob) => Timeline,
): CoursePoint | undefined {
  const share = isMidCourse(status, progress, words) ? progress : status === words.failed ? 100 : 50
  const at = Math.round((duration * share) / 100)
  if (status === words.first) return { course: courseOf({}), at: 0, ended: false }
  if (status === words.moving) return { course: courseOf({}), at, ended: false }
  if (status === words.done) return { course: courseOf({}), at: duration, ended: true }
  return status === words.failed ? { course: courseOf({ failAt: share }), at, ended: true } : undefined
}

/** Whether a resource of this status passes this progress on its normal course. */
export function isMidCourse(
  status: unknown,
  progress: unknown,
  { moving, failed }: StatusWords,
): progress is number {
  if (typeof progress !== 'number' || progress < 0 || progress > 100) return false
  return status === failed || (status === moving && progress >= 10 && progress < 100)
}

/** The course moved by `by` milliseconds; its birth stays, and what would come before it happens at birth. */
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

/** A model for a given resource that its key may use, so that further calls can start from it. */
export function givenModel(
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
export function givenRandom(kind: string, world: World): Random {
  return randomFrom(`given ${kind} ${world.store.list(kind).length} of ${world.seed}`)
}

const hasFields = (fields: Readonly<Record<string, unknown>>): boolean => Object.keys(fields).length > 0
