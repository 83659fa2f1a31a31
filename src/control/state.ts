/**
 * What lives in one session (jobs, videos, operations), looked at and changed from outside. The same for the
 * library and the control API.
 */
import * as z from 'zod'
import { redactKey } from '../engine/redact.ts'
import { ageOf, isFinished, type Resource, stateOf } from '../engine/resource.ts'
import { fold, nextEntryAt, type TimelineEntry } from '../engine/timeline.ts'
import type { World } from '../engine/world.ts'
import { ApiError } from '../protocol/errors.ts'
import { findings } from '../protocol/findings.ts'
import type { ScriptedKind } from '../protocol/scripted.ts'
import { invalid } from '../protocol/validate.ts'
import { clip } from '../protocol/wording.ts'

/** A resource at an instant. */
export interface ResourceState {
  /** `imageJob`, `video`, `operation`, … as in what an advance fires. */
  readonly kind: string
  readonly id: string
  /** The API key that made it, shortened; `*` where it belongs to every key. */
  readonly owner: string
  /** ISO 8601. */
  readonly bornAt: string
  /**
   * What its timeline says at this instant, in the simulator's own words (the status of an image job is a
   * number).
   */
  readonly state: Readonly<Record<string, unknown>>
  /** Whether clients are told that there is no such thing. */
  readonly gone: boolean
  /** Whether nothing more will happen to it by itself. */
  readonly ended: boolean
  /** When it changes next by the session's clock, ISO 8601; null when it does not. */
  readonly next: string | null
}

/** @internal */
export const resourceSchema = z.strictObject({
  kind: z.string().describe('`imageJob`, `video`, `operation`, … as in what an advance fires.'),
  id: z.string().describe('Its id.'),
  owner: z.string().describe('The API key that made it, shortened; `*` where it belongs to every key.'),
  bornAt: z.iso.datetime().describe('When it was made.'),
  state: z
    .record(z.string(), z.unknown())
    .describe('What its timeline says at this instant. The status of an image job is a number.'),
  gone: z.boolean().describe('Whether clients are told that there is no such thing.'),
  ended: z.boolean().describe('Whether nothing more will happen to it by itself.'),
  next: z.iso
    .datetime()
    .nullable()
    .describe("When it changes next by the session's clock; null when it does not."),
})

/** Which resources. */
export interface StateQuery {
  readonly kind?: string | undefined
  /** By id, the first one after this one. */
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

/** How a resource is changed, now. One of `finish`, `gone` and `set` (with or without `unset`). */
export interface StateChange {
  /** To the end of what would happen to it anyway: finished, failed, as its timeline has it. */
  readonly finish?: boolean | undefined
  /** From now on clients are told that there is no such thing. */
  readonly gone?: boolean | undefined
  /** Fields in the words of scenario files: `{ status: 'failed', error: { … } }`. */
  readonly set?: Readonly<Record<string, unknown>> | undefined
  /** Fields that are taken away. */
  readonly unset?: readonly string[] | undefined
  /** Lets the rest of its timeline happen all the same. What was to come is dropped when left out. */
  readonly goOn?: boolean | undefined
  /** Sets what the contract does not allow, on purpose. */
  readonly offContract?: boolean | undefined
}

const page = 1000

/** A page of resources in the order in which they were made. @internal */
export function listState(
  { store, clock }: World,
  { kind, after, limit = page }: StateQuery = {},
): { readonly total: number; readonly more: number; readonly resources: readonly ResourceState[] } {
  const all = store
    .all()
    .filter((resource) => kind === undefined || resource.kind === kind)
    .sort((a, b) => a.order - b.order)
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && from === 0)
    throw new ApiError(
      'invalid_request_error',
      `\`after\`: expected the id of a resource of this list, got ${JSON.stringify(clip(after, 80))}.`,
      { param: 'after' },
    )
  const shown = all.slice(from, from + limit)
  return {
    total: all.length,
    more: all.length - from - shown.length,
    resources: shown.map((resource) => shownAt(resource, clock.now())),
  }
}

/** One resource. Throws `ApiError` (404) for an unknown id. @internal */
export function readState(world: World, id: string): ResourceState {
  return shownAt(find(world, id), world.clock.now())
}

/**
 * Changes a resource from this instant on, by the resource's own time. Throws `ApiError`: 404 for an unknown
 * id, 400 for a change that cannot be, 409 where there is nothing to finish. @internal
 */
