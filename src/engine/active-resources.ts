/** The resources of each kind and owner that may not have ended yet. */
import { isFinished, type Resource, stateOf } from './resource.ts'
import type { FoldedState } from './timeline.ts'

export class ActiveResources {
  readonly #byOwner = new Map<string, Set<Resource>>()

  add(resource: Resource): void {
    const key = ownerKey(resource.kind, resource.owner)
    const resources = this.#byOwner.get(key) ?? new Set<Resource>()
    this.#byOwner.set(key, resources)
    resources.add(resource)
  }

  remove(resource: Resource): void {
    const key = ownerKey(resource.kind, resource.owner)
    const resources = this.#byOwner.get(key)
    resources?.delete(resource)
    if (resources?.size === 0) this.#byOwner.delete(key)
  }

  list(kind: string, owner: string, now: number, hasEnded: (state: FoldedState) => boolean): Resource[] {
    const active: Resource[] = []
    for (const resource of this.#byOwner.get(ownerKey(kind, owner)) ?? []) {
      if (!hasEnded(stateOf(resource, now))) active.push(resource)
      // Nothing will change it again, so it need not be checked a second time.
      else if (isFinished(resource, now)) this.remove(resource)
    }
    return active
  }

  /** How many there are of each kind to which something is still to happen. Looks at each. */
  countByKind(now: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const resources of this.#byOwner.values())
      for (const resource of resources)
        if (!isFinished(resource, now)) counts.set(resource.kind, (counts.get(resource.kind) ?? 0) + 1)
    return counts
  }

  /** An upper bound of what `list` returns, without checking any of them. */
  count(kind: string, owner: string): number {
    return this.#byOwner.get(ownerKey(kind, owner))?.size ?? 0
  }
}

const ownerKey = (kind: string, owner: string): string => `${kind} ${owner}`
