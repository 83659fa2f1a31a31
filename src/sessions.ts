/**
 * The sessions of one simulator: which one a call belongs to (DESIGN section 5), made on first use, bounded in number.
 * Knows nothing of what happens inside a session.
 */
import { sessionTag, tagIn } from './engine/ids.ts'
import type { World } from './engine/world.ts'
import type { IncomingCall } from './protocol/call.ts'
import type { Endpoint } from './protocol/endpoint.ts'
import { ApiError } from './protocol/errors.ts'

/** One session and what the doors hold open in it. */
export interface Session {
  world: World
  /** Ends the open streams of this session; each door adds its own. */
  readonly open: Set<(reason: Error) => void>
}

export interface Sessions {
  /** The session a call names, made when it is new. Throws 400 for a name that cannot be one. */
  resolve(call: IncomingCall, key: string | undefined, endpoint: Endpoint | undefined, params: Readonly<Record<string, string>>): Session
  get(name: string): Session
  find(name: string): Session | undefined
  findByTag(tag: string): Session | undefined
  all(): readonly Session[]
  /** Puts the session back to its beginning; its open streams end with an error that says so. */
  reset(name: string): Session
  clear(reason: Error): void
}

export const defaultSession = 'default'
const namePattern = /^[A-Za-z0-9._-]{1,64}$/
const keyPattern = /^sk-sim-([a-z0-9]{1,32})-/

/** A registry of at most `limit` sessions; `create` makes the world of a new one. */
export function createSessions(limit: number, create: (name: string, tag: string) => World): Sessions {
  const byName = new Map<string, Session>()
  const byTag = new Map<string, Session>()

  const freeTag = (name: string): string => {
    for (let attempt = 0; ; attempt++) {
      const tag = sessionTag(name, attempt)
      const taken = byTag.get(tag)
      if (taken === undefined || taken.world.name === name) return tag
    }
  }

  const evict = (): void => {
    if (byName.size < limit) return
    for (const [name, session] of byName) {
      // An open stream pins its session, and the default one is where calls without a name go.
      if (session.open.size > 0 || name === defaultSession) continue
      byName.delete(name)
      byTag.delete(session.world.tag)
      if (byName.size < limit) return
    }
  }

  const get = (name: string): Session => {
    const known = byName.get(name)
    if (known !== undefined) {
      if (name === defaultSession) return known
      // Last use decides what is discarded first.
      byName.delete(name)
      byName.set(name, known)
      return known
    }
    if (!namePattern.test(name)) {
      throw new ApiError('invalid_request_error', `The session name ${JSON.stringify(name.slice(0, 80))} cannot be used: expected 1 to 64 letters, digits, dots, dashes or underscores.`)
    }
    evict()
    const tag = freeTag(name)
    const session: Session = { world: create(name, tag), open: new Set() }
    byName.set(name, session)
    byTag.set(tag, session)
    return session
  }

  const byId = (id: unknown): Session | undefined => {
    if (typeof id !== 'string') return undefined
    const tag = tagIn(id)
    return tag === undefined ? undefined : byTag.get(tag)
  }

  return {
    resolve(call, key, endpoint, params) {
      if (call.session !== undefined) return get(call.session)
      const header = call.headers['x-sim-session']
      if (header !== undefined && header !== '') return get(header)
      const keyed = key === undefined || !key.startsWith('sk-sim-') ? null : keyPattern.exec(key)
      if (keyed !== null) return get(keyed[1] as string)
      for (const name of endpoint?.idsIn?.params ?? []) {
        const found = byId(params[name])
        if (found !== undefined) return found
      }
      if (endpoint?.idsIn?.body !== undefined) {
        for (const value of bodyIds(call, endpoint)) {
          const found = byId(value)
          if (found !== undefined) return found
        }
      }
      return get(defaultSession)
    },
    get,
    find: (name) => byName.get(name),
    findByTag: (tag) => byTag.get(tag),
    all: () => [...byName.values()],
    reset(name) {
      const session = get(name)
      const old = session.world
      session.world = create(name, old.tag)
      end(session, new Error(`the session "${name}" was reset while this call was open`))
      old.clock.clear()
      return session
    },
    clear(reason) {
      for (const session of byName.values()) {
        end(session, reason)
        session.world.clock.clear()
      }
      byName.clear()
      byTag.clear()
    },
  }
}

function end(session: Session, reason: Error): void {
  for (const close of [...session.open]) close(reason)
  session.open.clear()
}

function* bodyIds(call: IncomingCall, endpoint: Endpoint): Generator<unknown> {
  for (const name of endpoint.idsIn?.body ?? []) {
    const { payload } = call
    if (payload.kind === 'json' && payload.value !== null && typeof payload.value === 'object') yield (payload.value as Record<string, unknown>)[name]
    if (payload.kind === 'form') for (const field of payload.fields) if (field.name === name && 'value' in field) yield field.value
  }
}
