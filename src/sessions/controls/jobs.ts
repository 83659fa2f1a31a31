/** `jobs`: lists, shows and changes the jobs, videos and operations of a session. */

import * as z from 'zod'
import { defined } from '../../engine/fields.ts'
import { redactKey } from '../../engine/redact.ts'
import { ageOf, isFinished, type Resource, stateOf } from '../../engine/resource.ts'
import { evictedClause, type Sandbox } from '../../engine/sandbox.ts'
import { fold, nextEntryAt } from '../../engine/timeline.ts'
import type { JobChange, JobList, JobState } from '../../generated/control-types.ts'
import { ApiError } from '../../protocol/errors.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { fieldErrors } from '../../protocol/field-errors.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { invalid } from '../../protocol/validate.ts'
import { clip } from '../../protocol/wording.ts'
import { wrongRequest } from '../session-errors.ts'
import type { Implementations } from './control.ts'
import { flag, instant, int, text } from './fields.ts'
import type { controls } from './table.ts'

const kinds = '`imageJob`, `video`, `videoOperation`, or `images` (a response with image URLs)'

/** @internal */
export const jobSchema = () =>
  z.strictObject({
    kind: text(`The kind of job, as in \`fired\` of an advance: ${kinds}.`),
    id: text('The id.'),
    owner: text('The API key that created the job, shortened. `*` if every API key can read the job.'),
    bornAt: instant('The time of creation.'),
    state: z
      .record(z.string(), z.unknown())
      .describe('The current fields, as stored by the simulator. The status of an image job is a number.'),
    notFound: flag('Whether requests for the job get a 404.'),
    finished: flag('Whether the timeline has ended.'),
    next: z.iso.datetime().nullable().describe('The virtual time of the next change; null if there is none.'),
    timeline: z
      .array(
        z.strictObject({
          at: instant('The virtual time of the change.'),
          status: z.unknown().describe('The status after the change; null if the timeline does not set it.'),
          notFound: flag('Whether requests for the job get a 404 after the change.'),
          past: flag('Whether the change has happened.'),
        }),
      )
      .describe('All changes, past and future, in chronological order.'),
  })

/** The jobs in order of creation. @internal */
export function listJobs({ store, clock, memory }: Sandbox): JobList {
  const all = store.all().toSorted((a, b) => a.order - b.order)
  return { evicted: memory.evicted, jobs: all.map((job) => jobAt(job, clock.now())) }
}

/** The job of an id. Throws `ApiError` (404). @internal */
function findJob(sandbox: Sandbox, id: string): Resource {
  const resource = sandbox.store.all().find((one) => one.id === id)
  if (resource === undefined)
    throw new ApiError(
      'not_found_error',
      `There is no job ${JSON.stringify(clip(id, 80))} in the session "${sandbox.name}": list the existing ` +
        `ids with jobs.list() (GET /__sim/jobs)${evictedClause(sandbox)}.`,
      { param: 'id' },
    )
  return resource
}

/** What a job shows at a time. @internal */
function jobAt(resource: Resource, now: number): JobState {
  const { state, unset, notFound } = stateOf(resource, now)
  const age = ageOf(resource, now)
  const next = nextEntryAt(resource.timeline, age)
  return {
    kind: resource.kind,
    id: resource.id,
    owner: resource.owner === '*' ? '*' : redactKey(resource.owner),
    bornAt: new Date(resource.bornAt).toISOString(),
    state: Object.fromEntries(Object.entries(state).filter(([name]) => !unset.includes(name))),
    notFound,
    finished: isFinished(resource, now),
    next: next === undefined ? null : new Date(now + next - age).toISOString(),
    timeline: timelineOf(resource, age),
  }
}

function timelineOf({ bornAt, skip, timeline }: Resource, age: number): JobState['timeline'] {
  return timeline.map(({ at }, index) => {
    const { state, notFound } = fold(timeline.slice(0, index + 1), at)
    const time = new Date(Math.max(bornAt, bornAt + at - skip)).toISOString()
    return { at: time, status: state['status'] ?? null, notFound, past: at <= age }
  })
}

/**
 * Changes a job from now on, in the job's own time. Throws `ApiError`: 404 for an unknown id, 400 for an
 * invalid change, 409 if nothing is left to finish. @internal
 */
function changeJob(
  sandbox: Sandbox,
  id: string,
  change: JobChange,
  kinds: readonly ScriptedKind[],
): JobState {
  const resource = findJob(sandbox, id)
  const now = sandbox.clock.now()
  const { finished = false, notFound, set } = change
  if ([finished, notFound !== undefined, set !== undefined].filter(Boolean).length !== 1)
    throw wrongRequest('Expected `finished: true`, `notFound` or `set`, but only one of these.')
  if (finished) finishNow(resource, sandbox, now)
  else
    append(
      resource,
      sandbox,
      change,
      kinds.find((one) => one.resource === resource.kind),
    )
  return jobAt(resource, now)
}

