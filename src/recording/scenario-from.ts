/** Writes a recording as a scenario: a rule for each request, and steps that repeat the requests. */

import { gatewayApi } from '../disk/load-scenario.ts'
import { base64 } from '../engine/bytes.ts'
import { formatDuration } from '../engine/duration.ts'
import { defined, type Fields, isFields, jsonIn } from '../engine/fields.ts'
import { bytesOf, type Exchange, type ExchangeResponse, headerIn } from '../exchange/exchange.ts'
import type { Route } from '../protocol/router.ts'
import { readBodyFacts } from '../protocol/validate.ts'
import { show } from '../protocol/wording.ts'
import { bodyOf, queryOf, turnsOf } from '../scenario/condition-facts.ts'
import { scenarioOfObject } from '../scenario/load/scenario.ts'
import {
  fieldsOf,
  type RecordedCall,
  type RecordedCalls,
  type RecordedJob,
  recordedCalls,
  recordedTimeline,
  unknownStatus,
} from './recorded-calls.ts'
import { isEventStream, scriptedAnswer, thenOf } from './scenario-answer.ts'
import { asWritten, stepsOf } from './scenario-steps.ts'

export interface WrittenScenario {
  readonly scenario: Fields
  /** The parts of the recording that the scenario omits, with the reason: one sentence each. */
  readonly left: readonly string[]
}

interface Group {
  readonly route: Route
  readonly calls: RecordedCall[]
  readonly facts: ReturnType<typeof factsOf>
  /** As `otherKeys` finds it. */
  readonly key: string | undefined
}

/**
 * `name` is the file's, for the title. With `stepsOnly` it has no rules, and no expectations about the output
 * of models: for the recorded gateway.
 */
export async function scenarioFrom(
  exchanges: readonly Exchange[],
  name: string,
  { stepsOnly = false }: { readonly stepsOnly?: boolean } = {},
): Promise<WrittenScenario> {
  const recorded = await recordedCalls(exchanges, gatewayApi().router())
  const { calls, jobs } = recorded
  const left: string[] = []
  const keyOf = otherKeys(calls)
  const offContract = new Set<RecordedCall>()
  const rules = rulesOf(recorded, { keyOf, isExact: false, offContract, left })
  left.push(...jobs.flatMap(unknownStatuses))
  const scenario = {
    title: titleOf(name, calls),
    ...(rules.length === 0 || stepsOnly ? {} : { rules }),
    steps: asWritten(stepsOf({ calls, jobs, offContract, keyOf, stepsOnly }, left)),
  }
  return { scenario, left }
}

/** The scenario that plays a recording back. A rule answers only the recorded request. */
export async function playbackOf(exchanges: readonly Exchange[], name: string): Promise<Fields> {
  const recorded = await recordedCalls(exchanges, gatewayApi().router())
  const rules = rulesOf(recorded, {
    keyOf: () => undefined,
    isExact: true,
    offContract: new Set(),
    left: [],
  })
  return { title: titleOf(name, recorded.calls), rules }
}

function titleOf(name: string, [first]: readonly RecordedCall[]): string {
  return `Recorded in ${name}${first === undefined ? '' : `, ${dayOf(first.exchange)}`}`
}

interface RuleOptions {
  readonly keyOf: KeyOf
  /** Conditions for every field of the request, and responses as they were written. */
  readonly isExact: boolean
  /** Gets the calls whose response violates the contract. */
  readonly offContract: Set<RecordedCall>
  readonly left: string[]
}

function rulesOf(recorded: RecordedCalls, options: RuleOptions): Fields[] {
  // Rules with an API key go before rules without one; in playback, those with more conditions go first.
  const groups = groupsOf(recorded, options).sort(
    options.isExact
      ? (a, b) => b.facts.size - a.facts.size
      : (a, b) => Number(a.key === undefined) - Number(b.key === undefined),
  )
  const rules: Fields[] = []
  for (const group of groups) {
    const rule = ruleOf(group, groups, rules.length + 1, options)
    if (rule !== undefined) rules.push(rule)
    // A request that the simulator rejects needs no rule.
    else if (group.calls.some(({ exchange: { response } }) => response?.status !== 400))
      options.left.push(
        `${group.calls[0]?.exchange.source}: rules cannot express this request and its response`,
      )
  }
  return rules
}

