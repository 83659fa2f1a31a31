/**
 * Which resources a call made, looked at or removed, and what that showed. Costs nothing where nothing is
 * touched.
 */

/** What is noted of a resource. */
export interface TrackedResource {
  readonly kind: string
  readonly id: string
  /** The status that a call has last shown; undefined while none has. */
  lastSeenStatus?: unknown
}

/** One change of a resource as a caller learns of it. */
export interface Transition {
  /** The collection's name: `video`, `imageJob`, `operation`, `file`. */
  readonly resource: string
  readonly id: string
  /** The status when a poll last looked; null when the call made it. */
  readonly from: unknown
  /**
   * The status now; `gone` once it is unknown, `removed` by a call that deletes it, `made` where it has no
   * status.
   */
  readonly to: unknown
}

export interface TransitionLog<Resource extends TrackedResource> {
  record(resource: Resource, how: 'made' | 'seen' | 'removed'): void
  /** The call has put something somewhere that lives in no timeline: a file. */
  recordCreated(kind: string, id: string): void
  /** Forgets what was touched before this call: by nobody, or by what is no call. */
  begin(): void
  /**
   * What the call has touched; undefined when nothing has changed since somebody last looked. `statusOf`
   * reads a status at the call's instant.
   */
  end(statusOf: (resource: Resource) => unknown): readonly Transition[] | undefined
}

/** Touches of one store. */
export function createTransitionLog<Resource extends TrackedResource>(): TransitionLog<Resource> {
  const put: Transition[] = []
  const noted: { readonly resource: Resource; readonly how: 'made' | 'seen' | 'removed' }[] = []
  return {
    record(resource, how) {
      noted.push({ resource, how })
    },
    recordCreated: (resource, id) => void put.push({ resource, id, from: null, to: 'made' }),
    begin() {
      if (noted.length > 0) noted.length = 0
      if (put.length > 0) put.length = 0
    },
    end(statusOf) {
      if (noted.length === 0 && put.length === 0) return undefined
      let found: Transition[] | undefined = put.length === 0 ? undefined : put.splice(0)
      for (const { resource, how } of noted) {
        const { kind, id, lastSeenStatus } = resource
        const status = statusOf(resource)
        const to = how === 'removed' ? 'removed' : how === 'made' ? (status ?? 'made') : status
        resource.lastSeenStatus = to
        // What was there at the beginning has changed for nobody when it is first looked at.
        if (how === 'seen' && (lastSeenStatus === undefined || lastSeenStatus === to)) continue
        ;(found ??= []).push({
          resource: kind,
          id,
          from: how === 'made' ? null : (lastSeenStatus ?? null),
          to,
        })
      }
      noted.length = 0
      return found
    },
  }
}
