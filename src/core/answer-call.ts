/**
 * The order of a call, the same for every operation. Each stage has one job and works on one `CallState`.
 */
import { unkeptEntry } from '../engine/journal.ts'
import type { CallRecord } from '../engine/journal-entry.ts'
import { randomFrom } from '../engine/random.ts'
import { redactQuery } from '../engine/redact.ts'
import { explainShort } from '../journal/explain-call.ts'
import { lacksRule, unmatchedCall } from '../journal/rule-reasons.ts'
import { authenticate } from '../protocol/auth.ts'
import type { ApiKey, Call, IncomingCall, Payload } from '../protocol/call.ts'
import { bytesText, journalFormText } from '../protocol/canonical.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import { type PlannedRefusal, plannedError } from '../protocol/plan.ts'
import { countRequest, defaultHeaders, rateOf } from '../protocol/rate.ts'
import type { Match, Route } from '../protocol/router.ts'
import { readBodyFacts, validBody, validQuery } from '../protocol/validate.ts'
import { clip } from '../protocol/wording.ts'
import type { RuleFacts } from '../scenario/asked-rules.ts'
import { namedJob, submissionOf } from '../scenario/condition-facts.ts'
import { plannedReply } from '../scenario/patch.ts'
import { applyRule, changeHeaders, selfCheck, withFaults, writesBody } from './apply-plan.ts'
import { type Arrival, beginCall, beginOutage, findPlace, isAway, resetExchange } from './begin-call.ts'
import type { AnsweredCall, CallState, CoreParts } from './call-state.ts'
import { noteRendered, playRecorded, playUnrouted } from './play-recorded.ts'
import { bugReply, refusalEntry, refusalReply, refuseLarge, unknownPath, violationsOf } from './refusal.ts'

/** Answers one call whose needs are loaded. */
export function answerCall(
  parts: CoreParts,
  call: IncomingCall,
  match: Match,
  arrival?: Arrival,
): AnsweredCall {
  const place = findPlace(call, match, parts, arrival)
  if (place.session.world.outage !== undefined && isAway(place)) return resetExchange(place)
  const state = beginCall(place)
  try {
    serve(state)
  } catch (error) {
    refuse(state, error)
  }
  if (state.plan.faults !== undefined || state.reply.faults !== undefined) meetFaults(state)
  if (state.plan.outage !== undefined) beginOutage(state.world, state.plan.outage, state.now)
  writeHeaders(state)
  return journal(state)
}

/** From the route to the reply. Whatever refuses the call throws. */
function serve(state: CallState): void {
  const { route, call, parts, settings } = state
  if (state.sessionError !== undefined) throw state.sessionError
  if (route === undefined) {
    if (playUnrouted(state)) return
    throw unknownPath(call, state.match, parts.router)
  }
  const facts = readFacts(state, route)
  state.plan = state.director.plan(facts)
  if (parts.recordings !== undefined) {
    // Rules refuse before recordings answer; reserved values only refuse what was not recorded.
    if (state.plan.rule !== undefined) refuseIfPlanned(state, 'auth')
    if (playRecorded(state, route, facts)) {
      if (state.plan.rule !== undefined) applyRule(state, route)
      return
    }
  }
  refuseIfPlanned(state, 'auth')
  const key = requireKey(state, route)
  refuseIfPlanned(state, 'validation')
  const { endpoint, group, readBody } = route
  endpoint.checkHeaders?.(call.headers)
  const query = call.query === '' && endpoint.query === undefined ? {} : validQuery(endpoint, call.query)
  const body = validBody(endpoint, state.payload, group, readBody)
  // Only requests that are valid count.
  if (endpoint.open !== true && settings.limits.requestsPerMinute !== undefined)
    countRequest(state.world, key.value, settings, state.now)
  if (!state.rulesAsked) askRules(state, route, facts)
  const { refuse: refusal } = state.plan
  // A submission whose job runs anyway is refused once the job exists.
  if (refusal?.jobContinues !== true) refuseIfPlanned(state, 'act')
  act(state, endpoint, key, query, body)
  // An operation that makes no job has not thrown by now.
  if (refusal?.jobContinues === true) refuseIfPlanned(state, 'act')
  if (parts.recordings !== undefined) noteRendered(state)
  if (state.plan.rule !== undefined) applyRule(state, route)
  if (parts.traffic.unread >= parts.settings.traffic.unreadBytes) refuseLarge(state)
  if (parts.selfCheck) checkReply(state, route)
}

