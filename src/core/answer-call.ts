/** The order of a call, the same for every operation. Each stage works on one `CallState`. */
import { unkeptEntry } from '../engine/journal.ts'
import type { CallRecord } from '../engine/journal-entry.ts'
import { randomFrom } from '../engine/random.ts'
import { redactQuery } from '../engine/redact.ts'
import { explainShort } from '../journal/explain-call.ts'
import { unmatchedCall } from '../journal/rule-reasons.ts'
import { authenticate } from '../protocol/auth.ts'
import type { ApiKey, Call, IncomingCall, Payload } from '../protocol/call.ts'
import { bytesText, journalFormText } from '../protocol/canonical.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import { type PlannedRefusal, plannedError } from '../protocol/plan.ts'
import { countRequest, defaultHeaders, rateOf } from '../protocol/rate.ts'
import { itemsOf } from '../protocol/reply.ts'
import type { Match, Route } from '../protocol/router.ts'
import { refuseLarge } from '../protocol/traffic.ts'
import { readBodyFacts } from '../protocol/validate.ts'
import { clip } from '../protocol/wording.ts'
import type { RuleFacts } from '../scenario/asked-rules.ts'
import { namedJob, submissionOf } from '../scenario/condition-facts.ts'
import { plannedReply } from '../scenario/patch.ts'
import { applyRule, changeHeaders, selfCheck, withFaults, writesBody } from './apply-plan.ts'
import { type Arrival, beginCall, beginOutage, resetExchange } from './begin-call.ts'
import type { AnsweredCall, CallState, CoreParts } from './call-state.ts'
import { noteRendered, playRecorded, playUnrouted } from './play-recorded.ts'
import { bugReply, refusalEntry, refusalReply, violationsOf } from './refusal.ts'

/** Answers one call whose needs are loaded. */
export function answerCall(
  parts: CoreParts,
  request: IncomingCall,
  match: Match,
  arrival?: Arrival,
): AnsweredCall {
  const call = beginCall(parts, request, match, arrival)
  if (call.isAway) return resetExchange(call)
  try {
    serve(call)
  } catch (error) {
    refuse(call, error)
  }
  if (call.plan.faults !== undefined || call.reply.faults !== undefined) meetFaults(call)
  if (call.plan.outage !== undefined) beginOutage(call.world, call.plan.outage, call.now)
  writeHeaders(call)
  return journal(call)
}

/** From the route to the reply. Whatever refuses the call throws. */
function serve(call: CallState): void {
  const { route, request, parts, settings } = call
  if (call.sessionError !== undefined) throw call.sessionError
  if (route === undefined) {
    if (playUnrouted(call)) return
    throw parts.router.unknownPath(request, call.match)
  }
  const facts = readFacts(call, route)
  call.plan = call.director.plan(facts)
  if (parts.recordings !== undefined) {
    // Rules refuse before recordings answer; reserved values only refuse what was not recorded.
    if (call.plan.rule !== undefined) refuseIfPlanned(call, 'auth')
    if (playRecorded(call, route, facts)) {
      if (call.plan.rule !== undefined) applyRule(call, route)
      return
    }
  }
  refuseIfPlanned(call, 'auth')
  const key = requireKey(call, route)
  refuseIfPlanned(call, 'validation')
  const { endpoint } = route
  endpoint.checkHeaders?.(request.headers)
  const query = request.query === '' && endpoint.query === undefined ? {} : route.reader.query(request.query)
  const body = route.reader.body(call.payload)
  // Only requests that are valid count.
  if (endpoint.open !== true && settings.limits.requestsPerMinute !== undefined)
    countRequest(call.world, key.value, settings, call.now)
  if (!call.rulesAsked) askRules(call, route, facts)
  // A submission whose job runs anyway is refused once the job exists.
  if (call.plan.refuse?.jobContinues !== true) refuseIfPlanned(call, 'act')
  act(call, endpoint, { key, query, body })
  // An operation that makes no job has not thrown by now.
  refuseIfPlanned(call, 'act')
  if (parts.recordings !== undefined) noteRendered(call)
  if (call.plan.rule !== undefined) applyRule(call, route)
  // What a rule has written is not ours.
  if (parts.selfCheck && call.reply.offContract !== true && !writesBody(call.plan))
    selfCheck(endpoint, call.reply)
  // Those who look for the cause, by the control API, get theirs.
  if (parts.traffic.unread >= parts.settings.traffic.unreadBytes && call.group.internal !== true)
    refuseLarge(call.reply, parts)
}

/** What rules and reserved values look at. */
function readFacts(call: CallState, route: Route): RuleFacts {
  const { endpoint } = route
  const { request, payload, params, key, now, identity, world, nth } = call
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
    query: request.query,
    headers: request.headers,
    params,
    job: endpoint.concerns === undefined ? undefined : namedJob(endpoint.concerns, params, payload, world),
    now,
    identity,
    world,
    considered: undefined,
  }
  call.facts = facts
  return facts
}

function refuseIfPlanned({ plan }: CallState, moment: PlannedRefusal['before']): void {
  if (plan.refuse?.before === moment) throw plannedError(plan.refuse)
}

function requireKey({ request, group, key, settings, plan }: CallState, { endpoint }: Route): ApiKey {
  const caller =
    endpoint.open === true
      ? { value: key ?? '' }
      : authenticate(key, request.headers, group.credentials, settings)
  return plan.reservedModel === undefined ? caller : { ...caller, reservedModel: plan.reservedModel }
}

