/**
 * One order for every call: route, session, plan, authenticate, validate, act, render, faults (DESIGN idea 5). Synchronous
 * and pure apart from the world it is given; knows nothing of doors.
 */
import { mintId } from './engine/ids.ts'
import type { JournalEntry } from './engine/journal.ts'
import { Hasher, keyOf, type Words } from './engine/hash.ts'
import { randomFrom, type Random } from './engine/random.ts'
import { authenticate, findKey, redactKey } from './protocol/auth.ts'
import type { ApiKey, Call, IncomingCall, Payload } from './protocol/call.ts'
import { bytesText, formText, TooDeep, writeInput, type InputRules } from './protocol/canonical.ts'
import type { Endpoint, EndpointGroup, Facilities } from './protocol/endpoint.ts'
import { ApiError } from './protocol/errors.ts'
import { plannedError, type Plan, type PlannedRefusal } from './protocol/plan.ts'
import { countRequest, rateOf, usualHeaders } from './protocol/rate.ts'
import { json, type Reply } from './protocol/reply.ts'
import type { Match, Route, Router } from './protocol/router.ts'
import type { Settings } from './protocol/settings.ts'
import { validBody, validQuery } from './protocol/validate.ts'
import { clip } from './protocol/wording.ts'
import { applyFaults } from './scenario/faults/apply.ts'
import type { Director } from './scenario/director.ts'
import { selfCheck } from './self-check.ts'
import type { Session, Sessions } from './sessions.ts'
import { suggestion } from './suggestion.ts'

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
}

const noFields: ReadonlySet<string> = new Set()

/** The longest message, field path and written address that a refusal or the journal holds; what clients send has no bound. */
const longest = { message: 2000, detail: 500, field: 200, address: 2000, inMessage: 200 } as const

/** The longest wait that a refusal names in `auto`, in milliseconds. */
const longestNap = 1000

/** Answers one call. */
export function takeCall(call: IncomingCall, match: Match, parts: CoreParts): Exchange {
  const { settings, sessions } = parts
  const route = match.kind === 'found' ? match.route : undefined
  const group = route?.group ?? (match.kind === 'method' ? match.group : parts.fallback)
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
  const now = world.clock.now()
  const target = route?.endpoint.operation ?? `${call.method} ${call.path}`
  const pathText = route === undefined ? '' : textOf(params)
  const input = readInput(call, route, new Hasher().text(world.seed).text(target).text(pathText))
  const { contentKey } = input
  const fullKey = input.rest.text(call.query).text(key ?? '').words()
  const nth = world.seen(keyOf(fullKey))
  const identity = randomFrom(`identity ${nth}`, fullKey)
  const requestId = mintId('req_', world.tag, identity)
  let plan: Plan = {}
  let bug: Error | undefined

  let reply: Reply
  try {
    if (refusedSession !== undefined) throw refusedSession
    if (route === undefined) throw noRoute(call, match, parts.router)
    const { endpoint } = route
    plan = parts.director.plan({
      operation: endpoint.operation,
      key: endpoint.open === true ? undefined : key,
      model: modelOf(input.payload) ?? params['model'],
      prompt: promptOf(endpoint, input.payload),
      path: filePathOf(endpoint, input.payload, params),
      nth,
    })
    refuseIf(plan.refuse, 'auth')
    const caller: ApiKey = endpoint.open === true ? { value: key ?? '' } : authenticate(call.headers, group.credentials, settings)
    const apiKey: ApiKey = plan.reservedModel === undefined ? caller : { ...caller, reservedModel: plan.reservedModel }
    refuseIf(plan.refuse, 'validation')
    endpoint.checkHeaders?.(call.headers)
    const query = validQuery(endpoint, call.query)
    const body = validBody(endpoint, input.payload, group, route.readBody)
    if (endpoint.open !== true) countRequest(world, apiKey.value, settings, now)
    if (plan.refuse?.jobContinues !== true) refuseIf(plan.refuse, 'act')
    const full: Call = { operation: endpoint.operation, method: call.method, requestId, params, query, headers: call.headers, body, key: apiKey, now, content: randomFrom('content', contentKey), identity, plan }
    reply = endpoint.act(full as Call<never, never>, { world, settings, facilities: parts.facilities })
    // Where a job is made, a refusal that leaves it behind has been thrown by now; an operation that makes none refuses all the same.
    if (plan.refuse?.jobContinues === true) refuseIf(plan.refuse, 'act')
    const faults = reply.faults === undefined ? plan.faults : [...(plan.faults ?? []), ...reply.faults]
    if (faults !== undefined) {
      reply = applyFaults(reply, faults, identity.fork('faults'), (error) => group.streamError?.(error, { requestId, traceId: traceId(world.tag, identity) }) ?? { data: JSON.stringify(renderBody(group, error, requestId, identity, world.tag)) })
    }
    if (parts.selfCheck) selfCheck(endpoint, reply)
  } catch (error) {
    if (error instanceof ApiError) {
      reply = refusal(error, group, requestId, identity, session, call, route?.endpoint, params)
    } else {
      bug = error instanceof Error ? error : new Error(String(error))
      reply = json({ error: { type: 'simulator_bug', code: 500, message: `The simulator itself went wrong, not your call: ${bug.message}. Please report it.`, param: null, details: [], trace_id: traceId(world.tag, identity) } }, { status: 500 })
    }
  }

  const limited = route?.endpoint.open !== true
  const facts = { requestId, rate: limited ? rateOf(world, key, settings, now) : undefined, limited, now }
  // One object that is filled up: this happens for every call, and merging objects into new ones is slow.
  const headers = group.replyHeaders?.(facts, settings) ?? usualHeaders(facts)
  addTo(headers, reply.headers)
  reply = withHeaders(reply, headers)
  const unnumbered: JournalEntry = {
    seq: -1,
    at: now,
    session: world.name,
    requestId,
    operation: route?.endpoint.operation,
    method: clip(call.method, longest.field),
    path: clip(call.query === '' ? call.path : `${call.path}?${call.query}`, longest.address),
    key: key === undefined ? undefined : redactKey(key),
    status: reply.status,
    request: requestText(call.payload),
    reply: undefined,
    decidedBy: plan.decidedBy,
    bug: bug === undefined ? undefined : (bug.stack ?? bug.message),
    ended: 'open',
    events: 0,
  }
  const entry = group.unjournaled === true ? unnumbered : world.journal.add(unnumbered)
  return { reply, session, startedAt: now, entry, bug }
}

