/** What a session is, and the registry of those of one simulator. */

import { BoundedMap } from '../engine/bounded-map.ts'
import { lastPart } from '../engine/pointer.ts'
import { type SessionTag, sessionTag, tagIn } from '../engine/random.ts'
import type { IncomingCall } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { createSession, type SessionParts } from './create.ts'
import { rejectTwice } from './rules.ts'
import { deletedError, missingError, takenError, unknownError, wrongRequest } from './session-errors.ts'
import type { SessionContext, SessionSpec } from './session-spec.ts'

/** A session's name, or a title from which it gets a free name. */
interface SessionName {
  readonly name?: string | undefined
  readonly title?: string | undefined
}

/** One session and what the doors hold open in it. */
export interface Session extends SessionParts {
  /** Ends the open streams of this session; each door adds its own. */
  readonly open: Set<(reason: Error) => void>
  /** What it was asked for with; undefined when its first call has made it. */
  readonly spec: SessionSpec | undefined
}

/** All sessions together may keep so many times as much as one. */
const sessionsInAll = 4

/** How many are remembered of the deleted sessions that no call may create again. */
const maxRemembered = 10_000

/** The session of calls that name none. */
export const defaultSession = 'default'

/** The values of a call that may be ids of a session: path parameters first, then the body. @internal */
function* idsOf(
  call: IncomingCall,
  { idsIn, tail }: Endpoint,
  params: Readonly<Record<string, string>>,
): Generator<unknown> {
  // What takes the rest of a path ends in the id.
  for (const name of idsIn?.params ?? []) yield tail === true ? lastPart(params[name] ?? '') : params[name]
  const { payload } = call
  for (const name of idsIn?.body ?? []) {
    if (payload.kind === 'json' && payload.value !== null && typeof payload.value === 'object')
      yield (payload.value as Record<string, unknown>)[name]
    if (payload.kind === 'form')
      for (const field of payload.fields) if (field.name === name && 'value' in field) yield field.value
  }
}

/** The sessions of one simulator: found or made for a call, or made on request, bounded in number. */
export class Sessions {
  readonly #context: SessionContext
  /** How much all sessions keep together, in bytes. */
  readonly #maxTotal: number
  /** The one used longest ago first. */
  readonly #byName = new Map<string, Session>()
  /** In the order of creation. */
  readonly #byTag = new Map<string, Session>()
  /** Those that were made on request: a late call of a test must not create them again. */
  readonly #deleted = new BoundedMap<true>({ count: maxRemembered })
  /** What all sessions keep, in bytes. */
  readonly #total = { size: 0 }
  #numbered = 0

  constructor(context: SessionContext) {
    this.#context = context
    this.#maxTotal = sessionsInAll * context.settings.memory.bytes
  }