const dayOf = ({ at: startedAt }: Exchange): string => new Date(startedAt).toISOString().slice(0, 10)

type KeyOf = (call: RecordedCall) => string | undefined

/**
 * The API key of a call, unless it is the main one, with which most calls succeeded. Empty if the gateway
 * rejected the call because it had none.
 */
function otherKeys(calls: readonly RecordedCall[]): KeyOf {
  const isShutOut = ({ exchange: { response } }: RecordedCall): boolean =>
    response?.status === 401 || response?.status === 403
  const letIn = new Map<string, number>()
  for (const call of calls) {
    const { key } = call.exchange
    if (key !== undefined) letIn.set(key, (letIn.get(key) ?? 0) + (isShutOut(call) ? 0 : 1))
  }
  const main = [...letIn].sort(([, a], [, b]) => b - a)[0]?.[0]
  return (call) => {
    const { key = isShutOut(call) ? '' : main } = call.exchange
    return main === undefined || key === main || call.route?.endpoint.open === true ? undefined : key
  }
}

function groupsOf({ calls, jobs }: RecordedCalls, { keyOf, isExact, left }: RuleOptions): Group[] {
  const groups = new Map<string, Group>()
  const ids = jobs.map(({ id }) => id)
  for (const call of calls) {
    const { route, exchange } = call
    if (route === undefined) {
      left.push(`${exchange.source}: ${exchange.request.method} ${call.path} is not an operation`)
      continue
    }
    if (isAnsweredFromState(route, call)) continue
    // Ids are generated and cannot be matched.
    const facts = new Map(
      [...factsOf(call, isExact)].filter(([, { value }]) => !ids.some((id) => textOf(value).includes(id))),
    )
    const key = keyOf(call)
    const name = JSON.stringify([route.endpoint.operation, key, [...facts].sort()])
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { route, calls: [call], facts, key })
    else group.calls.push(call)
  }
  return [...groups.values()]
}

/** Requests that the simulator answers from its state: files and jobs. */
function isAnsweredFromState({ endpoint }: Route, { exchange: { response } }: RecordedCall): boolean {
  const { job: { about, lists, polls, submits } = {}, open, upload } = endpoint
  const isRejected = response !== undefined && response.status >= 400
  if (open === true || upload !== undefined || response === undefined) return true
  return !isRejected && submits === undefined && (about ?? lists ?? polls) !== undefined
}

function ruleOf(
  { route, calls, facts, key }: Group,
  groups: readonly Group[],
  number: number,
  { isExact, offContract }: RuleOptions,
): Fields | undefined {
  const { operation } = route.endpoint
  const others = groups
    .filter((one) => one.route === route && one.key === key && one.facts !== facts)
    .map((one) => one.facts)
  const ofKey = key === undefined ? {} : { key: shapeOf(key === '' ? undefined : key) }
  const conditions = isExact ? conditionsOf([...facts.values()]) : whenApart(facts, others)
  const when = { operation, ...ofKey, ...conditions }
  const answers = calls.map((call) => formsOf(call, isExact).find((then) => isValid(operation, then)))
  if (answers.some((answer) => answer === undefined)) return undefined
  for (const [index, call] of calls.entries())
    if (answers[index]?.['offContract'] === true) offContract.add(call)
  const isSame = answers.every((answer) => JSON.stringify(answer) === JSON.stringify(answers[0]))
  const rule = {
    id: isExact ? calls[0]?.exchange.source : `${operation.split('.')[0]}-${number}`,
    when,
    then: asWritten(isSame ? answers[0] : { sequence: answers }),
  }
  return isRule(rule) ? rule : undefined
}

const isValid = (operation: string, then: Fields): boolean =>
  isRule({ when: { operation }, then: asWritten(then) })

