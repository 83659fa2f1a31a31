/** The order of a call, the same for every operation. Each stage works on one `CallState`. */
import { isFields } from '../engine/fields.ts'
import { randomFrom } from '../engine/random.ts'
import { redactQuery } from '../engine/redact.ts'
import { explainShort } from '../exchange/explain-call.ts'
import { unkeptExchange } from '../exchange/journal.ts'
import type { AnsweredFacts } from '../exchange/kept-exchange.ts'
import { unmatchedCall } from '../exchange/rule-reasons.ts'
import { authenticate } from '../protocol/auth.ts'
import type { Call, IncomingCall, Payload } from '../protocol/call.ts'
import { bytesText, journalFormText } from '../protocol/canonical.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import { plannedError } from '../protocol/plan.ts'
import { countRequest, defaultHeaders, rateOf } from '../protocol/rate.ts'
import { itemsOf } from '../protocol/response.ts'
import type { Match, Route } from '../protocol/router.ts'
import { readBodyFacts } from '../protocol/validate.ts'
import { clip } from '../protocol/wording.ts'
import { namedJob } from '../scenario/condition-facts.ts'
import { actsInPlan, idleReason } from '../scenario/faults/all.ts'
import { plannedResponse } from '../scenario/patch.ts'
import { type RuleFacts, RuleOutcomes } from '../scenario/rule-outcomes.ts'
import { applyRule, changeHeaders, selfCheck, withFaults, writesBody } from './apply-plan.ts'
import { type Arrival, beginCall, beginOutage } from './begin-call.ts'
import type { AnsweredCall, CallState, CoreParts } from './call-state.ts'
import { bugResponse, rejectionEntry, rejectionResponse, violationsOf } from './rejection.ts'

/** Answers one call whose dependencies are loaded. */
export function answerCall(
  parts: CoreParts,
  request: IncomingCall,
  match: Match,
  arrival?: Arrival,
): AnsweredCall {
  const call = beginCall(parts, request, match, arrival)
  // During an outage.
  if (call.response.wire !== undefined) return journal(call)
  try {
    serve(call)
  } catch (error) {
    reject(call, error)
  }
  if ((call.plan.faults ?? call.response.faults) !== undefined) meetFaults(call)
  if (call.plan.outage !== undefined) beginOutage(call, call.plan.outage)
  writeHeaders(call)
  return journal(call)
}

/** From the route to the response. Throws to reject the call. */
function serve(call: CallState): void {
  const { route, request, parts, settings } = call
  if (call.sessionError !== undefined) throw call.sessionError
  if (route === undefined) throw parts.router.unknownPath(request, call.match)
  const { endpoint } = route
  const facts = readFacts(call, route)
  call.plan = call.director.plan(facts)
  const { reject: early, reserved } = call.plan
  if (early?.before === 'auth') throw plannedError(early)
  const caller =
    endpoint.open === true
      ? { value: call.key ?? '' }
      : authenticate(call.key, request.headers, call.group.credentials, settings)
  const key = reserved?.in === 'model' ? { ...caller, reservedModel: reserved.written } : caller
  if (early?.before === 'validation') throw plannedError(early)
  endpoint.checkHeaders?.(request.headers)
  const query = request.query === '' && endpoint.query === undefined ? {} : route.reader.query(request.query)
  const body = route.reader.body(call.payload)
  endpoint.check?.({ params: call.params, body: body as never, key }, settings)
  // Only valid requests count.
  if (endpoint.open !== true && settings.limits.requestsPerMinute !== undefined)
    countRequest(call.sandbox, key.value, settings, call.now)
  if (!call.rulesAsked) {
    call.rulesAsked = true
    call.plan = call.director.ruled(call.plan, facts)
    if (settings.strict !== false) rejectUnmatched(call, endpoint, facts)
  }
  const late = call.plan.reject?.before === 'act' ? call.plan.reject : undefined
  // An ambiguous submission is rejected after its job has been created.
  if (late !== undefined && late.jobContinues !== true) throw plannedError(late)
  act(call, endpoint, { key, query, body })
  // Operations that create no job have not thrown yet.
  if (late !== undefined) throw plannedError(late)
  if (call.plan.rule !== undefined) applyRule(call, route)
  // Responses written by a rule are not checked.
  if (parts.selfCheck && call.response.offContract !== true && !writesBody(call.plan))
    selfCheck(endpoint, call.response)
}