function askRules(call: CallState, { endpoint }: Route, facts: RuleFacts): void {
  const { director, settings, world } = call
  const { operation } = endpoint
  call.rulesAsked = true
  call.plan = director.ruled(call.plan, facts)
  if (settings.strict === false || !director.lacksRule(call.plan, endpoint, settings)) return
  call.unmatched = true
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
  call: CallState,
  endpoint: Endpoint,
  { key, query, body }: Pick<Call, 'key' | 'query' | 'body'>,
): void {
  const { request, params, requestId, now, contentKey, identity, plan, world, settings, parts } = call
  if (plan.reply !== undefined) {
    call.reply = plannedReply(plan.reply)
    return
  }
  const full: Call = {
    operation: endpoint.operation,
    method: request.method,
    requestId,
    params,
    query,
    headers: request.headers,
    body,
    key,
    now,
    content: randomFrom('content', contentKey),
    identity,
    plan,
  }
  world.store.submission =
    endpoint.submits === undefined || call.facts === undefined
      ? undefined
      : submissionOf(endpoint.operation, call.facts)
  const { facilities, traffic } = parts
  const note = (lines: () => readonly string[]): void => {
    call.notes = lines
  }
  call.reply = endpoint.act(full as Call<never, never>, { world, settings, facilities, traffic, note })
}

/** The one place where a refusal becomes a reply. Anything but an `ApiError` is a bug of the simulator. */
function refuse(call: CallState, error: unknown): void {
  if (error instanceof ApiError) {
    call.refusal = refusalEntry(call, error)
    // What a rule or a reserved value refuses is no fault of the request.
    if (call.plan.refuse === undefined && !call.unmatched) call.violations = violationsOf(error)
    call.reply = refusalReply(call, error)
  } else {
    const bug = error instanceof Error ? error : new Error(String(error))
    const { request, parts } = call
    parts.warn?.(`bug of the simulator in ${request.method} ${request.path}: ${bug.stack ?? bug.message}`)
    call.bug = bug
    call.reply = bugReply(call, bug.message)
  }
}

/** Faults of the rule, of a reserved value or of a script edit the reply. */
function meetFaults(call: CallState): void {
  const { plan, reply, bug } = call
  const faults = [...(plan.faults ?? []), ...(reply.faults ?? [])]
  if (bug !== undefined) return
  // A reserved value does not touch a call that was refused before its turn came.
  if (plan.rule === undefined && reply.status >= 300) return
  call.faults = faults
  call.reply = withFaults(call, faults)
}

function writeHeaders(call: CallState): void {
  const { route, group, plan, reply, requestId, world, key, now, settings, parts } = call
  const { instantText } = parts
  const limited = route?.endpoint.open !== true
  const planned = reply.status === 429 ? plan.refuse?.rate : undefined
  const isCounted = limited && settings.limits.requestsPerMinute !== undefined
  const rate = planned ?? (isCounted ? rateOf(world, key, settings, now) : undefined)
  const facts = { requestId, rate: limited ? rate : undefined, limited, now, instantText }
  // One object that is filled up: this happens for every call, and merging objects into new ones is slow.
  const headers = call.played ? {} : (group.replyHeaders?.(facts, settings) ?? defaultHeaders(facts))
  for (const name in reply.headers) headers[name] = reply.headers[name] as string
  if (plan.headers !== undefined) changeHeaders(headers, call)
  if (plan.delay !== undefined) call.reply = { ...reply, delay: plan.delay + (reply.delay ?? 0) }
  call.headers = headers
}

function journal(call: CallState): AnsweredCall {
  const { request, route, group, session, world, settings, plan, reply, headers, now, bug } = call
  const { text, fields } = readKept(request.payload)
  const isExplained =
    group.internal !== true &&
    (settings.explain || settings.strict !== false || request.headers['x-sim-explain'] === '1')
  if (isExplained && plan.rule === undefined) call.facts?.considered?.settle()
  const path = request.query === '' ? request.path : `${request.path}?${redactQuery(request.query)}`
  const record: CallRecord = {
    at: now,
    realAt: call.realAt,
    session: world.name,
    requestId: call.requestId,
    operation: route?.endpoint.operation,
    // What clients send has no bound.
    method: request.method.length > 200 ? clip(request.method, 200) : request.method,
    path: path.length > 2000 ? clip(path, 2000) : path,
    key: call.key,
    headers: request.headers,
    status: reply.status,
    request: text,
    rule: plan.rule,
    decidedBy: call.unmatched ? (plan.decidedBy ?? 'strict') : plan.decidedBy,
    bug: bug === undefined ? undefined : (bug.stack ?? bug.message),
    unmatched: call.unmatched,
    transitions: world.store.transitions.isEmpty ? undefined : world.store.endCall(now),
    faults: call.faults,
    refusal: call.refusal,
    violations: call.violations,
    body: fields,
    knownFields: route?.knownFields,
    events: reply.body.kind === 'events' ? itemsOf(reply.body) : undefined,
    isSentAsItIs: reply.wire === undefined && reply.links !== true,
    delay: reply.delay,
    prefix: request.session,
    considered: call.facts?.considered,
    rulesAsked: call.rulesAsked,
    notes: call.notes,
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
