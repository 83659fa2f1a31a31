/** Determines the session, the time, the outage state and the random seeds of a call. */

import { Hasher, type HashWords } from '../engine/hash.ts'
import { defaultTag, mintId, randomFrom, type SessionTag, withoutSession } from '../engine/random.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import { findKey } from '../protocol/auth.ts'
import type { IncomingCall, Payload } from '../protocol/call.ts'
import { type InputRules, TooDeepError, writeInput } from '../protocol/canonical.ts'
import { ApiError } from '../protocol/errors.ts'
import { defaultPlan, type Plan, type PlannedOutage } from '../protocol/plan.ts'
import type { PlainResponse } from '../protocol/response.ts'
import type { Match } from '../protocol/router.ts'
import { defaultSession, namedSession, type Session } from '../sessions/sessions.ts'
import type { CallState, CoreParts } from './call-state.ts'

const noResponse: PlainResponse = { status: 0, headers: {}, body: { kind: 'none' } }
/** A call during an outage has no effect, and its connection is reset. */
const noConnection: PlainResponse = { ...noResponse, wire: [{ instead: 'reset' }] }
const outagePlan: Plan = { ...defaultPlan, decidedBy: { kind: 'outage' } }
const noParams: Readonly<Record<string, string>> = {}

/** The state of a new call: its route, session, time and random seeds. The call is counted. */
export function beginCall(
  parts: CoreParts,
  request: IncomingCall,
  match: Match,
  arrival: Arrival | undefined,
): CallState {
  const found = match.kind === 'found'
  const route = found ? match.route : undefined
  const group = match.group ?? parts.fallback
  const params = found ? match.params : noParams
  const key = findKey(request.headers, group.credentials)
  let session: Session
  let sessionError: ApiError | undefined
  try {
    session =
      group.internal === true && isRejected(request, route)
        ? parts.sessions.get(defaultSession)
        : parts.sessions.resolve(request, key, route?.endpoint, params)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    sessionError = error
    session = parts.sessions.get(defaultSession)
  }
  const { sandbox } = session
  const now = (arrival?.sandbox === sandbox ? arrival.at : undefined) ?? sandbox.clock.now()
  const isAway = sandbox.outage !== undefined && group.internal !== true && countsForOutage(sandbox, now)
  const { payload, contentKey, identityKey } = readInput({ request, route, params, key, sandbox })
  // The control API does not use up the memory of the session.
  const nth = isAway || group.internal === true ? 0 : sandbox.seen(identityKey)
  const identity = randomFrom(`identity ${nth}`, identityKey)
  // Transitions recorded before this call, by a control for example, do not belong to it.
  sandbox.store.transitions.begin()
  return {
    request,
    match,
    parts,
    route,
    group,
    params,
    key,
    session,
    sessionError,
    sandbox,
    now,
    realAt: parts.wall?.(),
    settings: session.settings ?? parts.settings,
    director: session.rules.director ?? parts.director,
    payload,
    contentKey,
    identity,
    nth,
    requestId: isAway ? '' : mintId('req_', sandbox.tag, identity),
    facts: undefined,
    plan: isAway ? outagePlan : defaultPlan,
    rulesAsked: false,
    unmatched: false,
    response: isAway ? noConnection : noResponse,
    headers: {},
    rejection: undefined,
    violations: undefined,
    bug: undefined,
    faults: isAway ? [{ kind: 'outage', options: {} }] : undefined,
    notes: undefined,
  }
}

/** Whether a control call is rejected in any session. It must not create one, which could evict another. */
function isRejected({ headers, payload }: IncomingCall, route: CallState['route']): boolean {
  if (route === undefined || payload.kind === 'rejected') return true
  try {
    route.endpoint.checkHeaders?.(headers)
    return false
  } catch {
    return true
  }
}

const noFields: ReadonlySet<string> = new Set()

interface Input {
  /** The body; rejected if it is nested too deeply. */
  readonly payload: Payload
  /** The seed of the response content. */
  readonly contentKey: HashWords
  /** The seed of ids: the content seed, and everything it ignores. */
  readonly identityKey: HashWords
}

/**
 * Derives the random seeds. Ids of the session are normalised, because clients copy them from responses into
 * later requests (the job of a variation, the tool calls of a conversation).
 */
