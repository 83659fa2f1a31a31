/**
 * The sessions of one simulator: which one a call belongs to (DESIGN section 5), made on first use or on
 * request, bounded in number.
 */

import type { ClockMode } from '../engine/clock.ts'
import { sessionTag, tagIn } from '../engine/ids.ts'
import type { World } from '../engine/world.ts'
import type { IncomingCall } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import type { Settings } from '../protocol/settings.ts'
import type { ScenarioSet } from '../scenario/load/scenario-set.ts'
import type { SessionRules } from './rules.ts'

/** What a session is made with; what is left out is the simulator's. */
export interface SessionSpec {
  readonly seed?: string | undefined
  readonly clock?: ClockMode | undefined
  /** Virtual milliseconds since the epoch. */
  readonly start?: number | undefined
  readonly speed?: number | undefined
  readonly scenarios?: ScenarioSet | undefined
  /** Real milliseconds without a call after which it is discarded. */
  readonly ttl?: number | undefined
}

/** What a session is at its beginning. */
export interface SessionParts {
  world: World
  rules: SessionRules
  /** Where its scenarios have keys, models or limits of their own. */
  readonly settings: Settings | undefined
}

/** One session and what the doors hold open in it. */
export interface Session extends SessionParts {
  /** Ends the open streams of this session; each door adds its own. */
  readonly open: Set<(reason: Error) => void>
  /** What it was asked for with; undefined when its first call has made it. */
  readonly spec: SessionSpec | undefined
  /** Real milliseconds; kept only where there is a `ttl`. */
  usedAt: number
}

export interface Sessions {
  /**
   * The session a call names, made when it is new. Throws 400 for a name that cannot be one, or that may not
   * be made by a call.
   */
  resolve(
    call: IncomingCall,
    key: string | undefined,
    endpoint: Endpoint | undefined,
    params: Readonly<Record<string, string>>,
  ): Session
  get(name: string): Session
  find(name: string): Session | undefined
  /**
   * The session in which ids of this tag were minted; undefined when there never was one. Throws 400 for one
   * that is no more.
   */
  findByTag(tag: string): Session | undefined
  all(): readonly Session[]
  /** Makes one; under the next free name when none is given. Throws 409 when there is one of that name. */
  make(name: string | undefined, spec: SessionSpec): Session
  /**
   * Discards one; its open streams end with an error that says so. False when there is none. The default one
   * begins anew instead.
   */
  remove(name: string): boolean
  /** Puts the session back to its beginning; its open streams end with an error that says so. */
  reset(name: string): Session
  clear(reason: Error): void
}

export interface SessionsOptions {
  /** How many are kept. */
  readonly limit: number
  /** What becomes of a name that no session has. */
  readonly unknown: 'create' | 'refuse'
  /** Reads a wall clock in milliseconds; only sessions with a `ttl` ask. */
  readonly wall: () => number
  make(name: string, tag: string, spec: SessionSpec | undefined): SessionParts
  /** Throws for what a session may not be asked for. */
  check?(spec: SessionSpec): void
  /** Hears of a world with its rules before they are given up: the session is discarded, or reset. */
  ended?(parts: SessionParts): void
  /** Hears of a session that begins anew under the name of one that was discarded. */
  renewed?(name: string, why: string): void
}

export const defaultSession = 'default'
const namePattern = /^[A-Za-z0-9._-]{1,64}$/
const keyPattern = /^sk-sim-([a-z0-9]{1,32})-/

/** How many discarded sessions are remembered, so that a late call hears what became of its own. */
const remembered = 10_000

interface Gone {
  readonly name: string
  readonly tag: string
  readonly why: string
  /** Whether it was asked for: then nobody may take its place by accident. */
  readonly asked: boolean
}

