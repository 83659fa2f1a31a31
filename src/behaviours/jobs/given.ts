/**
 * Resources that exist when a scenario begins: where in their course they are, and what is fixed about them
 * from the beginning. Knows timelines and settings, nothing of what a resource is.
 */
import { type Random, randomFrom } from '../../engine/random.ts'
import { fold, insertEntry, type Ramp, type Timeline } from '../../engine/timeline.ts'
import type { World } from '../../engine/world.ts'
import { modelAccess } from '../../protocol/auth.ts'
import type { EndpointGroup } from '../../protocol/endpoint.ts'
import type { PlannedJob } from '../../protocol/plan.ts'
import type { GivenResource } from '../../protocol/scripted.ts'
import type { Settings } from '../../protocol/settings.ts'

/** A given resource in its course. */
export interface GivenTimeline {
  readonly timeline: Timeline
  /** How long ago it was made, in milliseconds. */
  readonly age: number
}

/** The course that a status belongs to, and where in it the resource is when nobody says how old it is. */
export interface CoursePoint {
  readonly course: Timeline
  /** Milliseconds after birth. */
  readonly at: number
  /**
   * Whether the course is over there: an older resource ended earlier, and has not been waiting for its end.
   */
  readonly ended: boolean
}

/**
 * Where a given resource is. By its timeline, when it has one: `fields` then hold from its beginning on,
 * until the timeline says otherwise. Else by its status: `place` is undefined for a status that belongs to no
 * course, which it then shows for ever.
 */
export function givenTimeline(
  given: GivenResource,
  fields: Readonly<Record<string, unknown>>,
  statusField: string,
  place: CoursePoint | undefined,
): GivenTimeline {
  if (given.timeline !== undefined)
    return {
      timeline: holding(fields) ? [{ at: 0, patch: fields }, ...given.timeline] : given.timeline,
      age: given.age ?? 0,
    }
  if (place === undefined) return { timeline: [{ at: 0, patch: fields }], age: given.age ?? 0 }
  const age = given.age ?? place.at
  // One that has its status at that age by itself goes on as any other does, unless its progress says where
  // it is.
  const natural =
    given.age !== undefined &&
    !place.ended &&
    !Object.keys(fields).some((name) => name.startsWith('progress')) &&
    fold(place.course, age).state[statusField] === fields[statusField]
  const course =
    natural || (place.ended && age >= place.at) ? place.course : moved(place.course, age - place.at)
  // What began before birth cannot be written as it was: it goes on from what it has come to.
  const timeline =
    natural || age >= place.at
      ? course
      : insertEntry(course, { at: age, ramps: underway(place.course, place.at) })
  const { [statusField]: status, ...rest } = fields
  // A course of no length has no middle: then the status is said, and holds.
  const patch = status === undefined || fold(timeline, age).state[statusField] === status ? rest : fields
  return { timeline: holding(patch) ? insertEntry(timeline, { at: age, patch }) : timeline, age }
}

/** The words of a kind for how far it is. */
export interface StatusWords {
  readonly first: string
  readonly moving: string
  readonly done: string
  readonly failed: string
}

/** Where a resource with a progress is by its status: half-way, or as far as its progress says. */
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

/** Whether a resource of this status comes by this progress on its usual way: it then is where it has it. */
export function isMidCourse(
  status: unknown,
  progress: unknown,
  { moving, failed }: StatusWords,
): progress is number {
  if (typeof progress !== 'number' || progress < 0 || progress > 100) return false
  return status === failed || (status === moving && progress >= 10 && progress < 100)
}

/**
 * The course moved by `by` milliseconds, earlier when negative; its birth stays. What would come before birth
 * has happened at birth.
 */
function moved(course: Timeline, by: number): Timeline {
  return course.map((entry) => (entry.at === 0 ? entry : { ...entry, at: Math.max(0, entry.at + by) }))
}

/** What is left of the ramps that are under way `elapsed` milliseconds after birth. */
function underway(course: Timeline, elapsed: number): Record<string, Ramp> {
  const { state, reached } = fold(course, elapsed)
  const left: Record<string, Ramp> = {}
  const since = course[reached - 1]
  for (const [field, { to, over }] of Object.entries(since?.ramps ?? {})) {
    const rest = over - (elapsed - (since?.at ?? 0))
    if (rest > 0) left[field] = { from: state[field] as number, to, over: rest }
  }
  return left
}

/**
 * A model that a given resource may have: one that its key may use, so that further calls can start from it.
 */
export function givenModel(
  usual: string,
  catalog: NonNullable<EndpointGroup['catalog']>,
  key: string,
  settings: Settings,
): string {
  const models =
    settings.keys !== undefined && Object.hasOwn(settings.keys, key) ? settings.keys[key]?.models : undefined
  const known = [usual, ...(settings.models[catalog] ?? []), ...(models ?? [])].filter(
    (model) => !model.endsWith('*'),
  )
  return (
    known.find((model) => modelAccess(model, { value: key, models }, catalog, settings) === 'ok') ?? usual
  )
}

/** Chance of one given resource: the same in every run, another one for each of a kind. */
export function givenRandom(kind: string, world: World): Random {
  return randomFrom(`given ${kind} ${world.store.list(kind).length} of ${world.seed}`)
}

const holding = (fields: Readonly<Record<string, unknown>>): boolean => Object.keys(fields).length > 0
