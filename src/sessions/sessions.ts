/** What a session is, and the registry of those of one simulator. */
import { BoundedMap, OrderedMap } from '../engine/bounded-map.ts'
import type { ClockMode } from '../engine/clock.ts'
import type { Evictions } from '../engine/evictions.ts'
import { instanceOf, type SessionTag, sessionTag, tagIn } from '../engine/random.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import { Schedule } from '../engine/schedule.ts'
import type { IncomingCall } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Settings } from '../protocol/settings.ts'
import type { ScenarioSet } from '../scenario/load/scenario-set.ts'
import type { SessionRules } from './rules.ts'
import {
  deletedError,
  disposedOf,
  misdirectedError,
  missingError,
  takenError,
  unknownError,
} from './session-errors.ts'
import { checkSessionName, nameOfTitle, type SessionName } from './session-name.ts'

/** What a session is made with; what is left out is the simulator's. */
export interface SessionSpec {
  readonly seed?: string | undefined
  readonly clock?: ClockMode | undefined
  /** Virtual milliseconds since the epoch. */
  readonly start?: number | undefined
  readonly speed?: number | undefined
  readonly scenarios?: ScenarioSet | undefined
  /** False if the scenarios of the simulator do not apply. */
  readonly inheritScenarios?: boolean | undefined
  /** Real milliseconds without a call after which it is deleted. */
  readonly ttl?: number | undefined
}

/** What a session is at its beginning. */
export interface SessionParts {
  sandbox: Sandbox
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

export interface SessionPage {
  readonly sessions: readonly Session[]
  /** How many come behind them. */
  readonly more: number
}

/** A session that was deleted. */
export interface DeletedSession {
  readonly name: string
  readonly tag: string
  readonly why: string
  /** Whether it was asked for: then no call may create another in its place. */
  readonly asked: boolean
}

export interface SessionsOptions {
  /** How many are kept. */
  readonly limit: number
  /** What becomes of a name that no session has. */
  readonly unknown: 'create' | 'reject'
  /** The number of this server among several, from 0 to 15; undefined for a single one. */
  readonly instance?: number | undefined
  /** Reads a wall clock in milliseconds; only sessions with a `ttl` ask. */
  readonly wall: () => number
  make(name: string, tag: string, spec: SessionSpec | undefined): SessionParts
  /** Throws for what a session may not be asked for. */
  check?(spec: SessionSpec): void
  /** Hears of a sandbox with its rules before they are given up: the session is deleted, or reset. */
  ended?(parts: SessionParts): void
  /** Counts what had to go. */
  readonly evictions?: Evictions
  /** Hears of a session that begins anew under the name of one that was deleted. */
  renewed?(name: string, why: string): void
}

/** How many deleted sessions are remembered, so that a late call to one learns why it is gone. */
const minRemembered = 10_000

/** The session of calls that name none. */
export const defaultSession = 'default'

/** The values of a call that may be ids of a session: path parameters first, then the body. @internal */
function* idsOf(
  call: IncomingCall,
  endpoint: Endpoint | undefined,
  params: Readonly<Record<string, string>>,
): Generator<unknown> {
  if (endpoint?.idsIn === undefined) return
  for (const name of endpoint.idsIn.params ?? [])
    yield endpoint.tail === true ? lastPart(params[name]) : params[name]
  const { payload } = call
  for (const name of endpoint.idsIn.body ?? []) {
    if (payload.kind === 'json' && payload.value !== null && typeof payload.value === 'object')
      yield (payload.value as Record<string, unknown>)[name]
    if (payload.kind === 'form')
      for (const field of payload.fields) if (field.name === name && 'value' in field) yield field.value
  }
}

// What takes the rest of a path ends in the id.
const lastPart = (path: string | undefined): string | undefined => path?.slice(path.lastIndexOf('/') + 1)

const usedLongestAgo = 'and this session was the least recently used (setting memory.sessions)'
/** How many pinned sessions a new one passes over at most; the next ones go on behind them. */
const maxPassed = 100

/** The sessions of one simulator: found or made for a call, or made on request, bounded in number. */
export class Sessions {
  readonly #options: SessionsOptions
  /** The one used longest ago first. */
  readonly #byName = new OrderedMap<Session>()
  /** At hand, since most calls name none. */
  #default: Session | undefined
  /** In the order of creation. */
  readonly #byTag = new Map<string, Session>()
  /** When those with a `ttl` may have expired; each is looked at again then, not at each of its calls. */
  readonly #expiry = new Schedule<Session>()
  /** As many as are kept, and never fewer than 10,000. */
  readonly #deleted: BoundedMap<DeletedSession>
  readonly #deletedByTag: BoundedMap<DeletedSession>
  #numbered = 0

  constructor(options: SessionsOptions) {
    this.#options = options
    const count = Math.max(minRemembered, options.limit)
    const onEvict = (): void => options.evictions?.add('deletedSessions')
    this.#deleted = new BoundedMap({ count, onEvict })
    this.#deletedByTag = new BoundedMap({ count })
  }

