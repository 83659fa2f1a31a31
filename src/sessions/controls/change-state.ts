/** Changes a resource of a session: finishes it, makes it vanish, or sets its fields. */
import * as z from 'zod'
import { ageOf, type Resource, stateOf } from '../../engine/resource.ts'
import { fold, type TimelineEntry } from '../../engine/timeline.ts'
import type { World } from '../../engine/world.ts'
import { ApiError } from '../../protocol/errors.ts'
import { findings } from '../../protocol/findings.ts'
import { safeParse } from '../../protocol/safe-parse.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { invalid } from '../../protocol/validate.ts'
import { findResource, type ResourceState, resourceAt } from './resource-state.ts'

/**
 * An immediate change of a resource: one of `finish`, `gone`, and changes of fields (`set`, `unset` and
 * `default`, together or alone).
 */
export interface StateChange {
  /** Moves it to the end of its timeline, whether it succeeds or fails there. */
  readonly finish?: boolean | undefined
  /** Makes it unknown to clients: they get 404 from now on. `false` brings it back. */
  readonly gone?: boolean | undefined
  /** Fields to set, named as in scenario files: `{ status: 'failed', error: { … } }`. */
  readonly set?: Readonly<Record<string, unknown>> | undefined
  /** Fields that replies do not have from now on. */
  readonly unset?: readonly string[] | undefined
  /** Fields to reset to their defaults. */
  readonly default?: readonly string[] | undefined
  /** Whether the rest of its timeline still happens. By default it is dropped. */
  readonly goOn?: boolean | undefined
  /** Allows values that break the contract. */
  readonly offContract?: boolean | undefined
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
  const resource = findResource(world, id)
  const now = world.clock.now()
  const { finish = false, gone, set, unset, default: reset } = change
  const fields = [set, unset, reset].some((part) => part !== undefined)
  if ([finish, gone !== undefined, fields].filter(Boolean).length !== 1)
    throw new ApiError(
      'invalid_request_error',
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
    throw new ApiError(
      'invalid_request_error',
      [
        `Nothing more happens to ${resource.kind} ${resource.id} by itself, so there is nothing to`,
        'finish: set a status (`set: { status: … }`).',
      ].join(' '),
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
  store.append(resource, {
    at: age,
    patch,
    ...(reset.length === 0 ? {} : { default: reset }),
    ...(unset.length === 0 ? {} : { unset }),
    ...(gone ? { gone } : {}),
  })
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
  const entry: TimelineEntry = {
    at,
    ...(Object.keys(fields).length === 0 ? {} : { patch: fields }),
    ...(unset === undefined ? {} : { unset }),
    ...(reset === undefined ? {} : { default: reset }),
    ...(gone === true ? { gone } : {}),
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
      `A ${resource.kind} has no state to set: only \`gone: true\` is possible.`,
      { param: 'set' },
    )
  if (Object.keys(set).length === 0) return {}
  if (offContract) return kind.patch(set)
  const result = safeParse(z.strictObject(kind.entry.shape), set)
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
