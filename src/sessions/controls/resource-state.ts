/** The resources of a session (jobs, videos, operations) as they are at an instant. */
import * as z from 'zod'
import type { ForgottenCounts } from '../../engine/forgotten.ts'
import { redactKey } from '../../engine/redact.ts'
import { ageOf, isFinished, type Resource, stateOf } from '../../engine/resource.ts'
import { nextEntryAt } from '../../engine/timeline.ts'
import type { World } from '../../engine/world.ts'
import { ApiError } from '../../protocol/errors.ts'
import { clip } from '../../protocol/wording.ts'

/** A resource as it is now. */
export interface ResourceState {
  /** The kind of resource, as in `fired` of an advance: `imageJob`, `video`, `operation`, … */
  readonly kind: string
  readonly id: string
  /** The API key that created it, shortened; `*` if every key may read it. */
  readonly owner: string
  /** ISO 8601. */
  /** When it was created, ISO 8601. */
  readonly bornAt: string
  /** Its current state in the simulator's own terms (the status of an image job is a number). */
  readonly state: Readonly<Record<string, unknown>>
  /** Whether clients get 404 for it. */
  readonly gone: boolean
  /** Whether its timeline has ended. */
  readonly ended: boolean
  /** When it changes next by the session's clock, ISO 8601; null if it does not. */
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
  gone: z.boolean().describe('Whether clients get 404 for it.'),
  ended: z.boolean().describe('Whether nothing more will happen to it by itself.'),
  next: z.iso
    .datetime()
    .nullable()
    .describe("When it changes next by the session's clock; null when it does not."),
})

/** Selects resources. */
export interface StateQuery {
  /** The kind of resource: `video`. Default: all. */
  readonly kind?: string | undefined
  /** The id of the last resource of the previous page. */
  readonly after?: string | undefined
  /** The maximum number of resources on the page. */
  readonly limit?: number | undefined
}

/** A page of resources. */
export interface StatePage {
  /** The total number of resources. */
  readonly total: number
  /** How many more resources follow this page. */
  readonly more: number
  /** What the session has dropped because a bound was reached, by kind (docs/settings.md). */
  readonly forgotten: ForgottenCounts
  readonly resources: readonly ResourceState[]
}

const page = 1000

/** A page of resources in the order in which they were made. @internal */
export function listState(
  { store, clock, forgotten }: World,
  { kind, after, limit = page }: StateQuery = {},
): StatePage {
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
    forgotten: forgotten.counts,
    resources: shown.map((resource) => resourceAt(resource, clock.now())),
  }
}

/** One resource. Throws `ApiError` (404) for an unknown id. @internal */
export function readState(world: World, id: string): ResourceState {
  return resourceAt(findResource(world, id), world.clock.now())
}

/** The resource of an id. Throws `ApiError` (404). @internal */
export function findResource({ store, name }: World, id: string): Resource {
  const found = store.all().filter((resource) => resource.id === id)
  const [resource] = found
  if (resource === undefined)
    throw new ApiError(
      'not_found_error',
      (store.wasDropped(id)
        ? [
            `The job, video or operation ${JSON.stringify(clip(id, 80))} was dropped: the session "${name}"`,
            `keeps ${store.capacity} of them, the oldest finished ones go first (setting memory.resources).`,
          ]
        : [
            `There is no job, video or operation ${JSON.stringify(clip(id, 80))} in the session`,
            `"${name}": state.list() (GET /__sim/state) lists them all.`,
          ]
      ).join(' '),
      { param: 'id' },
    )
  return resource
}

/** What a resource shows at an instant. @internal */
export function resourceAt(resource: Resource, now: number): ResourceState {
  const { state, unset, gone } = stateOf(resource, now)
  const age = ageOf(resource, now)
  const next = nextEntryAt(resource.timeline, age)
  return {
    kind: resource.kind,
    id: resource.id,
    owner: resource.owner === '*' ? '*' : redactKey(resource.owner),
    bornAt: new Date(resource.bornAt).toISOString(),
    state: Object.fromEntries(Object.entries(state).filter(([name]) => !unset.includes(name))),
    gone,
    ended: isFinished(resource, now),
    next: next === undefined ? null : new Date(now + next - age).toISOString(),
  }
}