/** What rules and reserved values look at. */
function readFacts(state: CallState, route: Route): RuleFacts {
  const { endpoint } = route
  const { call, payload, params, key, now, identity, world, nth } = state
  const { model, prompt } = readBodyFacts(payload, endpoint)
  const facts: RuleFacts = {
    operation: endpoint.operation,
    route,
    key: endpoint.open === true ? undefined : key,
    model: model ?? params['model'],
    prompt,
    path: endpoint.filePathOf?.(payload.kind === 'json' ? payload.value : undefined, params),
    nth,
    payload,
    query: call.query,
    headers: call.headers,
    params,
    job: endpoint.concerns === undefined ? undefined : namedJob(endpoint.concerns, params, payload, world),
    now,
    identity,
    world,
    considered: undefined,
  }
  state.facts = facts
  return facts
}

function refuseIfPlanned({ plan: { refuse: refusal } }: CallState, moment: PlannedRefusal['before']): void {
  if (refusal?.before === moment) throw plannedError(refusal)
}

function requireKey({ call, group, key, settings, plan }: CallState, { endpoint }: Route): ApiKey {
  const caller =
    endpoint.open === true
      ? { value: key ?? '' }
      : authenticate(key, call.headers, group.credentials, settings)
  return plan.reservedModel === undefined ? caller : { ...caller, reservedModel: plan.reservedModel }
}

function askRules(state: CallState, { endpoint }: Route, facts: RuleFacts): void {
  const { director, settings, world } = state
  const { operation } = endpoint
  state.rulesAsked = true
  state.plan = director.ruled(state.plan, facts)
  if (settings.strict === false || !lacksRule(state.plan, endpoint, settings)) return
  state.unmatched = true
  const { considered } = facts
  throw unmatchedCall({
    operation,
    session: world.name,
    rules: director.rules,
    tried: considered?.tried ?? 0,
    considered: considered?.settle() ?? [],
  })
}

/** The operation itself, unless a rule has written the whole reply. */
function act(
  state: CallState,
  endpoint: Endpoint,
  key: ApiKey,
  query: Readonly<Record<string, string>>,
  body: unknown,
): void {
  const { call, params, requestId, now, contentKey, identity, plan, world, settings, parts } = state
  if (plan.reply !== undefined) {
    state.reply = plannedReply(plan.reply)
    return
  }
  const full: Call = {
    operation: endpoint.operation,
    method: call.method,
    requestId,
    params,
    query,
    headers: call.headers,
    body,
    key,
    now,
    content: randomFrom('content', contentKey),
    identity,
    plan,
  }
  world.store.submission =
    endpoint.submits === undefined || state.facts === undefined
      ? undefined
      : submissionOf(endpoint.operation, state.facts)
  const { facilities, traffic } = parts
  const note = (lines: readonly string[]): void => {
    state.notes = lines
  }
  state.reply = endpoint.act(full as Call<never, never>, { world, settings, facilities, traffic, note })
}

/** The self-check of tests; what a rule has written is not ours. */
function checkReply({ reply, plan }: CallState, { endpoint }: Route): void {
  if (reply.offContract !== true && !writesBody(plan)) selfCheck(endpoint, reply)
}

/** The one place where a refusal becomes a reply. Anything but an `ApiError` is a bug of the simulator. */
function refuse(state: CallState, error: unknown): void {
  if (error instanceof ApiError) {
    state.refusal = refusalEntry(state, error)
    // What a rule or a reserved value refuses is no fault of the request.
    if (state.plan.refuse === undefined && !state.unmatched) state.violations = violationsOf(error)
    state.reply = refusalReply(state, error)
  } else {
    const bug = error instanceof Error ? error : new Error(String(error))
    const { call, parts } = state
    parts.warn?.(`bug of the simulator in ${call.method} ${call.path}: ${bug.stack ?? bug.message}`)
    state.bug = bug
    state.reply = bugReply(state, bug.message)
  }
}