// Field by field: copying objects is slow, and this happens for every call.
function withHeaders({ status, body, wire, links }: Reply, headers: Record<string, string>): Reply {
  if (wire !== undefined) return links === true ? { status, headers, body, wire, links } : { status, headers, body, wire }
  return links === true ? { status, headers, body, links } : { status, headers, body }
}

// Most paths have no parameters.
function textOf(params: Readonly<Record<string, string>>): string {
  for (const _name in params) return JSON.stringify(params)
  return '{}'
}

function addTo(headers: Record<string, string>, more: Readonly<Record<string, string>>): void {
  for (const name in more) headers[name] = more[name] as string
}

interface Input {
  readonly payload: Payload
  /** What the content of the answer is drawn from. */
  readonly contentKey: Words
  /** Goes on from there with the rest of the input. */
  readonly rest: Hasher
}

function readInput({ payload }: IncomingCall, route: Route | undefined, content: Hasher): Input {
  const exact = exactNumbers(route?.endpoint, payload)
  const rules: InputRules = { ignored: route?.contentIgnores ?? noFields, exact, defaults: route?.contentDefaults }
  try {
    writeInput(content, 'content', payload, rules)
    const contentKey = content.words()
    const rest = new Hasher(contentKey)
    writeInput(rest, 'rest', payload, rules)
    return { payload, contentKey, rest }
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    const contentKey = content.text('too deep').words()
    return { payload: { kind: 'refused', type: 'invalid_request_error', message: `The body is ${error.message}: make it flatter.` }, contentKey, rest: new Hasher(contentKey) }
  }
}

// What the journal keeps of a body: its text, or what it is made of.
function requestText(payload: Payload): string | undefined {
  switch (payload.kind) {
    case 'json':
      return payload.text
    case 'form':
      return formText(payload.fields)
    case 'bytes':
      return bytesText(payload)
    default:
      return undefined
  }
}

// A seed near ±9.22e18 loses digits in a double; its source text keeps two such seeds apart.
function exactNumbers(endpoint: Endpoint | undefined, payload: Payload): Record<string, string> | undefined {
  if (endpoint?.exactNumbers === undefined || payload.kind !== 'json' || payload.value === null || typeof payload.value !== 'object') return undefined
  let exact: Record<string, string> | undefined
  for (const name of endpoint.exactNumbers) {
    const value = (payload.value as Record<string, unknown>)[name]
    if (typeof value !== 'number' || Number.isSafeInteger(value)) continue
    const written = new RegExp(`"${name}"\\s*:\\s*(-?[0-9.eE+-]+)`).exec(payload.text)?.[1]
    if (written !== undefined) exact = { ...exact, [name]: written }
  }
  return exact
}

function refuseIf(refusal: PlannedRefusal | undefined, moment: PlannedRefusal['before']): void {
  if (refusal?.before !== moment) return
  throw plannedError(refusal)
}