  /** The session a call names, made when it is new. Throws 400 for a wrong name, or one it may not make. */
  resolve(
    call: IncomingCall,
    key: string | undefined,
    endpoint: Endpoint | undefined,
    params: Readonly<Record<string, string>>,
  ): Session {
    if (this.#options.instance !== undefined && endpoint?.idsIn !== undefined)
      for (const id of idsOf(call, endpoint, params)) this.#rejectMisdirected(id)
    const name = namedSession(call, key)
    if (name !== undefined) return this.#named(name, endpoint?.unknownSession?.(call.headers) ?? 'create')
    if (endpoint?.idsIn !== undefined)
      for (const id of idsOf(call, endpoint, params)) {
        const session = this.#findById(id)
        if (session !== undefined) return session
      }
    return this.#default ?? this.get(defaultSession)
  }

  get(name: string): Session {
    const session = this.#use(name)
    if (session !== undefined) return session
    checkSessionName(name)
    if (name !== defaultSession) this.#rejectCreation(name)
    return this.#add(name, undefined)
  }

  find(name: string): Session | undefined {
    return this.#byName.get(name)
  }

  /** What became of the session of a name; undefined when it exists, never did, or is remembered no more. */
  deleted(name: string): DeletedSession | undefined {
    return this.#deleted.get(name)
  }

  /** The session of ids with this tag; undefined for none. Throws 400 for one that is no more. */
  findByTag(tag: string): Session | undefined {
    const session = this.#byTag.get(tag)
    if (session === undefined) this.#rejectTag(tag)
    return session
  }

  /** How many there are. */
  get count(): number {
    this.#expireAll()
    return this.#byName.size
  }

  /** In the order of creation. */
  all(): readonly Session[] {
    this.#expireAll()
    return [...this.#byTag.values()]
  }

  /** Up to `limit` sessions after the one named `cursor`; undefined if that does not exist. */
  page(cursor: string | undefined, limit: number): SessionPage | undefined {
    this.#expireAll()
    const page: Session[] = []
    let more = 0
    let isBehind = cursor === undefined
    for (const session of this.#byTag.values())
      if (!isBehind) isBehind = session.sandbox.name === cursor
      else if (page.length < limit) page.push(session)
      else more++
    return isBehind ? { sessions: page, more } : undefined
  }

  /** Makes one; under a free name if only a title or nothing is given. Throws 409 for a taken name. */
  make(asked: SessionName, spec: SessionSpec): Session {
    const name = asked.name ?? this.#freeName(asked.title)
    checkSessionName(name)
    if (this.#use(name) !== undefined) throw takenError(name)
    this.#options.check?.(spec)
    return this.#add(name, spec)
  }

  /**
   * Deletes one; its open streams end with an error that says so. False when there is none. The default one
   * begins anew instead.
   */
  remove(name: string): boolean {
    const session = this.#byName.get(name)
    if (session === undefined) return false
    this.#delete(session, disposedOf)
    endStreams(session, new Error(`the session "${name}" was disposed of while this request was open`))
    session.sandbox.clock.clear()
    if (name === defaultSession) {
      this.#deleted.delete(name)
      this.#deletedByTag.delete(session.sandbox.tag)
    }
    return true
  }

  /** Puts the session back to its beginning; its open streams end with an error that says so. */
  reset(name: string): Session {
    const session = this.#byName.get(name) ?? this.get(name)
    const old = session.sandbox
    this.#options.ended?.(session)
    const { sandbox, rules } = this.#options.make(name, old.tag, session.spec)
    session.sandbox = sandbox
    session.rules = rules
    old.journal.leave()
    endStreams(session, new Error(`the session "${name}" was reset while this request was open`))
    old.clock.clear()
    return session
  }

  clear(reason: Error): void {
    for (const session of this.#byName.values()) {
      endStreams(session, reason)
      session.sandbox.clock.clear()
      session.sandbox.journal.leave()
    }
    this.#byName.clear()
    this.#default = undefined
    this.#byTag.clear()
    this.#expiry.clear()
    this.#deleted.clear()
    this.#deletedByTag.clear()
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
    if (name === defaultSession) this.#default = session
    this.#byTag.set(tag, session)
    if (spec?.ttl !== undefined) this.#expiry.set(session, session.usedAt + spec.ttl)
    const before = this.#deleted.get(name)
    if (before !== undefined) {
      this.#deleted.delete(name)
      this.#deletedByTag.delete(before.tag)
      if (spec === undefined) this.#options.renewed?.(name, before.why)
    }
    return session
  }

  #delete(session: Session, why: string): void {
    const { name, tag } = session.sandbox
    this.#options.ended?.(session)
    this.#byName.delete(name)
    if (session === this.#default) this.#default = undefined
    this.#byTag.delete(tag)
    this.#expiry.delete(session)
    session.sandbox.journal.leave()
    const deleted = { name, tag, why, asked: session.spec !== undefined }
    this.#deleted.set(name, deleted)
    this.#deletedByTag.set(tag, deleted)
  }

  /** Deletes expired sessions, then those used longest ago, until one more fits. */
  #makeRoom(): void {
    this.#expireAll()
    const { limit, evictions } = this.#options
    if (this.#byName.size < limit) return
    const why = `more than ${limit} sessions were in use, ${usedLongestAgo}`
    for (let passed = 0; this.#byName.size >= limit && passed < maxPassed; ) {
      const session = this.#byName.oldest
      if (session === undefined) return
      const { name } = session.sandbox
      // An open stream pins its session, which is in use then; the default one is where calls without a
      // name go.
      if (session.open.size > 0 || name === defaultSession) {
        this.#byName.use(name)
        passed++
      } else {
        this.#delete(session, why)
        evictions?.add('sessions', 1, name)
      }
    }
  }

  /** Deletes what nobody has called for its `ttl`; costs what may have expired, not what there is. */
  #expireAll(): void {
    let due = this.#expiry.first()
    if (due === undefined) return
    const now = this.#options.wall()
    for (; due !== undefined && due.at < now; due = this.#expiry.first()) {
      const { spec, usedAt, open } = due.item
      const ttl = spec?.ttl ?? 0
      if (this.#isExpired(due.item)) this.#expire(due.item)
      else this.#expiry.set(due.item, (open.size > 0 ? now : usedAt) + ttl)
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
    // Last use decides what is deleted first.
    this.#byName.use(name)
    return session
  }

  /** Throws for a tag whose session was deleted. */
  #rejectTag(tag: string): void {
    const session = this.#deletedByTag.get(tag)
    if (session !== undefined) throw deletedError(session)
  }

  #findById(id: unknown): Session | undefined {
    const tag = typeof id === 'string' ? tagIn(id) : undefined
    if (tag === undefined) return undefined
    const known = this.#byTag.get(tag)
    const session = known === undefined ? undefined : this.#use(known.sandbox.name)
    if (session === undefined) this.#rejectTag(tag)
    return session
  }

  /** Throws 421 for an id whose session is on another server. */
  #rejectMisdirected(id: unknown): void {
    const { instance } = this.#options
    const tag = typeof id === 'string' ? tagIn(id) : undefined
    if (instance === undefined || tag === undefined || this.#byTag.has(tag)) return
    const owner = instanceOf(tag)
    if (owner !== instance) throw misdirectedError(id as string, owner, instance)
  }

  #isExpired({ spec, usedAt, open }: Session): boolean {
    return spec?.ttl !== undefined && open.size === 0 && this.#options.wall() - usedAt > spec.ttl
  }

  #expire(session: Session): void {
    this.#options.evictions?.add('expiredSessions', 1, session.sandbox.name)
    this.#delete(session, `it received no request for ${(session.spec?.ttl as number) / 1000} s (its ttl)`)
  }

  /** The session that a call names. Throws for a name that cannot be one, and for what may not be created. */
  #named(name: string, unknown: 'create' | 'ignore' | 'reject'): Session {
    const session = unknown === 'create' ? this.get(name) : this.#use(name)
    if (session !== undefined) return session
    checkSessionName(name)
    if (unknown === 'ignore') return this.get(defaultSession)
    const before = this.#deleted.get(name)
    throw before === undefined ? missingError(name, 'session') : deletedError(before)
  }