/** The input of rules and reserved values. */
function readFacts(call: CallState, route: Route): RuleFacts {
  const { endpoint } = route
  const { request, payload, params, key, now, identity, sandbox, nth } = call
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
    job: endpoint.job?.concerns && namedJob(endpoint.job.concerns, params, payload),
    now,
    identity,
    sandbox,
    considered: new RuleOutcomes(),
  }
  call.facts = facts
  return facts
}

/** Rejects a call that no rule matches, where rules are required. */
function rejectUnmatched(call: CallState, endpoint: Endpoint, { considered }: RuleFacts): void {
  const { director, settings, sandbox } = call
  if (!director.lacksRule(call.plan, endpoint, settings)) return
  call.unmatched = true
  throw unmatchedCall({
    operation: endpoint.operation,
    session: sandbox.name,
    considered: considered.traces,
  })
}

/** The operation itself, unless a rule defines the whole response. */
function act(
  call: CallState,
  endpoint: Endpoint,
  { key, query, body }: Pick<Call, 'key' | 'query' | 'body'>,
): void {
  const { request, params, requestId, now, contentKey, identity, plan, sandbox, settings, parts } = call
  if (plan.response !== undefined) {
    call.response = plannedResponse(plan.response)
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
  const note = (lines: () => readonly string[]): void => {
    call.notes = lines
  }
  call.response = endpoint.act(full as Call<never, never>, {
    sandbox,
    settings,
    facilities: parts.facilities.loaded,
    traffic: parts.traffic,
    note,
  })
}

/**
 * The only place that turns a rejection into a response. Any error other than `ApiError` is a bug in the
 * simulator.
 */
function reject(call: CallState, error: unknown): void {
  if (error instanceof ApiError) {
    call.rejection = rejectionEntry(call, error)
    // The request is not at fault if a rule or a reserved value rejects it.
    if (call.plan.reject === undefined && !call.unmatched) call.violations = violationsOf(error)
    call.response = rejectionResponse(call, error)
  } else {
    const bug = error instanceof Error ? error : new Error(String(error))
    const { request, parts } = call
    parts.warn?.(
      `internal error in gateway-sim during ${request.method} ${request.path}: ${bug.stack ?? bug.message}`,
    )
    call.bug = bug
    call.response = bugResponse(call, bug.message)
  }
}

/** Applies the faults of the rule, the reserved value or the script to the response. */
function meetFaults(call: CallState): void {
  const { plan, response, bug } = call
  // The last fault of a script comes first, because each may change the number of events.
  const faults = [...(response.faults ?? []).toReversed(), ...(plan.faults ?? [])]
  if (bug !== undefined) return
  // A reserved value does not affect a call that was rejected earlier.
  if (plan.rule === undefined && response.status >= 300) return
  const reasons = faults.map(({ kind }) => idleReason(kind, response))
  // A rejection that the plan does not contain takes precedence over the plan.
  const isRejected = plan.reject === undefined && response.status >= 300
  call.faults = faults.filter(
    ({ kind }, index) => reasons[index] === undefined && !(isRejected && actsInPlan(kind)),
  )
  call.response = withFaults(call, faults)
  const { notes } = call
  const idle = faults.flatMap(({ kind }, index) =>
    reasons[index] === undefined ? [] : `The fault ${kind} had no effect: ${reasons[index]}.`,
  )
  if (idle.length > 0) call.notes = () => [...(notes?.() ?? []), ...idle]
}

function writeHeaders(call: CallState): void {
  const { route, group, plan, response, requestId, sandbox, key, now, settings, parts } = call
  const { timestampText } = parts
  const limited = route?.endpoint.open !== true
  const planned = response.status === 429 ? plan.reject?.rate : undefined
  const isCounted = limited && settings.limits.requestsPerMinute !== undefined
  const rate = planned ?? (isCounted ? rateOf(sandbox, key, settings, now) : undefined)
  const facts = { requestId, rate: limited ? rate : undefined, limited, now, timestampText }
  // One object, filled in place: merging objects is too slow for every call.
  const headers = group.responseHeaders?.(facts, settings) ?? defaultHeaders(facts)
  for (const name in response.headers) headers[name] = response.headers[name] as string
  if (plan.headers !== undefined) changeHeaders(headers, call)
  if (plan.delay !== undefined) call.response = { ...response, delay: plan.delay + (response.delay ?? 0) }
  call.headers = headers
}

/** Records the call in the journal, and hands over its response. */
function journal(call: CallState): AnsweredCall {
  const { request, group, session, sandbox, settings, response, headers, now, bug } = call
  const facts = factsOf(call)
  const entry = group.internal === true ? unkeptExchange(facts) : sandbox.journal.add(facts)
  const isExplained =
    settings.explain || settings.strict !== false || request.headers['x-sim-explain'] === '1'
  if (isExplained && group.internal !== true) headers['x-sim-explain'] = explainShort(entry)
  return { response, headers, session, startedAt: now, entry, bug }
}

function factsOf(call: CallState): AnsweredFacts {
  const { request, route, sandbox, plan, response, now, bug } = call
  const { text, fields, isSummary } = readKept(request.payload)
  const url = request.query === '' ? request.path : `${request.path}?${redactQuery(request.query)}`
  const considered = call.facts?.considered
  return {
    at: now,
    realAt: call.realAt,
    session: sandbox.name,
    operation: route?.endpoint.operation,
    // Request data is unbounded.
    method: clip(request.method, 200),
    url: clip(url, 2000),
    status: response.status,
    cause: {
      requestId: call.requestId,
      rule: plan.rule,
      decidedBy: call.unmatched ? (plan.decidedBy ?? { kind: 'strict' }) : plan.decidedBy,
      bug: bug === undefined ? undefined : (bug.stack ?? bug.message),
      unmatched: call.unmatched,
      transitions: sandbox.store.transitions.end(now),
      rejection: call.rejection,
      violations: call.violations ?? [],
      considered: considered?.traces,
      rulesTried: considered?.tried ?? 0,
      rulesAsked: call.rulesAsked,
      notes: call.notes?.(),
    },
    key: call.key,
    reservedEffect: plan.reserved?.effect,
    headers: request.headers,
    prefix: request.session,
    chain: request.chain,
    request: text,
    isSummary: isSummary || undefined,
    fields,
    knownFields: route?.knownFields,
    faults: call.faults,
    responseHeaders: call.headers,
    events: response.body.kind === 'events' ? itemsOf(response.body) : undefined,
    isExact: response.wire === undefined && response.links !== true,
    delay: response.delay,
  }
}

/** The part of a body that the journal keeps: its text, and the names of its fields. */
interface Kept {
  readonly text: string | undefined
  readonly isSummary: boolean
  readonly fields: readonly string[]
}

const noFields: readonly string[] = []

function readKept(payload: Payload): Kept {
  switch (payload.kind) {
    case 'json': {
      const { text, value } = payload
      return { text, isSummary: false, fields: isFields(value) ? Object.keys(value) : noFields }
    }
    case 'form': {
      // `image[]` and `image` are one field.
      const fields = new Set(payload.fields.map(({ name }) => name.replace(/\[.*$/s, '')))
      return { text: journalFormText(payload.fields), isSummary: true, fields: [...fields] }
    }
    case 'bytes':
      return { text: bytesText(payload), isSummary: true, fields: noFields }
    default:
      return { text: undefined, isSummary: false, fields: noFields }
  }
}
