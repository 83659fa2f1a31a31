/** The sessions that were discarded last, so that a late call hears what became of its own. */
import { BoundedMap } from '../engine/bounded-map.ts'
import { discardedError } from './session-errors.ts'

/** A session that was discarded. */
export interface DiscardedSession {
  readonly name: string
  readonly tag: string
  readonly why: string
  /** Whether it was asked for: then no call may create another in its place. */
  readonly asked: boolean
}

const minRemembered = 10_000

/** What is remembered of discarded sessions. @internal */
export class DiscardedSessions {
  readonly #byName: BoundedMap<DiscardedSession>
  readonly #byTag: BoundedMap<DiscardedSession>

  /** As many are remembered as are kept, and never fewer than 10,000; `onDrop` hears of the others. */
  constructor(kept: number, onDrop: () => void) {
    const count = Math.max(minRemembered, kept)
    this.#byName = new BoundedMap({ count, onEvict: onDrop })
    this.#byTag = new BoundedMap({ count })
  }

  add(session: DiscardedSession): void {
    this.#byName.set(session.name, session)
    this.#byTag.set(session.tag, session)
  }

  get(name: string): DiscardedSession | undefined {
    return this.#byName.get(name)
  }

  /** Forgets the one of a name, which may be used again. */
  delete(name: string): void {
    this.#byName.delete(name)
  }

  /** Throws for a tag whose session was discarded. */
  refuseTag(tag: string): void {
    const session = this.#byTag.get(tag)
    if (session !== undefined) throw discardedError(session)
  }

  /** Forgets the one whose tag belongs to a session again. */
  deleteTag(tag: string): void {
    this.#byTag.delete(tag)
  }

  clear(): void {
    this.#byName.clear()
    this.#byTag.clear()
  }
}