  /** Throws where a call may not create the session that it names. */
  #rejectCreation(name: string): void {
    const { unknown } = this.#options
    const before = this.#deleted.get(name)
    if (before !== undefined && (before.asked || unknown === 'reject')) throw deletedError(before)
    if (unknown === 'reject') throw unknownError(name)
  }

  #freeTag(name: string): SessionTag {
    for (let attempt = 0; ; attempt++) {
      const tag = sessionTag(name, attempt, this.#options.instance)
      const taken = this.#byTag.get(tag)
      if (taken === undefined || taken.sandbox.name === name) return tag
    }
  }

  /** Made of a title, with a number while another session has this name; without a title, the next number. */
  #freeName(title = ''): string {
    const words = nameOfTitle(title)
    if (words !== undefined)
      for (let count = 1; ; count++) {
        const name = count === 1 ? words : `${words}-${count}`
        if (name !== defaultSession && !this.#byName.has(name)) return name
      }
    for (;;) {
      const name = `s${++this.#numbered}`
      if (!this.#byName.has(name) && this.#deleted.get(name) === undefined) return name
    }
  }
}

function endStreams(session: Session, reason: Error): void {
  for (const close of [...session.open]) close(reason)
  session.open.clear()
}

/** As `sk-sim-mytest-alice`. */
const keyPattern = /^sk-sim-([a-z0-9]{1,32})-/

/** The session that a call names, by its address, a header, or its key. @internal */
export function namedSession(
  { session, headers }: Pick<IncomingCall, 'session' | 'headers'>,
  key: string | undefined,
): string | undefined {
  return (
    session ??
    (headers['x-sim-session'] ||
      (key?.startsWith('sk-sim-') === true ? keyPattern.exec(key)?.[1] : undefined))
  )
}