function readInput({
  request,
  route,
  params,
  key,
  sandbox,
}: Pick<CallState, 'request' | 'route' | 'params' | 'key' | 'sandbox'>): Input {
  const { payload } = request
  const isDefault = sandbox.tag === defaultTag && request.session === undefined
  const clean = isDefault ? undefined : cleanerOf(sandbox.tag, request.session)
  const target = route?.endpoint.operation ?? `${request.method} ${request.path}`
  const path = route === undefined ? '' : JSON.stringify(params)
  const content = new Hasher()
    .text(sandbox.seed)
    .text(target)
    .text(clean === undefined ? path : clean(path))
  const input = clean === undefined ? payload : cleaned(payload, clean)
  const rules: InputRules = {
    ignored: route?.contentIgnores ?? noFields,
    defaults: route?.contentDefaults,
  }
  let read = payload
  let contentKey: HashWords
  let identity: Hasher
  try {
    writeInput(content, 'content', input, rules)
    contentKey = content.words()
    identity = new Hasher(contentKey)
    writeInput(identity, 'rest', input, rules)
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error
    const message = `The body is ${error.message}: reduce the nesting.`
    read = { kind: 'rejected', type: 'invalid_request_error', message }
    contentKey = content.text('too deep').words()
    identity = new Hasher(contentKey)
  }
  identity.text(clean === undefined ? request.query : clean(request.query)).text(key ?? '')
  return { payload: read, contentKey, identityKey: identity.words() }
}

/** Removes the session's tag and prefix from a string. */
function cleanerOf(tag: SessionTag, prefix: IncomingCall['session']): (text: string) => string {
  // URLs of results contain the session prefix if the request that created them used one, as this one does.
  return (text) => {
    const tagless = withoutSession(text, tag)
    return prefix === undefined ? tagless : tagless.replaceAll(`/s/${prefix}/`, '/')
  }
}

function cleaned(payload: Payload, clean: (text: string) => string): Payload {
  if (payload.kind === 'json') {
    const text = clean(payload.text)
    return text === payload.text ? payload : { kind: 'json', value: JSON.parse(text) as unknown, text }
  }
  if (payload.kind !== 'form') return payload
  const fields = payload.fields.map((field) =>
    'value' in field ? { ...field, value: clean(field.value) } : field,
  )
  return { kind: 'form', fields }
}

/** The session of a call at its arrival. */
export interface Arrival {
  readonly sandbox: Sandbox
  /** Virtual milliseconds since the epoch; undefined on a `real` clock, which keeps running. */
  readonly at: number | undefined
}

/** The head of a call, known at its arrival. */
export type CallHead = Pick<IncomingCall, 'session' | 'headers'>

/** Undefined if irrelevant: for controls, and in a session that does not exist yet. */
export function arrivalOf(
  { fallback, sessions }: Pick<CoreParts, 'fallback' | 'sessions'>,
  head: CallHead,
  match: Match,
): Arrival | undefined {
  if (match.group?.internal === true) return undefined
  const group = match.group ?? fallback
  const name = namedSession(head, findKey(head.headers, group.credentials))
  const sandbox = (name === undefined ? sessions.get(defaultSession) : sessions.find(name))?.sandbox
  if (sandbox === undefined) return undefined
  return { sandbox, at: sandbox.clock.mode === 'real' ? undefined : sandbox.clock.now() }
}

/** Whether the session was reset after the arrival of the call. */
export function wasReset({ sandbox }: Arrival, sessions: CoreParts['sessions']): boolean {
  const now = sessions.find(sandbox.name)?.sandbox
  return now !== undefined && now !== sandbox
}

/** Starts an outage; the call that triggers it counts as the first. */
export function beginOutage({ sandbox, plan, now }: CallState, { ms, times }: PlannedOutage): void {
  const callsLeft = times === undefined ? undefined : times - 1
  sandbox.outage = { until: now + ms, callsLeft, rule: plan.rule }
}

/** Whether the sandbox has an outage; if so, the call counts towards it. */
function countsForOutage(sandbox: Sandbox, now: number): boolean {
  const { outage } = sandbox
  if (outage === undefined) return false
  if (now >= outage.until || outage.callsLeft === 0) {
    sandbox.outage = undefined
    return false
  }
  if (outage.callsLeft !== undefined) outage.callsLeft--
  return true
}
