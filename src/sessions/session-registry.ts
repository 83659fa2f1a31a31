/**
 * The sessions of one simulator: which one a call belongs to (DESIGN section 5), made on first use or on
 * request, bounded in number.
 */
import { type SessionTag, sessionTag, tagIn } from '../engine/ids.ts'
import type { IncomingCall } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { DiscardedSessions } from './discarded-sessions.ts'
import { idsOf } from './ids-in-call.ts'
import { discardedError, takenError, unknownError } from './session-errors.ts'
import { checkSessionName, defaultSession, sessionInKey } from './session-name.ts'
import type { Session, SessionSpec, Sessions, SessionsOptions } from './sessions.ts'

/** An empty registry of sessions. */
export function createSessions(options: SessionsOptions): Sessions {
  return new SessionRegistry(options)
}

class SessionRegistry implements Sessions {
  readonly #options: SessionsOptions
  /** The one used longest ago first. */
  readonly #byName = new Map<string, Session>()
  readonly #byTag = new Map<string, Session>()
  readonly #discarded: DiscardedSessions
  #numbered = 0

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#discarded = new DiscardedSessions(options.limit, () => options.forgotten?.add('discardedSessions'))
  }

  resolve(
    call: IncomingCall,
    key: string | undefined,
    endpoint: Endpoint | undefined,
    params: Readonly<Record<string, string>>,
  ): Session {
    // A call names its session by its address, a header, or its key.
    const name =
      call.session ??
      (call.headers['x-sim-session'] || (key?.startsWith('sk-sim-') === true ? sessionInKey(key) : undefined))
    if (name !== undefined) return this.get(name)
    if (endpoint?.idsIn !== undefined)
      for (const id of idsOf(call, endpoint, params)) {
        const session = this.#findById(id)
        if (session !== undefined) return session
      }
    return this.#byName.get(defaultSession) ?? this.get(defaultSession)
  }

  get(name: string): Session {
    const session = this.#use(name)
    if (session !== undefined) return session
    checkSessionName(name)
    if (name !== defaultSession) this.#refuseCreation(name)
    return this.#add(name, undefined)
  }

  find(name: string): Session | undefined {
    return this.#byName.get(name)
  }

  findByTag(tag: string): Session | undefined {
    const session = this.#byTag.get(tag)
    if (session === undefined) this.#discarded.refuseTag(tag)
    return session
  }

  all(): readonly Session[] {
    return [...this.#byName.values()]
  }

  make(asked: string | undefined, spec: SessionSpec): Session {
    const name = asked ?? this.#nextName()
    checkSessionName(name)
    if (this.#use(name) !== undefined) throw takenError(name)
    this.#options.check?.(spec)
    return this.#add(name, spec)
  }

  remove(name: string): boolean {
    const session = this.#byName.get(name)
    if (session === undefined) return false
    this.#discard(session, 'it was disposed of')
    endStreams(session, new Error(`the session "${name}" was disposed of while this call was open`))
    session.world.clock.clear()
    if (name === defaultSession) this.#discarded.delete(name)
    return true
  }

  reset(name: string): Session {
    const session = this.#byName.get(name) ?? this.get(name)
    const old = session.world
    this.#options.ended?.(session)
    const { world, rules } = this.#options.make(name, old.tag, session.spec)
    session.world = world
    session.rules = rules
    old.journal.leave()
    endStreams(session, new Error(`the session "${name}" was reset while this call was open`))
    old.clock.clear()
    return session
  }

  clear(reason: Error): void {
    for (const session of this.#byName.values()) {
      endStreams(session, reason)
      session.world.clock.clear()
      session.world.journal.leave()
    }
    this.#byName.clear()
    this.#byTag.clear()
    this.#discarded.clear()
  }

  #add(name: string, spec: SessionSpec | undefined): Session {
    this.#makeRoom()
    const tag = this.#freeTag(name)
    const session: Session = {
      ...this.#options.make(name, tag, spec),
      open: new Set(),
      spec,
      usedAt: spec?.ttl === undefined ? 0 : this.#options.wall(),
    }
    this.#byName.set(name, session)
    this.#byTag.set(tag, session)
    const before = this.#discarded.get(name)
    if (before !== undefined) {
      this.#discarded.delete(name)
      this.#discarded.deleteTag(before.tag)
      if (spec === undefined) this.#options.renewed?.(name, before.why)
    }
    return session
  }

  #discard(session: Session, why: string): void {
    const { name, tag } = session.world
    this.#options.ended?.(session)
    this.#byName.delete(name)
    this.#byTag.delete(tag)
    session.world.journal.leave()
    this.#discarded.add({ name, tag, why, asked: session.spec !== undefined })
  }

  /** Discards expired sessions, then those used longest ago, until one more fits. */
  #makeRoom(): void {
    const { limit } = this.#options
    if (this.#byName.size < limit) return
    for (const session of this.#byName.values()) if (this.#isExpired(session)) this.#expire(session)
    const reason = 'and it was the one used longest ago (setting memory.sessions)'
    const why = `more than ${limit} sessions were in use, ${reason}`
    for (const [name, session] of this.#byName) {
      if (this.#byName.size < limit) return
      // An open stream pins its session, and the default one is where calls without a name go.
      if (session.open.size > 0 || name === defaultSession) continue
      this.#discard(session, why)
      this.#options.forgotten?.add('sessions', 1, name)
    }
  }

  /** The session of that name, with its use noted; nothing is created. */
  #use(name: string): Session | undefined {
    const session = this.#byName.get(name)
    if (session === undefined || name === defaultSession) return session
    if (session.spec?.ttl !== undefined) {
      if (this.#isExpired(session)) {
        this.#expire(session)
        return undefined
      }
      session.usedAt = this.#options.wall()
    }
    // Last use decides what is discarded first.
    this.#byName.delete(name)
    this.#byName.set(name, session)
    return session
  }

  #findById(id: unknown): Session | undefined {
    const tag = typeof id === 'string' ? tagIn(id) : undefined
    if (tag === undefined) return undefined
    const known = this.#byTag.get(tag)
    const session = known === undefined ? undefined : this.#use(known.world.name)
    if (session === undefined) this.#discarded.refuseTag(tag)
    return session
  }

  #isExpired({ spec, usedAt, open }: Session): boolean {
    return spec?.ttl !== undefined && open.size === 0 && this.#options.wall() - usedAt > spec.ttl
  }

  #expire(session: Session): void {
    this.#options.forgotten?.add('expiredSessions', 1, session.world.name)
    this.#discard(session, `nobody called it for ${(session.spec?.ttl as number) / 1000} s (its ttl)`)
  }

  /** Throws where a call may not create the session that it names. */
  #refuseCreation(name: string): void {
    const { unknown } = this.#options
    const before = this.#discarded.get(name)
    if (before !== undefined && (before.asked || unknown === 'refuse')) throw discardedError(before)
    if (unknown === 'refuse') throw unknownError(name)
  }

  #freeTag(name: string): SessionTag {
    for (let attempt = 0; ; attempt++) {
      const tag = sessionTag(name, attempt)
      const taken = this.#byTag.get(tag)
      if (taken === undefined || taken.world.name === name) return tag
    }
  }

  #nextName(): string {
    for (;;) {
      const name = `s${++this.#numbered}`
      if (!this.#byName.has(name) && this.#discarded.get(name) === undefined) return name
    }
  }
}

function endStreams(session: Session, reason: Error): void {
  for (const close of [...session.open]) close(reason)
  session.open.clear()
}