function isRule(rule: Fields): boolean {
  try {
    scenarioOfObject({ title: 'one rule', rules: [rule] }, 'one rule', gatewayApi().reader)
    return true
  } catch {
    return false
  }
}

/** The forms of a response, the most readable first. */
function formsOf(call: RecordedCall, isExact: boolean): Fields[] {
  const { exchange, job, route } = call
  const { response } = exchange
  if (response === undefined) return []
  const whole = wholeForm(response, isExact)
  const forms: Fields[] = []
  if (response.status >= 400) forms.push(...errorForms(exchange))
  else if (job !== undefined) forms.push(job.states.length === 0 ? {} : timelineOf(job))
  else {
    // Playback must not send a client to another host.
    if (isExact && route?.endpoint.speaks === undefined && hasLinks(response)) return [{}]
    const isScripted = route?.endpoint.speaks !== undefined && (!isExact || isEventStream(exchange))
    const scripted = isScripted ? scriptedAnswer(exchange) : undefined
    if (scripted !== undefined) forms.push(thenOf(scripted))
    forms.push(whole)
  }
  const others = job === undefined ? [whole] : forms
  return [...forms, ...others.map((then) => ({ ...then, offContract: true }))]
}

const hasLinks = ({ body }: ExchangeResponse): boolean =>
  /"https?:\\?\/\\?\//.test(new TextDecoder().decode(bytesOf(body)))

function wholeForm({ status, headers, body }: ExchangeResponse, isExact: boolean): Fields {
  const type = headerIn(headers, 'content-type') ?? ''
  const bytes = bytesOf(body)
  const text = new TextDecoder().decode(bytes)
  const isText = /^text|json|xml/.test(type)
  if (bytes.length === 0) return { response: { status } }
  if (!isText) return { response: { status, base64: base64(bytes), contentType: type } }
  if (isExact || type.includes('event-stream'))
    return { response: { status, text }, headers: { 'content-type': type } }
  return { response: { status, body: jsonIn(text) ?? text } }
}

/**
 * Each entry with its changes. The simulator generates ids, URLs and timestamps: a field that has one in any
 * state is omitted from all states; otherwise its earlier value would stay forever.
 */
function timelineOf(job: RecordedJob): Fields {
  const states = recordedTimeline(job).map(({ at = 0, ...fields }) => ({ at, fields: fields as Fields }))
  const names = new Set(states.flatMap(({ fields }) => Object.keys(fields)))
  for (const name of names)
    if (states.some(({ fields }) => isOfRecording(name, fields[name], job.id))) names.delete(name)
  // It belongs to `urls`: the simulator marks each of its own images as passed.
  if (!names.has('urls') && !states.some(({ fields }) => [fields['audits']].flat().some(Boolean)))
    names.delete('audits')
  const before = new Map<string, string>()
  const timeline = states.map(({ at, fields }) => {
    const changed = [...names].flatMap((name) => {
      const value = withoutRecorded(fields[name], job.id)
      const [was, is] = [before.get(name), textOf(value)]
      if (value !== undefined) before.set(name, is)
      return value === undefined || was === is ? [] : [[name, value] as const]
    })
    return { at: formatDuration(at), ...Object.fromEntries(changed) }
  })
  return { timeline: timeline.filter((entry, index) => index === 0 || Object.keys(entry).length > 1) }
}

/** A sentence for each poll whose status is not in the contract. */
function unknownStatuses(job: RecordedJob): string[] {
  return job.states.flatMap(({ exchange }) => {
    const status = unknownStatus(job, exchange)
    if (status === undefined) return []
    return `${exchange.source}: the job status ${show(status)}, which is not in the contract`
  })
}

/** Whether a value is the id of the recorded job, a URL of its results, or a timestamp of the recording. */
function isOfRecording(name: string, value: unknown, id: string): boolean {
  if (Array.isArray(value)) return value.some((item) => isOfRecording('', item, id))
  if (typeof value === 'number') return /(?:_at|At|Time)$/.test(name)
  return typeof value === 'string' && (value.includes(id) || /^https?:|^\d{4}-\d\d-\d\dT/.test(value))
}