/** Faults of the rule, of a reserved value or of a script edit the reply. */
function meetFaults(state: CallState): void {
  const { plan, reply, bug } = state
  const faults = [...(plan.faults ?? []), ...(reply.faults ?? [])]
  if (bug !== undefined) return
  // A reserved value does not touch a call that was refused before its turn came.
  if (plan.rule === undefined && reply.status >= 300) return
  state.faults = faults
  state.reply = withFaults(state, faults)
}

function writeHeaders(state: CallState): void {
  const { route, group, plan, reply, requestId, world, key, now, settings } = state
  const limited = route?.endpoint.open !== true
  const planned = reply.status === 429 ? plan.refuse?.rate : undefined
  const isCounted = limited && settings.limits.requestsPerMinute !== undefined
  const rate = planned ?? (isCounted ? rateOf(world, key, settings, now) : undefined)
  const facts = { requestId, rate: limited ? rate : undefined, limited, now }
  // One object that is filled up: this happens for every call, and merging objects into new ones is slow.
  const headers = state.played ? {} : (group.replyHeaders?.(facts, settings) ?? defaultHeaders(facts))
  for (const name in reply.headers) headers[name] = reply.headers[name] as string
  if (plan.headers !== undefined) changeHeaders(headers, state)
  if (plan.delay !== undefined) state.reply = { ...reply, delay: plan.delay + (reply.delay ?? 0) }
  state.headers = headers
}

function journal(state: CallState): AnsweredCall {
  const { call, route, group, session, world, settings, plan, reply, headers, now, bug } = state
  const { text, fields } = readKept(call.payload)
  const isExplained =
    group.internal !== true &&
    (settings.explain || settings.strict !== false || call.headers['x-sim-explain'] === '1')
  if (isExplained && plan.rule === undefined) state.facts?.considered?.settle()
  const path = call.query === '' ? call.path : `${call.path}?${redactQuery(call.query)}`
  const record: CallRecord = {
    at: now,
    realAt: state.realAt,
    session: world.name,
    requestId: state.requestId,
    operation: route?.endpoint.operation,
    // What clients send has no bound.
    method: call.method.length > 200 ? clip(call.method, 200) : call.method,
    path: path.length > 2000 ? clip(path, 2000) : path,
    key: state.key,
    headers: call.headers,
    status: reply.status,
    request: text,
    rule: plan.rule,
    decidedBy: state.unmatched ? (plan.decidedBy ?? 'strict') : plan.decidedBy,
    bug: bug === undefined ? undefined : (bug.stack ?? bug.message),
    unmatched: state.unmatched,
    transitions: world.store.transitions.isEmpty ? undefined : world.store.endCall(now),
    faults: state.faults,
    refusal: state.refusal,
    violations: state.violations,
    body: fields,
    knownFields: route?.knownFields,
    events: reply.body.kind === 'events' ? reply.body.events : undefined,
    delay: reply.delay,
    prefix: call.session,
    considered: state.facts?.considered,
    rulesAsked: state.rulesAsked,
    notes: state.notes,
  }
  const entry = group.internal === true ? unkeptEntry(record) : world.journal.add(record)
  if (isExplained) headers['x-sim-explain'] = explainShort(entry)
  return { reply, headers, session, startedAt: now, entry, bug }
}

/** What the journal keeps of a body: its text, and its fields or their names. */
function readKept(payload: Payload): { readonly text: string | undefined; readonly fields: unknown } {
  switch (payload.kind) {
    case 'json':
      return { text: payload.text, fields: Array.isArray(payload.value) ? undefined : payload.value }
    case 'form':
      return { text: journalFormText(payload.fields), fields: payload.fields.map(({ name }) => name) }
    case 'bytes':
      return { text: bytesText(payload), fields: undefined }
    default:
      return { text: undefined, fields: undefined }
  }
}
