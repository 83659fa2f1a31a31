/** `state`: the jobs, videos and operations of a session, looked at and changed from outside. */

import * as z from 'zod'
import { defined, lazy } from '../../engine/fields.ts'
import { redactKey } from '../../engine/redact.ts'
import { ageOf, isFinished, type Resource, stateOf } from '../../engine/resource.ts'
import { fold, nextEntryAt } from '../../engine/timeline.ts'
import type { World } from '../../engine/world.ts'
import type { ResourceState, StateChange, StatePage, StateQuery } from '../../generated/control-types.ts'
import { ApiError } from '../../protocol/errors.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { findings } from '../../protocol/findings.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { invalid } from '../../protocol/validate.ts'
import { clip } from '../../protocol/wording.ts'
import { forgottenSchema } from '../bounds.ts'
import { wrongField, wrongRequest } from '../session-errors.ts'
import type { Implementations } from './control.ts'
import type { controls } from './table.ts'

/** @internal */
export const resourceSchema = lazy(() =>
  z.strictObject({
    kind: z
      .string()
      .describe('The kind of resource, as in `fired` of an advance: `imageJob`, `video`, `operation`, …'),
    id: z.string().describe('Its id.'),
    owner: z.string().describe('The API key that created it, shortened; `*` if every key may read it.'),
    bornAt: z.iso.datetime().describe('When it was created.'),
    state: z
      .record(z.string(), z.unknown())
      .describe("Its current state in the simulator's own terms (the status of an image job is a number)."),
    gone: z.boolean().describe('Whether clients get 404 for it.'),
    ended: z.boolean().describe('Whether its timeline has ended.'),
    next: z.iso
      .datetime()
      .nullable()
      .describe("When it changes next by the session's clock; null if it does not."),
  }),
)

const page = 1000

/** A page of resources in the order in which they were made. @internal */
function listState(
  { store, clock, evictions }: World,
  { kind, after, limit = page }: StateQuery = {},
): StatePage {
  const all = store
    .all()
    .filter((resource) => kind === undefined || resource.kind === kind)
    .sort((a, b) => a.order - b.order)
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && from === 0)
    throw wrongField(
      'after',
      `expected the id of a resource of this list, got ${JSON.stringify(clip(after, 80))}.`,
    )
  const shown = all.slice(from, from + limit)
  return {
    total: all.length,
    more: all.length - from - shown.length,
    forgotten: evictions.counts,
    resources: shown.map((resource) => resourceAt(resource, clock.now())),
  }
}