/** A registry of sessions without any. */
export function createSessions({
  limit,
  unknown,
  wall,
  make,
  check,
  ended,
  renewed,
}: SessionsOptions): Sessions {
  const byName = new Map<string, Session>()
  const byTag = new Map<string, Session>()
  const gone = new Map<string, Gone>()
  const goneTags = new Map<string, Gone>()
  let numbered = 0

  const freeTag = (name: string): string => {
    for (let attempt = 0; ; attempt++) {
      const tag = sessionTag(name, attempt)
      const taken = byTag.get(tag)
      if (taken === undefined || taken.world.name === name) return tag
    }
  }

  const forget = (session: Session, why: string): void => {
    const { name, tag } = session.world
    ended?.(session)
    byName.delete(name)
    byTag.delete(tag)
    session.world.journal.leave()
    const memory: Gone = { name, tag, why, asked: session.spec !== undefined }
    gone.set(name, memory)
    goneTags.set(tag, memory)
    if (gone.size <= remembered) return
    const [oldest] = gone.values()
    gone.delete((oldest as Gone).name)
    goneTags.delete((oldest as Gone).tag)
  }

  const isOver = ({ spec, usedAt, open }: Session): boolean =>
    spec?.ttl !== undefined && open.size === 0 && wall() - usedAt > spec.ttl
  const expire = (session: Session): void =>
    forget(session, `nobody called it for ${(session.spec?.ttl as number) / 1000} s (its ttl)`)

  const evict = (): void => {
    if (byName.size < limit) return
    for (const session of byName.values()) if (isOver(session)) expire(session)
    for (const [name, session] of byName) {
      if (byName.size < limit) return
      // An open stream pins its session, and the default one is where calls without a name go.
      if (session.open.size > 0 || name === defaultSession) continue
      forget(
        session,
        `more than ${limit} sessions were in use, and it was the one used longest ago (setting memory.sessions)`,
      )
    }
  }

  const add = (name: string, spec: SessionSpec | undefined): Session => {
    evict()
    const tag = freeTag(name)
    const session: Session = {
      ...make(name, tag, spec),
      open: new Set(),
      spec,
      usedAt: spec?.ttl === undefined ? 0 : wall(),
    }
    byName.set(name, session)
    byTag.set(tag, session)
    const before = gone.get(name)
    if (before !== undefined) {
      gone.delete(name)
      goneTags.delete(before.tag)
      if (spec === undefined) renewed?.(name, before.why)
    }
    return session
  }

  const checkName = (name: string): void => {
    if (namePattern.test(name)) return
    throw new ApiError(
      'invalid_request_error',
      `The session name ${JSON.stringify(name.slice(0, 80))} cannot be used: expected 1 to 64 letters, digits, dots, dashes or underscores.`,
    )
  }

  /** What there is of that name, with its use noted; nothing is made. */
  const known = (name: string): Session | undefined => {
    const session = byName.get(name)
    if (session === undefined || name === defaultSession) return session
    if (session.spec?.ttl !== undefined) {
      if (isOver(session)) {
        expire(session)
        return undefined
      }
      session.usedAt = wall()
    }
    // Last use decides what is discarded first.
    byName.delete(name)
    byName.set(name, session)
    return session
  }

  const get = (name: string): Session => {
    const session = known(name)
    if (session !== undefined) return session
    checkName(name)
    if (name !== defaultSession) {
      const before = gone.get(name)
      if (before !== undefined && (before.asked || unknown === 'refuse')) throw discarded(before)
      if (unknown === 'refuse')
        throw new ApiError(
          'invalid_request_error',
          `There is no session ${JSON.stringify(name)}, and calls may not make one here (setting sessions.unknown, or strict): create it first, with sim.createSession({ name: ${JSON.stringify(name)} }) or POST /__sim/sessions.`,
        )
    }
    return add(name, undefined)
  }

  const byId = (id: unknown): Session | undefined => {
    if (typeof id !== 'string') return undefined
    const tag = tagIn(id)
    if (tag === undefined) return undefined
    const session = byTag.get(tag)
    if (session !== undefined) return known(session.world.name) ?? lost(tag)
    return lost(tag)
  }
  const lost = (tag: string): undefined => {
    const before = goneTags.get(tag)
    if (before !== undefined) throw discarded(before)
    return undefined
  }

  return {
    resolve(call, key, endpoint, params) {
      if (call.session !== undefined) return get(call.session)
      const header = call.headers['x-sim-session']
      if (header !== undefined && header !== '') return get(header)
      const keyed = key === undefined || !key.startsWith('sk-sim-') ? null : keyPattern.exec(key)
      if (keyed !== null) return get(keyed[1] as string)
      for (const name of endpoint?.idsIn?.params ?? []) {
        const found = byId(endpoint?.tail === true ? lastPart(params[name]) : params[name])
        if (found !== undefined) return found
      }
      if (endpoint?.idsIn?.body !== undefined) {
        for (const value of bodyIds(call, endpoint)) {
          const found = byId(value)
          if (found !== undefined) return found
        }
      }
      return byName.get(defaultSession) ?? get(defaultSession)
    },
    get,
    find: (name) => byName.get(name),
    findByTag: (tag) => byTag.get(tag) ?? lost(tag),
    all: () => [...byName.values()],
    make(asked, spec) {
      const name = asked ?? nextName()
      checkName(name)
      if (known(name) !== undefined)
        throw new ApiError(
          'invalid_request_error',
          `There is a session ${JSON.stringify(name)} already: take another name, or dispose of that one first (DELETE /__sim/sessions/${name}).`,
          { param: 'name', status: 409 },
        )
      check?.(spec)
      return add(name, spec)
    },
    remove(name) {
      const session = byName.get(name)
      if (session === undefined) return false
      forget(session, 'it was disposed of')
      end(session, new Error(`the session "${name}" was disposed of while this call was open`))
      session.world.clock.clear()
      if (name === defaultSession) gone.delete(name)
      return true
    },
    reset(name) {
      const session = byName.get(name) ?? get(name)
      const old = session.world
      ended?.(session)
      const { world, rules } = make(name, old.tag, session.spec)
      session.world = world
      session.rules = rules
      old.journal.leave()
      end(session, new Error(`the session "${name}" was reset while this call was open`))
      old.clock.clear()
      return session
    },
    clear(reason) {
      for (const session of byName.values()) {
        end(session, reason)
        session.world.clock.clear()
        session.world.journal.leave()
      }
      byName.clear()
      byTag.clear()
      gone.clear()
      goneTags.clear()
    },
  }

  function nextName(): string {
    for (;;) {
      const name = `s${++numbered}`
      if (!byName.has(name) && !gone.has(name)) return name
    }
  }
}

// What takes the rest of a path ends in the id.
const lastPart = (path: string | undefined): string | undefined => path?.slice(path.lastIndexOf('/') + 1)

function discarded({ name, why }: Gone): ApiError {
  return new ApiError(
    'invalid_request_error',
    `The session ${JSON.stringify(name)} is no more: ${why}. Create it again, with sim.createSession({ name: ${JSON.stringify(name)} }) or POST /__sim/sessions; what it held is lost.`,
  )
}

function end(session: Session, reason: Error): void {
  for (const close of [...session.open]) close(reason)
  session.open.clear()
}

function* bodyIds(call: IncomingCall, endpoint: Endpoint): Generator<unknown> {
  for (const name of endpoint.idsIn?.body ?? []) {
    const { payload } = call
    if (payload.kind === 'json' && payload.value !== null && typeof payload.value === 'object')
      yield (payload.value as Record<string, unknown>)[name]
    if (payload.kind === 'form')
      for (const field of payload.fields) if (field.name === name && 'value' in field) yield field.value
  }
}