export function changeState(
  world: World,
  id: string,
  change: StateChange,
  kinds: readonly ScriptedKind[],
): ResourceState {
  const resource = find(world, id)
  const now = world.clock.now()
  const { finish = false, gone = false, set, unset } = change
  if ([finish, gone, set !== undefined || unset !== undefined].filter(Boolean).length !== 1)
    throw new ApiError(
      'invalid_request_error',
      'Expected exactly one of `finish: true`, `gone: true` and `set` (with or without `unset`).',
    )
  if (finish) finishNow(resource, world, now)
  else append(resource, world, now, change, kinds)
  return shownAt(resource, now)
}

// What is still to come happens at this instant: a resource that ran ahead of its clock would say that it was
// completed in the future.
function finishNow(resource: Resource, { store }: World, now: number): void {
  const age = ageOf(resource, now)
  const coming = resource.timeline.filter(({ at }) => at > age)
  if (coming.length === 0)
    throw new ApiError(
      'invalid_request_error',
      `Nothing more happens to ${resource.kind} ${resource.id} by itself, so there is nothing to finish: set a status (\`set: { status: … }\`).`,
      { status: 409 },
    )
  const { state, gone } = fold(resource.timeline, Infinity)
  // What moves along a ramp has come to its end, whichever entry began it.
  const changed = new Set([
    ...coming.flatMap(({ patch, unset }) => [...Object.keys(patch ?? {}), ...(unset ?? [])]),
    ...resource.timeline.flatMap(({ ramps }) => Object.keys(ramps ?? {})),
  ])
  const patch = Object.fromEntries(
    [...changed].filter((name) => name in state).map((name) => [name, state[name]]),
  )
  const unset = [...changed].filter((name) => !(name in state))
  store.dropEntriesAfter(resource, age)
  store.append(resource, {
    at: age,
    patch,
    ...(unset.length === 0 ? {} : { unset }),
    ...(gone ? { gone } : {}),
  })
}

function append(
  resource: Resource,
  { store }: World,
  now: number,
  { gone, set = {}, unset, goOn = false, offContract = false }: StateChange,
  kinds: readonly ScriptedKind[],
): void {
  const at = ageOf(resource, now)
  const fields = gone === true ? {} : patchOf(resource, set, offContract, kinds, stateOf(resource, now).state)
  if (!goOn) {
    // What moves along a ramp stays where it is.
    const moving = new Set(resource.timeline.flatMap(({ ramps }) => Object.keys(ramps ?? {})))
    const { state } = stateOf(resource, now)
    const still = Object.fromEntries(
      [...moving].filter((name) => name in state).map((name) => [name, state[name]]),
    )
    store.dropEntriesAfter(resource, at)
    if (Object.keys(still).length > 0) store.append(resource, { at, patch: still })
  }
  const entry: TimelineEntry = {
    at,
    ...(Object.keys(fields).length === 0 ? {} : { patch: fields }),
    ...(unset === undefined ? {} : { unset }),
    ...(gone === true ? { gone: true } : {}),
  }
  store.append(resource, entry)
}

function patchOf(
  resource: Resource,
  set: Readonly<Record<string, unknown>>,
  offContract: boolean,
  kinds: readonly ScriptedKind[],
  state: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const kind = kinds.find((one) => one.resource === resource.kind)
  if (kind === undefined)
    throw new ApiError(
      'invalid_request_error',
      `A ${resource.kind} has no state that could be set: only \`gone: true\` is possible.`,
      { param: 'set' },
    )
  if (Object.keys(set).length === 0) return {}
  if (offContract) return kind.patch(set)
  const result = z.strictObject(kind.entry.shape).safeParse(set)
  if (!result.success)
    throw invalid(
      findings(result.error, set).map((finding) => ({
        ...finding,
        field: finding.field === '' ? 'set' : `set.${finding.field}`,
      })),
      undefined,
    )
  const said = kind.patch(result.data)
  return { ...kind.follows(said, state), ...said }
}

function find({ store, name }: World, id: string): Resource {
  const found = store.all().filter((resource) => resource.id === id)
  const [resource] = found
  if (resource === undefined)
    throw new ApiError(
      'not_found_error',
      `There is no job, video or operation ${JSON.stringify(clip(id, 80))} in the session "${name}": GET /__sim/state lists what there is.`,
      { param: 'id' },
    )
  return resource
}

function shownAt(resource: Resource, now: number): ResourceState {
  const { state, gone } = stateOf(resource, now)
  const age = ageOf(resource, now)
  const next = nextEntryAt(resource.timeline, age)
  return {
    kind: resource.kind,
    id: resource.id,
    owner: resource.owner === '*' ? '*' : redactKey(resource.owner),
    bornAt: new Date(resource.bornAt).toISOString(),
    state,
    gone,
    ended: isFinished(resource, now),
    next: next === undefined ? null : new Date(now + next - age).toISOString(),
  }
}