/** The resource of an id. Throws `ApiError` (404). @internal */
function findResource({ store, name }: World, id: string): Resource {
  const found = store.all().filter((resource) => resource.id === id)
  const [resource] = found
  if (resource === undefined)
    throw new ApiError(
      'not_found_error',
      (store.wasEvicted(id)
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
function resourceAt(resource: Resource, now: number): ResourceState {
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

/**
 * Changes a resource from this instant on, by the resource's own time. Throws `ApiError`: 404 for an unknown
 * id, 400 for a change that cannot be, 409 where there is nothing to finish. @internal
 */
function changeState(
  world: World,
  id: string,
  change: StateChange,
  kinds: readonly ScriptedKind[],
): ResourceState {
  const resource = findResource(world, id)
  const now = world.clock.now()
  const { finish = false, gone, set, unset, default: reset } = change
  const fields = [set, unset, reset].some((part) => part !== undefined)
  if ([finish, gone !== undefined, fields].filter(Boolean).length !== 1)
    throw wrongRequest(
      'Expected exactly one of `finish: true`, `gone` and fields (`set`, `unset`, `default`).',
    )
  if (finish) finishNow(resource, world, now)
  else append(resource, world, now, change, kinds)
  return resourceAt(resource, now)
}

// What is still to come happens at this instant: a resource that ran ahead of its clock would say that it was
// completed in the future.
function finishNow(resource: Resource, { store }: World, now: number): void {
  const age = ageOf(resource, now)
  const coming = [...resource.timeline.filter(({ at }) => at > age), ...resource.onPoll]
  if (coming.length === 0)
    throw wrongRequest(
      `Nothing more happens to ${resource.kind} ${resource.id} by itself, so there is nothing to ` +
        'finish: set a status (`set: { status: … }`).',
      { status: 409 },
    )
  const { state, unset, gone } = fold([...resource.timeline, ...resource.onPoll], Infinity)
  // What moves along a ramp has come to its end, whichever entry began it.
  const changed = new Set([
    ...coming.flatMap((entry) => [...Object.keys(entry.patch ?? {}), ...(entry.default ?? [])]),
    ...resource.timeline.flatMap(({ ramps }) => Object.keys(ramps ?? {})),
  ])
  const patch = Object.fromEntries(
    [...changed].filter((name) => name in state).map((name) => [name, state[name]]),
  )
  const reset = [...changed].filter((name) => !(name in state))
  store.dropEntriesAfter(resource, age)
  store.append(resource, { at: age, patch, default: reset, unset, ...(gone ? { gone } : {}) })
}

function append(
  resource: Resource,
  { store }: World,
  now: number,
  { gone, set = {}, unset, default: reset, goOn = false, offContract = false }: StateChange,
  kinds: readonly ScriptedKind[],
): void {
  const at = ageOf(resource, now)
  const fields =
    gone !== undefined ? {} : patchOf(resource, set, offContract, kinds, stateOf(resource, now).state)
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
  const patch = Object.keys(fields).length === 0 ? undefined : fields
  store.append(resource, { at, ...defined({ patch, unset, default: reset, gone: gone || undefined }) })
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
    throw wrongRequest(`A ${resource.kind} has no state to set: only \`gone: true\` is possible.`, {
      param: 'set',
    })
  if (Object.keys(set).length === 0) return {}
  if (offContract) return kind.patch(set)
  const result = safeParse(z.strictObject(kind.entry().shape), set)
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

/** @internal */
export const pageLimit = lazy(() =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('The maximum number on the page. Default: 1,000.'),
)

/** @internal */
export const querySchema = lazy(() =>
  z.object({
    kind: z
      .string()
      .optional()
      .describe('Only this kind of resource: `imageJob`, `video`, `operation`. Default: all.'),
    after: z.string().optional().describe('The id of the last resource of the previous page.'),
    limit: pageLimit(),
  }),
)

/** @internal */
export const pageSchema = lazy(() =>
  z.strictObject({
    total: z.int().describe('The total number of resources.'),
    more: z.int().describe('How many more resources follow this page.'),
    forgotten: forgottenSchema().describe(
      'What the session has dropped because a bound was reached, by kind (docs/settings.md).',
    ),
    resources: z.array(resourceSchema()).describe('The page.'),
  }),
)

/** @internal */
export const changeSchema = lazy(() =>
  z.strictObject({
    finish: z
      .boolean()
      .optional()
      .describe('Moves it to the end of its timeline, whether it succeeds or fails there.'),
    gone: z
      .boolean()
      .optional()
      .describe('Makes it unknown to clients: they get 404 from now on. `false` brings it back.'),
    set: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Fields to set, named as in scenario files: `{ "status": "failed" }`.'),
    unset: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('Fields that replies do not have from now on.'),
    default: z.array(z.string().min(1)).min(1).optional().describe('Fields to reset to their defaults.'),
    goOn: z
      .boolean()
      .optional()
      .describe('Whether the rest of its timeline still happens. By default it is dropped.'),
    offContract: z.boolean().optional().describe('Allows values that break the contract.'),
  }),
)

/** @internal */
export const state: Implementations<(typeof controls)['state']> = {
  list: {
    act: ({ session }, query) => listState(session.world, query),
    endpoint: {
      operation: 'sim.listState',
      summary: 'The jobs, videos and operations of the session, in the order in which they were made',
      query: querySchema,
      reply: pageSchema,
    },
  },
  get: {
    act: ({ session: { world } }, id) => resourceAt(findResource(world, id), world.clock.now()),
    endpoint: {
      operation: 'sim.readState',
      tail: true,
      summary: 'One job, video or operation as it is now',
      reply: resourceSchema,
    },
  },
  change: {
    act: ({ session, parts }, id, change) => changeState(session.world, id, change, parts.vocabulary.kinds),
    endpoint: {
      operation: 'sim.changeState',
      tail: true,
      summary: 'Changes one from now on: finishes it, makes it vanish, or sets its fields',
      waitsForInFlight: true,
      body: changeSchema,
      reply: resourceSchema,
    },
  },
}
