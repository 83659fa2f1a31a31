/**
 * One order for every call: route, session, plan, authenticate, validate, act, render, faults (DESIGN idea
 * 5). Synchronous and pure apart from the world it is given; knows nothing of doors.
 */

import { Hasher, keyOf } from '../engine/hash.ts'
import { mintId, withoutSession } from '../engine/ids.ts'
import { unkeptEntry } from '../engine/journal.ts'
import type { CallRecord, EntryRefusal, JournalEntry, Violation } from '../engine/journal-entry.ts'
import { type Random, randomFrom } from '../engine/random.ts'
import { redactQuery } from '../engine/redact.ts'
import { type Consideration, consider } from '../engine/rule-trace.ts'
import { explainShort } from '../journal/explain/explain-call.ts'
import { lacksRule, unmatchedCall } from '../journal/explain/strict.ts'
import { authenticate, findKey } from '../protocol/auth.ts'
import type { ApiKey, Call, IncomingCall } from '../protocol/call.ts'
import type { Endpoint, EndpointGroup, Facilities } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import { encodedHeader, matchesHeader } from '../protocol/header-text.ts'
import { type Plan, type PlannedRefusal, plannedError } from '../protocol/plan.ts'
import { countRequest, defaultHeaders, rateOf } from '../protocol/rate.ts'
import type { Reply } from '../protocol/reply.ts'
import type { Match, Router } from '../protocol/router.ts'
import type { Settings } from '../protocol/settings.ts'
import { validBody, validQuery } from '../protocol/validate.ts'
import { clip } from '../protocol/wording.ts'
import type { Director } from '../scenario/director.ts'
import type { RuleFacts } from '../scenario/facts.ts'
import { applyFaults } from '../scenario/faults/apply.ts'
import { canPatch, paced, patched, plannedReply } from '../scenario/patch-reply.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import { fieldsOf, filePathOf, modelOf, promptOf, readInput, requestText } from './input.ts'
import { beginOutage, meetsOutage, resetExchange } from './outage.ts'
import { bugReply, refusal, refusalEntry, renderBody, traceId, violationsOf } from './refusal.ts'
import { suggestion } from './route-hint.ts'
import { breachOf, selfCheck } from './self-check.ts'

/** One call that was answered; the door writes the reply and closes the entry. */
export interface Exchange {
  readonly reply: Reply
  readonly session: Session
  /** Virtual milliseconds at which the call was taken. */
  readonly startedAt: number
  readonly entry: JournalEntry
  /** Set when the simulator itself went wrong. */
  readonly bug: Error | undefined
}

export interface CoreParts {
  readonly router: Router
  readonly settings: Settings
  readonly sessions: Sessions
  readonly director: Director
  readonly facilities: Facilities
  /** The group whose envelope words refusals of paths that nobody owns. */
  readonly fallback: EndpointGroup
  /** Whether every reply is held against its own schema. */
  readonly selfCheck: boolean
  /**
   * Hears of rules that did not do what they say, or that made a reply break the contract without saying so.
   */
  doubt(message: string): void
}

/** The longest address that the journal holds, and that a message quotes; what clients send has no bound. */
const longest = { word: 200, address: 2000, inMessage: 200 } as const

