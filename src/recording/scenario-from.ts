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
}

/** `name` is the file's, for the title. With `stepsOnly` it has no rules: for the recorded gateway. */
export async function scenarioFrom(
  exchanges: readonly Exchange[],
  name: string,
  { stepsOnly = false }: { readonly stepsOnly?: boolean } = {},
): Promise<WrittenScenario> {
  const all = await recordedCalls(exchanges, gatewayApi().router())
  // Steps are sent with the keys of whoever runs them.
  const isShutOut = ({ response }: RecordedCall): boolean => response.status === 401
  const shutOut = all.calls.filter(isShutOut)
  const left = [
    ...all.left,
    ...shutOut.map(({ exchange }) => `${exchange.source}: the gateway rejected the API key`),
  ]
  const recorded = { ...all, calls: all.calls.filter((call) => !isShutOut(call)) }
  const offContract = new Set<RecordedCall>()
  const rules = rulesOf(recorded, { isExact: false, offContract, left })
  left.push(...recorded.jobs.flatMap(unknownStatuses))
  const steps = asWritten(stepsOf(recorded, offContract, left))
  const title = titleOf(name, all.calls)
  return { scenario: rules.length === 0 || stepsOnly ? { title, steps } : { title, rules, steps }, left }
}

/** The scenario that plays a recording back. A rule answers only the recorded request. */
export async function playbackOf(exchanges: readonly Exchange[], name: string): Promise<WrittenScenario> {
  const recorded = await recordedCalls(exchanges, gatewayApi().router())
  const left = [...recorded.left]
  const rules = rulesOf(recorded, { isExact: true, offContract: new Set(), left })
  return { scenario: { title: titleOf(name, recorded.calls), rules }, left }
}

function titleOf(name: string, [first]: readonly RecordedCall[]): string {
  return `Recorded in ${name}${first === undefined ? '' : `, ${dayOf(first.exchange)}`}`
}

interface RuleOptions {
  /** Conditions for every field of the request, and responses as they were written. */
  readonly isExact: boolean
  /** Gets the calls whose response violates the contract. */
  readonly offContract: Set<RecordedCall>
  readonly left: string[]
}

function rulesOf(recorded: RecordedCalls, options: RuleOptions): Fields[] {
  const groups = groupsOf(recorded, options.isExact)
  // A request that meets several rules of a recording is most like the one with the most conditions.
  if (options.isExact) groups.sort((a, b) => b.facts.size - a.facts.size)
  const rules: Fields[] = []
  for (const group of groups) {
    const rule = ruleOf(group, groups, rules.length + 1, options)
    if (rule !== undefined) rules.push(rule)
    // A request that the simulator rejects needs no rule.
    else if (group.calls.some(({ response }) => response.status !== 400))
      options.left.push(
        `${group.calls[0]?.exchange.source}: rules cannot express this request and its response`,
      )
  }
  return rules
}

const dayOf = ({ at: startedAt }: Exchange): string => new Date(startedAt).toISOString().slice(0, 10)

function groupsOf({ calls, jobs }: RecordedCalls, isExact: boolean): Group[] {
  const groups = new Map<string, Group>()
  const ids = jobs.map(({ id }) => id)
  for (const call of calls) {
    if (isAnsweredFromState(call)) continue
    // Ids are generated and cannot be matched.
    const facts = new Map(
      [...factsOf(call, isExact)].filter(([, { value }]) => !ids.some((id) => textOf(value).includes(id))),
    )
    const { route } = call
    const name = JSON.stringify([route.endpoint.operation, [...facts].sort()])
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { route, calls: [call], facts })
    else group.calls.push(call)
  }
  return [...groups.values()]
}

/** Requests that the simulator answers from its state: files and jobs. */
function isAnsweredFromState({ route, response }: RecordedCall): boolean {
  const { job: { about, lists, submits } = {}, open, upload } = route.endpoint
  if (open === true || upload !== undefined) return true
  return response.status < 400 && submits === undefined && (about ?? lists) !== undefined
}

function ruleOf(
  { route, calls, facts }: Group,
  groups: readonly Group[],
  number: number,
  { isExact, offContract }: RuleOptions,
): Fields | undefined {
  const { operation } = route.endpoint
  const others = groups.filter((one) => one.route === route && one.facts !== facts).map((one) => one.facts)
  const conditions = isExact ? conditionsOf([...facts.values()]) : whenApart(facts, others)
  const when = { operation, ...conditions }
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
  const { exchange, job, route, response } = call
  const whole = wholeForm(response, isExact)
  const forms: Fields[] = []
  if (response.status >= 400) forms.push(...errorForms(exchange))
  else if (job !== undefined) forms.push(job.states.length === 0 ? {} : timelineOf(job))
  else {
    // Playback must not send a client to another host.
    const speaks = route.endpoint.speaks !== undefined
    if (isExact && !speaks && hasLinks(response)) return [{}]
    const isScripted = speaks && (!isExact || isEventStream(exchange))
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
  if (route.endpoint.speaks !== undefined && isKept('messages')) {
    const { turn, toolResult } = turnsOf(payload)
    add(['conversation', 'lastUser'], readBodyFacts(payload, route.endpoint).prompt)
    add(['conversation', 'turn'], turn)
    add(['conversation', 'toolResult'], toolResult)
  }
  // The recorded response is a stream, or is none.
  if (isExact && route.endpoint.speaks !== undefined)
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