function withoutRecorded(value: unknown, id: string): unknown {
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name, item]) => !isOfRecording(name, item, id)))
}

function errorForms(exchange: Exchange): Fields[] {
  const { response } = exchange
  const error = (fieldsOf(exchange)['error'] ?? {}) as Fields
  const { type, message, param, code } = error
  const status = response?.status ?? 500
  const ofRequest = status < 429 ? 'validation' : undefined
  const before = status === 401 || status === 403 ? 'auth' : ofRequest
  const wait = headerIn(response?.headers ?? [], 'retry-after')
  const plain = defined({
    status,
    message: typeof message === 'string' ? message : undefined,
    retryAfter: wait !== undefined && /^\d+$/.test(wait) ? `${wait}s` : undefined,
    before,
  })
  const named = defined({
    ...plain,
    param: typeof param === 'string' ? param : undefined,
    code: typeof code === 'number' && code !== status ? code : undefined,
  })
  return [{ error: { type, ...named } }, { error: named }, { error: plain }]
}

interface Fact {
  /** Its place in `when`: `conversation.lastUser`, `body.temperature`. */
  readonly path: readonly string[]
  readonly value: unknown
}

/** The fields of a request, without redacted ones. */
function factsOf({ route, params, query, payload, exchange }: RecordedCall, isExact: boolean) {
  const { redacted } = exchange
  const facts = new Map<string, Fact>()
  const add = (path: readonly string[], value: unknown): void =>
    void (value === undefined || facts.set(path.join(' '), { path, value }))
  const isKept = (name: string): boolean =>
    !redacted.some((place) => place === `/${name}` || place.startsWith(`/${name}/`))
  const body = bodyOf(payload)
  if (route?.endpoint.speaks !== undefined && isKept('messages')) {
    const { turn, toolResult } = turnsOf(payload)
    add(['conversation', 'lastUser'], readBodyFacts(payload, route.endpoint).prompt)
    add(['conversation', 'turn'], turn)
    add(['conversation', 'toolResult'], toolResult)
  }
  // The recorded response is a stream, or is none.
  if (isExact && route?.endpoint.speaks !== undefined)
    facts.set('body stream', { path: ['body', 'stream'], value: undefined })
  for (const [name, value] of Object.entries(isFields(body) ? body : {}))
    if (isKept(name)) add(name === 'model' ? ['model'] : ['body', name], value)
  for (const [name, value] of Object.entries(params)) add(['path', name], value)
  for (const [name, value] of Object.entries(queryOf(query)))
    if (!redacted.includes(`query:${name}`)) add(['query', name], value)
  return facts
}

/** The conditions that match `own` and none of the others. */
function whenApart(
  own: ReadonlyMap<string, Fact>,
  others: readonly ReadonlyMap<string, Fact>[],
): Record<string, unknown> {
  const chosen: Fact[] = []
  let left = others
  while (left.length > 0) {
    let best: Fact | undefined
    let same = left
    for (const name of new Set([...own.keys(), ...left.flatMap((other) => [...other.keys()])])) {
      const fact = own.get(name) ?? { path: name.split(' '), value: undefined }
      const alike = left.filter((other) => textOf(other.get(name)?.value) === textOf(fact.value))
      if (alike.length >= same.length) continue
      best = fact
      same = alike
    }
    // No condition can tell them apart.
    if (best === undefined) break
    chosen.push(best)
    left = same
  }
  return conditionsOf(chosen)
}

function conditionsOf(facts: readonly Fact[]): Record<string, unknown> {
  const when: Record<string, unknown> = {}
  for (const { path, value } of facts) {
    const [first = '', ...rest] = path
    const shape = shapeOf(value)
    when[first] =
      rest.length === 0 ? shape : { ...(when[first] as object | undefined), [rest.join(' ')]: shape }
  }
  return when
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? ''

function shapeOf(value: unknown): unknown {
  if (value === undefined) return { exists: false }
  const isPlain = value === null || typeof value !== 'object'
  return isPlain && !(typeof value === 'string' && value.endsWith('*')) ? value : { equals: value }
}