/** Answers one call. `realAt` is the wall clock's instant, for the journal alone. */
export function takeCall(call: IncomingCall, match: Match, parts: CoreParts, realAt?: number): Exchange {
  const { sessions } = parts
  const route = match.kind === 'found' ? match.route : undefined
  const group = route?.group ?? (match.kind === 'found' ? undefined : match.group) ?? parts.fallback
  const params = match.kind === 'found' ? match.params : {}
  const key = findKey(call.headers, group.credentials)

  let session: Session
  let refusedSession: ApiError | undefined
  try {
    session = sessions.resolve(call, key, route?.endpoint, params)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refusedSession = error
    session = sessions.get('default')
  }
  const { world } = session
  const settings = session.settings ?? parts.settings
  const director = session.rules.director ?? parts.director
  const now = world.clock.now()
  if (group.internal !== true && meetsOutage(world, now))
    return resetExchange(session, now, call, route?.endpoint.operation, key, realAt)
  const target = route?.endpoint.operation ?? `${call.method} ${call.path}`
  const pathText = route === undefined ? '' : withoutSession(textOf(params), world.tag)
  const input = readInput(call, route, new Hasher().text(world.seed).text(target).text(pathText), world.tag)
  const { contentKey } = input
  const fullKey = input.rest
    .text(withoutSession(call.query, world.tag))
    .text(key ?? '')
    .words()
  const nth = world.seen(keyOf(fullKey))
  const identity = randomFrom(`identity ${nth}`, fullKey)
  const requestId = mintId('req_', world.tag, identity)
  let plan: Plan = {}
  let bug: Error | undefined
  let refused: EntryRefusal | undefined
  let violations: readonly Violation[] | undefined
  let considered: Consideration[] | undefined
  let rulesAsked = false
  let unmatched = false
  world.store.beginCall()

  let reply: Reply
  try {
    if (refusedSession !== undefined) throw refusedSession
    if (route === undefined) throw noRoute(call, match, parts.router)
    const { endpoint } = route
    const { operation } = endpoint
    const about = {
      operation,
      key: endpoint.open === true ? undefined : key,
      model: modelOf(input.payload) ?? params['model'],
      prompt: promptOf(endpoint, input.payload),
      path: filePathOf(endpoint, input.payload, params),
      nth,
    }
    const ruled = (): RuleFacts => ({
      operation,
      key: about.key,
      model: about.model,
      prompt: about.prompt,
      payload: input.payload,
      query: call.query,
      headers: call.headers,
      params,
      now,
      identity,
      world,
      consider: (found) => consider((considered ??= []), found),
    })
    plan = director.plan(about, ruled)
    refuseIf(plan.refuse, 'auth')
    const caller: ApiKey =
      endpoint.open === true ? { value: key ?? '' } : authenticate(call.headers, group.credentials, settings)
    const apiKey: ApiKey =
      plan.reservedModel === undefined ? caller : { ...caller, reservedModel: plan.reservedModel }
    refuseIf(plan.refuse, 'validation')
    endpoint.checkHeaders?.(call.headers)
    const query = validQuery(endpoint, call.query)
    const body = validBody(endpoint, input.payload, group, route.readBody)
    if (endpoint.open !== true) countRequest(world, apiKey.value, settings, now)
    rulesAsked = true
    plan = director.ruled(plan, operation, ruled)
    if (settings.strict !== false && lacksRule(plan, endpoint, settings)) {
      unmatched = true
      throw unmatchedCall({ operation, session: world.name, rules: director.rules, considered })
    }
    if (plan.refuse?.jobContinues !== true) refuseIf(plan.refuse, 'act')
    const full: Call = {
      operation: endpoint.operation,
      method: call.method,
      requestId,
      params,
      query,
      headers: call.headers,
      body,
      key: apiKey,
      now,
      content: randomFrom('content', contentKey),
      identity,
      plan,
    }
    reply =
      plan.reply === undefined
        ? endpoint.act(full as Call<never, never>, { world, settings, facilities: parts.facilities })
        : plannedReply(plan.reply)
    // Where a job is made, a refusal that leaves it behind has been thrown by now; an operation that makes
    // none refuses all the same.
    if (plan.refuse?.jobContinues === true) refuseIf(plan.refuse, 'act')
    if (plan.rule !== undefined) reply = shaped(reply, plan, endpoint, identity, parts)
    // What a rule has not written is ours.
    if (parts.selfCheck && reply.offContract !== true && !writesBody(plan)) selfCheck(endpoint, reply)
  } catch (error) {
    if (error instanceof ApiError) {
      refused = refusalEntry(error, group, session)
      // What a rule or a reserved value refuses is no fault of the request.
      if (plan.refuse === undefined && !unmatched) violations = violationsOf(error)
      reply = refusal(error, group, requestId, identity, session, call, route?.endpoint, params)
    } else {
      bug = error instanceof Error ? error : new Error(String(error))
      reply = bugReply(bug.message, group, requestId, traceId(world.tag, identity))
    }
  }

  const faults = reply.faults === undefined ? plan.faults : [...(plan.faults ?? []), ...reply.faults]
  // A refusal of the service's own, with the rule or the reserved value still to come, meets no fault.
  const met =
    faults !== undefined && bug === undefined && (plan.rule !== undefined || reply.status < 300)
      ? faults
      : undefined
  if (met !== undefined) {
    reply = applyFaults(
      reply,
      met,
      identity.fork('faults'),
      (error) =>
        group.streamError?.(error, { requestId, traceId: traceId(world.tag, identity) }) ?? {
          data: JSON.stringify(renderBody(group, error, requestId, identity, world.tag)),
        },
    )
  }
  if (plan.outage !== undefined) beginOutage(world, plan.outage, now)
  const limited = route?.endpoint.open !== true
  const facts = {
    requestId,
    rate: limited
      ? ((reply.status === 429 ? plan.refuse?.rate : undefined) ?? rateOf(world, key, settings, now))
      : undefined,
    limited,
    now,
  }
  // One object that is filled up: this happens for every call, and merging objects into new ones is slow.
  const headers = group.replyHeaders?.(facts, settings) ?? defaultHeaders(facts)
  addTo(headers, reply.headers)
  if (plan.headers !== undefined) changeHeaders(headers, plan, parts)
  if (plan.delay !== undefined) reply = { ...reply, delay: plan.delay + (reply.delay ?? 0) }
  reply = withHeaders(reply, headers)
  const record: CallRecord = {
    at: now,
    realAt,
    session: world.name,
    requestId,
    operation: route?.endpoint.operation,
    method: clip(call.method, longest.word),
    path: clip(call.query === '' ? call.path : `${call.path}?${redactQuery(call.query)}`, longest.address),
    key,
    headers: call.headers,
    status: reply.status,
    request: requestText(call.payload),
    rule: plan.rule,
    decidedBy: unmatched ? 'strict' : plan.decidedBy,
    bug: bug === undefined ? undefined : (bug.stack ?? bug.message),
    unmatched,
    transitions: world.store.endCall(now),
    faults: met,
    refusal: refused,
    violations,
    body: fieldsOf(call.payload),
    knownFields: route?.knownFields,
    events: reply.body.kind === 'events' ? reply.body.events : undefined,
    delay: reply.delay,
    prefix: call.session,
    considered,
    rulesAsked,
  }
  const entry = group.internal === true ? unkeptEntry(record) : world.journal.add(record)
  if (
    group.internal !== true &&
    (settings.explain || settings.strict !== false || call.headers['x-sim-explain'] === '1')
  )
    headers['x-sim-explain'] = explainShort(entry)
  return { reply, session, startedAt: now, entry, bug }
}