function noRoute(call: IncomingCall, match: Match, router: Router): ApiError {
  const method = clip(call.method, longest.inMessage)
  const path = clip(call.path, longest.inMessage)
  if (match.kind === 'method') {
    return new ApiError('method_not_allowed', `${method} is not a method of ${path}: expected ${match.allowed.filter((name) => name !== 'OPTIONS').join(' or ')}.`, { headers: { allow: match.allowed.join(', ') } })
  }
  return new ApiError('not_found_error', `Unknown path: ${method} ${path}. ${suggestion(call.method, call.path, router)}`)
}

function traceId(tag: string, identity: Random): string {
  return mintId('trc_', tag, identity)
}

function renderBody(group: EndpointGroup, error: ApiError, requestId: string, identity: Random, tag: string): unknown {
  return group.renderError(error, { requestId, traceId: traceId(tag, identity) }).body
}

function refusal(error: ApiError, group: EndpointGroup, requestId: string, identity: Random, session: Session, call: IncomingCall, endpoint: Endpoint | undefined, params: Readonly<Record<string, string>>): Reply {
  const status = error.options.status ?? group.refusalStatus?.(error.type) ?? error.status
  const code = error.options.code ?? group.refusalCode?.(error.type) ?? status
  const { param, details } = error.options
  // Whatever an endpoint quotes of the request, a refusal stays short enough to be read.
  const worded = new ApiError(error.type, clip(error.message, longest.message) + foreignId(error, session, endpoint, params, call), {
    ...error.options,
    status,
    code,
    ...(param === undefined ? {} : { param: clip(param, longest.field) }),
    ...(details === undefined ? {} : { details: details.map((detail) => ({ ...detail, message: clip(detail.message, longest.detail), ...(detail.field === undefined ? {} : { field: clip(detail.field, longest.field) }) })) }),
  })
  const rendered = group.renderError(worded, { requestId, traceId: traceId(session.world.tag, identity) })
  const headers: Record<string, string> = { ...rendered.headers, ...error.options.headers }
  if (error.options.retryAfterMs !== undefined) {
    // In `auto` the wait passes by itself before the next try: a client that naps must not sleep a real minute for it.
    const wait = session.world.clock.mode === 'auto' ? Math.min(error.options.retryAfterMs, longestNap) : error.options.retryAfterMs
    headers['retry-after'] = String(Math.max(1, Math.ceil(wait / 1000)))
    headers['retry-after-ms'] = String(Math.max(1, Math.ceil(wait)))
  }
  if (error.status === 401 && group.credentials[0]?.scheme !== undefined) headers['www-authenticate'] = group.credentials[0].scheme
  if (typeof rendered.body === 'string') return { status, headers, body: { kind: 'text', text: rendered.body } }
  return json(rendered.body, { status, headers })
}

// An id of another session than the one named is unknown here; without this sentence the developer would look for hours.
function foreignId(error: ApiError, session: Session, endpoint: Endpoint | undefined, params: Readonly<Record<string, string>>, call: IncomingCall): string {
  if (error.type !== 'not_found_error') return ''
  for (const name of endpoint?.idsIn?.params ?? []) {
    const tag = /[0-9a-f]{8}/.exec(params[name] ?? '')?.[0]
    if (tag === undefined || tag === session.world.tag || !(params[name] ?? '').includes(tag)) continue
    const named = call.session !== undefined || call.headers['x-sim-session'] !== undefined
    return ` This call belongs to the session "${session.world.name}"${named ? '' : ' (named by its key, or by default)'}, and the id was minted in another one.`
  }
  return ''
}

function modelOf(payload: Payload): string | undefined {
  if (payload.kind === 'json' && payload.value !== null && typeof payload.value === 'object') {
    const { model } = payload.value as { model?: unknown }
    return typeof model === 'string' ? model : undefined
  }
  if (payload.kind === 'form') for (const field of payload.fields) if (field.name === 'model' && 'value' in field) return field.value
  return undefined
}

function filePathOf(endpoint: Endpoint, payload: Payload, params: Readonly<Record<string, string>>): string | undefined {
  return endpoint.filePathOf?.(payload.kind === 'json' ? payload.value : undefined, params)
}

function promptOf(endpoint: Endpoint, payload: Payload): string | undefined {
  if (endpoint.promptOf === undefined) return undefined
  if (payload.kind === 'json') return endpoint.promptOf(payload.value)
  if (payload.kind !== 'form') return undefined
  return endpoint.promptOf(Object.fromEntries(payload.fields.flatMap((field) => ('value' in field ? [[field.name, field.value]] : []))))
}
