/** Shared code of asynchronous resources: image jobs, videos, operations. */
import type { Random } from '../../engine/random.ts'
import { ageOf, type Resource, stateOf } from '../../engine/resource.ts'
import type { Sandbox } from '../../engine/sandbox.ts'
import { type FoldedState, fold, nextEntryAt } from '../../engine/timeline.ts'
import type { PlainResponse } from '../../protocol/response.ts'

/**
 * The state for a poll. With the `auto` clock, the first poll shows the state after submission, and a later
 * poll that would see no change advances only this resource to its next change.
 */
export function poll(resource: Resource, sandbox: Sandbox, now: number): FoldedState {
  sandbox.store.countPoll(resource, now)
  let state = stateOf(resource, now)
  if (sandbox.clock.mode === 'auto') {
    let text = textOf(state)
    const next =
      text === resource.lastShown ? nextEntryAt(resource.timeline, ageOf(resource, now)) : undefined
    if (next !== undefined) {
      sandbox.store.skipAhead(resource, next - ageOf(resource, now), now)
      state = stateOf(resource, now)
      text = textOf(state)
    }
    resource.lastShown = text
  }
  sandbox.store.transitions.record(resource, 'seen')
  return state
}

/**
 * An id that no resource of the session has: a repeated request counts as a first one once its count has been
 * evicted.
 */
export function freshId(
  kind: string,
  sandbox: Sandbox,
  identity: Random,
  mint: (identity: Random) => string,
): string {
  for (let attempt = 0; ; attempt++) {
    const id = mint(attempt === 0 ? identity : identity.fork(`attempt ${attempt}`))
    if (sandbox.store.find(kind, id) === undefined) return id
  }
}

/** The owner of resources that belong to every key: given ones, when the account has no keys. */
export const everyKey = '*'

/** Whether an API key may see a resource: its own, or one of every key. */
export function isOwnedBy({ owner }: Resource, key: string): boolean {
  return owner === key || owner === everyKey
}

/** The present of this resource: the session's clock plus the resource's own skip. */
export function localNow(resource: Resource, now: number): number {
  return now + resource.skip
}

/** The birth of a resource made from another one: it inherits its source's skip, to live in the same time. */
export function birthFrom(source: Resource, now: number): { readonly bornAt: number; readonly skip: number } {
  return { bornAt: localNow(source, now), skip: source.skip }
}

/** The milliseconds until `ended` is true for a resource's state, or undefined if never. */
function timeToEnd(
  resource: Resource,
  now: number,
  ended: (seen: FoldedState) => boolean,
): number | undefined {
  const age = ageOf(resource, now)
  for (let at: number | undefined = age; at !== undefined; at = nextEntryAt(resource.timeline, at)) {
    if (ended(fold(resource.timeline, at))) return at - age
  }
  return undefined
}

/** The resource that ends first by the session's clock, and in how many milliseconds. */
export function earliestEnd(
  active: readonly Resource[],
  now: number,
  ended: (seen: FoldedState) => boolean,
): { readonly resource: Resource; readonly inMs: number } | undefined {
  let earliest: { resource: Resource; inMs: number } | undefined
  for (const resource of active) {
    const inMs = timeToEnd(resource, now, ended)
    if (inMs !== undefined && (earliest === undefined || inMs < earliest.inMs)) earliest = { resource, inMs }
  }
  return earliest
}

/** With the `auto` clock, advances a resource by the wait in a rejection. */
export function skipWait(resource: Resource, sandbox: Sandbox, ms: number, now: number): void {
  if (sandbox.clock.mode === 'auto') sandbox.store.skipAhead(resource, ms, now)
}

/**
 * The response, marked if one of its resources violates the contract on purpose or lacks mandatory fields.
 */
export function markOffContract(response: PlainResponse, ...resources: readonly Resource[]): PlainResponse {
  return resources.some(
    ({ offContract, timeline }) => offContract === true || timeline.some(({ unset }) => unset !== undefined),
  )
    ? { ...response, offContract: true }
    : response
}

/**
 * A body without the fields that the timeline removes. `paths` has their paths, if they differ from their
 * names.
 */
export function withoutUnset<Body extends object>(
  body: Body,
  unset: readonly string[],
  paths: Readonly<Record<string, string>> = {},
): Body {
  if (unset.length === 0) return body
  const shown = { ...body } as Record<string, unknown>
  for (const name of unset) {
    // A name may equal an inherited member of objects.
    const path = ((Object.hasOwn(paths, name) ? paths[name] : undefined) ?? name).split('.')
    const last = path.pop() as string
    let holder: Record<string, unknown> | undefined = shown
    for (const part of path) {
      const inner: unknown = holder?.[part]
      const copy: Record<string, unknown> | undefined =
        inner !== null && typeof inner === 'object' ? { ...inner } : undefined
      if (holder !== undefined && copy !== undefined) holder[part] = copy
      holder = copy
    }
    delete holder?.[last]
  }
  return shown as Body
}

const textOf = (seen: FoldedState): string => JSON.stringify([seen.notFound, seen.state, seen.unset])