// Field by field: copying objects is slow, and this happens for every call.
function withHeaders(reply: Reply, headers: Record<string, string>): Reply {
  const { status, body, wire, links, delay } = reply
  if (delay !== undefined) return { ...reply, headers }
  if (wire !== undefined)
    return links === true ? { status, headers, body, wire, links } : { status, headers, body, wire }
  return links === true ? { status, headers, body, links } : { status, headers, body }
}

// A value of the request may hold what no header can: it is encoded, and that is told.
function changeHeaders(
  headers: Record<string, string>,
  { headers: changes = {}, rule }: Plan,
  { doubt }: Pick<CoreParts, 'doubt'>,
): void {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete headers[name]
    else if (matchesHeader(value)) headers[name] = value
    else {
      headers[name] = encodedHeader(value)
      doubt(
        `rule ${rule}: the header ${name} cannot be sent as it is, only visible ASCII characters can: the others are percent-encoded`,
      )
    }
  }
}

/**
 * What a rule makes of a reply, beside its faults. A breach of the contract that nobody meant is told, not
 * hidden.
 */
function shaped(reply: Reply, plan: Plan, endpoint: Endpoint, identity: Random, { doubt }: CoreParts): Reply {
  const { operation } = endpoint
  let made = reply
  if (plan.patch !== undefined) {
    if (canPatch(made)) made = patched(made, plan.patch)
    else
      doubt(
        `rule ${plan.rule}: \`patch\` and \`unset\` change JSON bodies, and ${operation} answered with ${made.body.kind === 'events' ? 'a stream' : 'another body'}: nothing was changed`,
      )
  }
  if (plan.pace !== undefined) made = paced(made, plan.pace.jitter ?? 0, identity.fork('jitter'))
  if (writesBody(plan) && plan.offContract !== true && made.offContract !== true && made.status < 300) {
    const breach = breachOf(endpoint, made)
    if (breach !== undefined)
      doubt(
        `rule ${plan.rule} makes ${operation} answer what the contract does not allow: ${breach}. Mark it \`offContract: true\` if that is meant.`,
      )
  }
  return made
}

/** Whether a rule says what stands in the body, rather than how or when it comes. */
function writesBody({ rule, reply, patch, script, answer, job, upstream, upload }: Plan): boolean {
  return rule !== undefined && (reply ?? patch ?? script ?? answer ?? job ?? upstream ?? upload) !== undefined
}

// Most paths have no parameters.
function textOf(params: Readonly<Record<string, string>>): string {
  for (const _name in params) return JSON.stringify(params)
  return '{}'
}

function addTo(headers: Record<string, string>, more: Readonly<Record<string, string>>): void {
  for (const name in more) headers[name] = more[name] as string
}

function refuseIf(refusal: PlannedRefusal | undefined, moment: PlannedRefusal['before']): void {
  if (refusal?.before !== moment) return
  throw plannedError(refusal)
}

function noRoute(call: IncomingCall, match: Match, router: Router): ApiError {
  const method = clip(call.method, longest.inMessage)
  const path = clip(call.path, longest.inMessage)
  if (match.kind === 'method') {
    return new ApiError(
      'method_not_allowed',
      `${method} is not a method of ${path}: expected ${match.allowed.filter((name) => name !== 'OPTIONS').join(' or ')}.`,
      { headers: { allow: match.allowed.join(', ') } },
    )
  }
  const owner = match.kind === 'none' ? match.group : undefined
  const routes = owner === undefined ? router.routes : router.routes.filter(({ group }) => group === owner)
  return new ApiError(
    'not_found_error',
    `Unknown path: ${method} ${path}. ${suggestion(call.method, call.path, routes, owner !== undefined)}`,
  )
}