// The rest of the timeline happens now: a job ahead of its clock would otherwise report a completion in the
// future.
function finishNow(resource: Resource, { store }: Sandbox, now: number): void {
  const age = ageOf(resource, now)
  const coming = [...resource.timeline.filter(({ at }) => at > age), ...resource.onPoll]
  if (coming.length === 0)
    throw wrongRequest(
      `The timeline of ${resource.kind} ${resource.id} has already ended: ` +
        'set a status instead (`set: { status: … }`).',
      { status: 409 },
    )
  const { state, unset, notFound } = fold([...resource.timeline, ...resource.onPoll], Infinity)
  // Every ramp has reached its end, whichever entry started it.
  const changed = new Set([
    ...coming.flatMap((entry) => [...Object.keys(entry.patch ?? {}), ...(entry.reset ?? [])]),
    ...resource.timeline.flatMap(({ ramps }) => Object.keys(ramps ?? {})),
  ])
  const patch = Object.fromEntries(
    [...changed].filter((name) => name in state).map((name) => [name, state[name]]),
  )
  const reset = [...changed].filter((name) => !(name in state))
  store.dropEntriesAfter(resource, age)
  store.append(resource, { at: age, patch, reset, unset, ...(notFound ? { notFound } : {}) })
}

function append(
  resource: Resource,
  { store, clock }: Sandbox,
  change: JobChange,
  kind: ScriptedKind | undefined,
): void {
  const { notFound } = change
  const now = clock.now()
  const at = ageOf(resource, now)
  const { state } = stateOf(resource, now)
  const fields = notFound === undefined ? patchOf(resource, change, kind, state) : {}
  // Fields on a ramp keep their current value.
  const moving = new Set(resource.timeline.flatMap(({ ramps }) => Object.keys(ramps ?? {})))
  const still = Object.fromEntries(
    [...moving].filter((name) => name in state).map((name) => [name, state[name]]),
  )
  store.dropEntriesAfter(resource, at)
  if (Object.keys(still).length > 0) store.append(resource, { at, patch: still })
  const patch = Object.keys(fields).length === 0 ? undefined : fields
  store.append(resource, { at, ...defined({ patch, notFound: notFound || undefined }) })
}

function patchOf(
  resource: Resource,
  { set = {} }: JobChange,
  kind: ScriptedKind | undefined,
  state: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (kind === undefined)
    throw wrongRequest(`A ${resource.kind} has no fields to set: only \`notFound: true\` is possible.`, {
      param: 'set',
    })
  if (Object.keys(set).length === 0) return {}
  const result = safeParse(z.strictObject(kind.entry().shape), set)
  if (!result.success)
    throw invalid(
      fieldErrors(result.error, set).map((error) => ({
        ...error,
        field: error.field === '' ? 'set' : `set.${error.field}`,
      })),
      undefined,
    )
  const patch = kind.patch(result.data)
  return { ...kind.follows(patch, state), ...patch }
}

/** @internal */
export const jobListSchema = () =>
  z.strictObject({
    evicted: int('How much the session had to drop since its start or reset: the oldest first.'),
    jobs: z.array(jobSchema()).describe('The jobs.'),
  })

/** @internal */
export const changeSchema = () =>
  z.strictObject({
    finished: flag('Skips to the end of the timeline, where the job succeeds or fails.').optional(),
    notFound: flag(
      '`true`: requests for the job get a 404 from now on. `false`: the job is restored.',
    ).optional(),
    set: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Fields to set, named as in a scenario timeline: `{ "status": "failed" }`.'),
  })

/** @internal */
export const jobs: Implementations<(typeof controls)['jobs']> = {
  list: {
    act: ({ session }) => listJobs(session.sandbox),
    endpoint: {
      operation: 'sim.listJobs',
      summary: 'List the jobs of the session, in order of creation',
      response: jobListSchema,
    },
  },
  get: {
    act: ({ session: { sandbox } }, id) => jobAt(findJob(sandbox, id), sandbox.clock.now()),
    endpoint: {
      operation: 'sim.getJob',
      tail: true,
      summary: 'Get the current state of a job',
      response: jobSchema,
    },
  },
  change: {
    act: ({ session, parts }, id, change) => changeJob(session.sandbox, id, change, parts.vocabulary.kinds),
    endpoint: {
      operation: 'sim.changeJob',
      tail: true,
      summary: 'Change a job: finish it, make requests for it get a 404, or set its fields',
      body: changeSchema,
      response: jobSchema,
    },
  },
}