  /** The session a call names, made when it is new. Throws 400 for a wrong name, or one it may not make. */
  resolve(
    call: IncomingCall,
    key: string | undefined,
    endpoint: Endpoint | undefined,
    params: Readonly<Record<string, string>>,
  ): Session {
    if (this.#total.size > this.#maxTotal) this.#fitTotal()
    const name = namedSession(call, key)
    if (name !== undefined) return this.#named(name, endpoint?.unknownSession?.(call.headers) ?? 'create')
    const ids = endpoint?.idsIn === undefined ? [] : idsOf(call, endpoint, params)
    for (const id of ids) {
      const tag = typeof id === 'string' ? tagIn(id) : undefined
      const session = tag === undefined ? undefined : this.findByTag(tag)
      if (session !== undefined) return session
    }
    return this.get(defaultSession)
  }

  get(name: string): Session {
    const session = this.#use(name)
    if (session !== undefined) return session
    checkSessionName(name)
    if (name !== defaultSession) {
      if (this.wasDeleted(name)) throw deletedError(name)
      if (this.#context.settings.strict) throw unknownError(name)
    }
    return this.#add(name, undefined)
  }

  find(name: string): Session | undefined {
    return this.#byName.get(name)
  }

  /** Whether a session was made on request, and is gone. */
  wasDeleted(name: string): boolean {
    return this.#deleted.get(name) === true
  }

  /** The session of ids with this tag. */
  findByTag(tag: string): Session | undefined {
    const known = this.#byTag.get(tag)
    return known === undefined ? undefined : this.#use(known.sandbox.name)
  }

  /** How many there are. */
  get count(): number {
    return this.#byName.size
  }

  /** In the order of creation. */
  all(): readonly Session[] {
    return [...this.#byTag.values()]
  }

  /** Makes one; under a free name if only a title or nothing is given. Throws 409 for a taken name. */
  make(wanted: SessionName, spec: SessionSpec): Session {
    const name = wanted.name ?? this.#freeName(wanted.title)
    checkSessionName(name)
    if (this.#use(name) !== undefined) throw takenError(name)
    rejectTwice(spec, this.#context.script())
    return this.#add(name, spec)
  }

  /**
   * Deletes one; its open streams end with an error that says so. False when there is none. The default one
   * begins anew instead.
   */
  remove(name: string): boolean {
    const session = this.#byName.get(name)
    if (session === undefined) return false
    this.#delete(session)
    endStreams(session, new Error(`the session "${name}" was disposed of while this request was open`))
    session.sandbox.clock.clear()
    return true
  }

  /** Puts the session back to its beginning; its open streams end with an error that says so. */
  reset(name: string): Session {
    const session = this.#byName.get(name) ?? this.get(name)
    const old = session.sandbox
    this.#context.ended(old)
    const { sandbox, rules } = createSession(this.#context, old, session.spec ?? {}, this.#total)
    session.sandbox = sandbox
    session.rules = rules
    old.memory.leave()
    endStreams(session, new Error(`the session "${name}" was reset while this request was open`))
    old.clock.clear()
    return session
  }

  clear(reason: Error): void {
    for (const session of this.#byName.values()) {
      endStreams(session, reason)
      session.sandbox.clock.clear()
      session.sandbox.memory.leave()
    }
    this.#byName.clear()
    this.#byTag.clear()
    this.#deleted.clear()
  }

  #add(name: string, spec: SessionSpec | undefined): Session {
    this.#makeRoom()
    const tag = this.#freeTag(name)
    const session: Session = {
      ...createSession(this.#context, { name, tag }, spec ?? {}, this.#total),
      open: new Set(),
      spec,
    }
    this.#byName.set(name, session)
    this.#byTag.set(tag, session)
    this.#deleted.delete(name)
    return session
  }

  #delete(session: Session): void {
    const { name, tag } = session.sandbox
    this.#context.ended(session.sandbox)
    this.#byName.delete(name)
    this.#byTag.delete(tag)
    session.sandbox.memory.leave()
    if (session.spec !== undefined) this.#deleted.set(name, true)
  }

  /**
   * Deletes the session used longest ago where one more would be too many. An open stream pins its session,
   * which is in use then; the default one is where calls without a name go.
   */
  #makeRoom(): void {
    const limit = this.#context.settings.memory.sessions
    for (const session of this.#byName.values()) {
      if (this.#byName.size < limit) return
      const { name } = session.sandbox
      if (session.open.size > 0 || name === defaultSession) continue
      this.#delete(session)
      this.#context.evicted(name)
    }
  }

  /** All sessions together keep too much: those used longest ago drop what they keep, their oldest first. */
  #fitTotal(): void {
    for (const { sandbox } of this.#byName.values()) {
      let dropped = true
      while (dropped && this.#total.size > this.#maxTotal) dropped = sandbox.memory.evictOldest()
    }
  }

  /** The session of that name, with its use noted; nothing is created. */
  #use(name: string): Session | undefined {
    const session = this.#byName.get(name)
    if (session === undefined) return undefined
    // Last use decides what is deleted first.
    this.#byName.delete(name)
    this.#byName.set(name, session)
    return session
  }

  /** The session that a call names. Throws for a name that cannot be one, and for what may not be created. */
  #named(name: string, unknown: 'create' | 'ignore' | 'reject'): Session {
    const session = unknown === 'create' ? this.get(name) : this.#use(name)
    if (session !== undefined) return session
    checkSessionName(name)
    if (unknown === 'ignore') return this.get(defaultSession)
    throw this.wasDeleted(name) ? deletedError(name) : missingError(name, 'session')
  }

  #freeTag(name: string): SessionTag {
    for (let attempt = 0; ; attempt++) {
      const tag = sessionTag(name, attempt)
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
      if (!this.#byName.has(name) && !this.wasDeleted(name)) return name
    }
  }
}

const namePattern = /^(?!__proto__$)[A-Za-z0-9._-]{1,64}$/

/** Throws `ApiError` (400) for a name that no session can have. */
function checkSessionName(name: string): void {
  if (namePattern.test(name)) return
  throw wrongRequest(
    `The session name ${JSON.stringify(name.slice(0, 80))} is not allowed: ` +
      'expected 1 to 64 letters, digits, dots, dashes or underscores.',
  )
}

/** How much of a title a name contains; the rest of the 64 characters is for a number. */
const maxTitle = 56

/** `makes-an-image` for the title `Makes an image!`; undefined if no letter or digit is Latin. */
function nameOfTitle(title: string): string | undefined {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxTitle)
    .replace(/-$/, '')
  return words === '' ? undefined : words
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
