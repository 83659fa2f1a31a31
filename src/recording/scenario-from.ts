/** Writes a recording as a scenario: a rule for each request, and steps that repeat the requests. */

import { formatDuration } from '../engine/duration.ts'
import { defined, type Fields, isFields, jsonIn } from '../engine/fields.ts'
import { bytesOf, type Exchange, headerIn } from '../exchange/exchange.ts'
import type { Route } from '../protocol/router.ts'
import { readBodyFacts } from '../protocol/validate.ts'
import { show } from '../protocol/wording.ts'
import { bodyOf, turnsOf } from '../scenario/condition-facts.ts'
import { type ScenarioReader, scenarioOfObject } from '../scenario/load/scenario.ts'
import { routedCalls, withJobs } from './load-recordings.ts'
import { type ComparedRequest, comparedQuery, omittedOf, type RecordedCall, without } from './play-index.ts'
import { courseOf, fieldsOf, type RecordedJob, unknownStatus } from './play-jobs.ts'
import { thenOf, toldAnswer } from './scenario-answer.ts'
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

export interface WritingOptions {
  /** The reader that checks the written scenario. */
  readonly reader: ScenarioReader
  /** Writes no rules, and no expectations about the output of models: for the recorded gateway. */
  readonly stepsOnly?: boolean
}

/** `name` is the file's, for the title. */
export async function scenarioFrom(
  exchanges: readonly Exchange[],
  name: string,
  { reader, stepsOnly = false }: WritingOptions,
): Promise<WrittenScenario> {
  const { calls, jobs } = withJobs((await routedCalls(exchanges)).calls)
  const left: string[] = []
  const keyOf = otherKeys(calls)
  // Rules with an API key go before rules without one.
  const groups = groupsOf({ calls, jobs, keyOf }, left).sort(
    (a, b) => Number(a.key === undefined) - Number(b.key === undefined),
  )
  const rules: Fields[] = []
  const offContract = new Set<RecordedCall>()
  for (const group of groups) {
    const rule = ruleOf(group, groups, rules.length + 1, { reader, offContract })
    if (rule !== undefined) rules.push(rule)
    // A request that the simulator rejects needs no rule.
    else if (!stepsOnly && group.calls.some(({ exchange: { response } }) => response?.status !== 400))
      left.push(`${group.calls[0]?.exchange.source}: rules cannot express this request and its response`)
  }
  left.push(...[...jobs.values()].flatMap(unsaidStatuses))
  if (!stepsOnly) left.push(...calls.flatMap(unsaidImages))
  const first = calls[0]?.exchange
  const scenario = {
    title: `Recorded in ${name}${first === undefined ? '' : `, ${dayOf(first)}`}`,
    ...(rules.length === 0 || stepsOnly ? {} : { rules }),
    steps: asWritten(stepsOf({ calls, jobs, offContract, keyOf, stepsOnly }, left)),
  }
  return { scenario, left }
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

interface Grouped {
  readonly calls: readonly RecordedCall[]
  readonly jobs: ReadonlyMap<string, RecordedJob>
  readonly keyOf: KeyOf
}

function groupsOf({ calls, jobs, keyOf }: Grouped, left: string[]): Group[] {
  const groups = new Map<string, Group>()
  const ids = [...jobs.values()].map(({ id }) => id)
  for (const call of calls) {
    const { route, exchange } = call
    if (route === undefined) {
      left.push(`${exchange.source}: ${exchange.request.method} ${call.path} is not an operation`)
      continue
    }
    if (isOurs(route, call)) continue
    // Ids are generated and cannot be matched.
    const facts = new Map(
      [...factsOf(call, exchange.redacted)].filter(
        ([, { value }]) => !ids.some((id) => JSON.stringify(value).includes(id)),
      ),
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
function isOurs({ endpoint }: Route, { exchange: { response } }: RecordedCall): boolean {
  const { job: { about, lists, polls, submits } = {}, open, upload } = endpoint
  const isRejected = response !== undefined && response.status >= 400
  if (open === true || upload !== undefined || response === undefined) return true
  return !isRejected && submits === undefined && (about ?? lists ?? polls) !== undefined
}

function ruleOf(
  { route, calls, facts, key }: Group,
  groups: readonly Group[],
  number: number,
  { reader, offContract }: { readonly reader: ScenarioReader; readonly offContract: Set<RecordedCall> },
): Fields | undefined {
  const { operation } = route.endpoint
  const others = groups
    .filter((one) => one.route === route && one.key === key && one.facts !== facts)
    .map((one) => one.facts)
  const ofKey = key === undefined ? {} : { key: shapeOf(key === '' ? undefined : key) }
  const when = { operation, ...ofKey, ...whenApart(facts, others) }
  const answers = calls.map((call) => answerOf(call, operation, reader))
  if (answers.some((answer) => answer === undefined)) return undefined
  for (const [index, call] of calls.entries())
    if (answers[index]?.['offContract'] === true) offContract.add(call)
  const isSame = answers.every((answer) => JSON.stringify(answer) === JSON.stringify(answers[0]))
  const rule = {
    id: `${operation.split('.')[0]}-${number}`,
    when,
    then: asWritten(isSame ? answers[0] : { sequence: answers }),
  }
  return isValid(rule, reader) ? rule : undefined
}

/** The most readable form of a response. */
function answerOf(call: RecordedCall, operation: string, reader: ScenarioReader): Fields | undefined {
  return formsOf(call).find((then) => isValid({ when: { operation }, then: asWritten(then) }, reader))
}

function isValid(rule: Fields, reader: ScenarioReader): boolean {
  try {
    scenarioOfObject({ title: 'one rule', rules: [rule] }, 'one rule', reader)
    return true
  } catch {
    return false
  }
}

function formsOf({ exchange, job, route }: RecordedCall): Fields[] {
  const { response } = exchange
  if (response === undefined) return []
  const { status } = response
  const text = new TextDecoder().decode(bytesOf(response.body))
  const type = headerIn(response.headers, 'content-type') ?? ''
  const whole = type.includes('event-stream')
    ? { response: { status, text }, headers: { 'content-type': type } }
    : { response: { status, body: jsonIn(text) ?? text } }
  const forms: Fields[] = []
  if (status >= 400) forms.push(...errorForms(exchange))
  else if (job !== undefined) forms.push(job.states.length === 0 ? {} : timelineOf(job))
  else {
    const told = route?.endpoint.speaks === undefined ? undefined : toldAnswer(exchange)
    if (told !== undefined) forms.push(thenOf(told))
    forms.push(whole)
  }
  const others = job === undefined ? [whole] : forms
  return [...forms, ...others.map((then) => ({ ...then, offContract: true }))]
}

/**
 * Each entry with its changes. The simulator generates ids, URLs and timestamps: a field that has one in any
 * state is omitted from all states; otherwise its earlier value would stay forever.
 */
function timelineOf(job: RecordedJob): Fields {
  const states = courseOf(job).map(({ at = 0, ...fields }) => ({ at, fields: fields as Fields }))
  const names = new Set(states.flatMap(({ fields }) => Object.keys(fields)))
  for (const name of names)
    if (states.some(({ fields }) => isOwn(name, fields[name], job.id))) names.delete(name)
  // It belongs to `urls`: the simulator marks each of its own images as passed.
  if (!names.has('urls') && !states.some(({ fields }) => [fields['audits']].flat().some(Boolean)))
    names.delete('audits')
  const before = new Map<string, string>()
  const timeline = states.map(({ at, fields }) => {
    const changed = [...names].flatMap((name) => {
      const value = withoutOwn(fields[name], job.id)
      const [was, is] = [before.get(name), textOf(value)]
      if (value !== undefined) before.set(name, is)
      return value === undefined || was === is ? [] : [[name, value] as const]
    })
    return { at: formatDuration(at), ...Object.fromEntries(changed) }
  })
  return { timeline: timeline.filter((entry, index) => index === 0 || Object.keys(entry).length > 1) }
}

/** A sentence for each poll whose status is not in the contract. */
function unsaidStatuses(job: RecordedJob): string[] {
  return job.states.flatMap(({ exchange }) => {
    const status = unknownStatus(job, exchange)
    if (status === undefined) return []
    return `${exchange.source}: the job status ${show(status)}, which is not in the contract`
  })
}

/** A sentence for an image job whose images appear at other times than in the simulator. */
function unsaidImages({ job, route, exchange }: RecordedCall): string[] {
  if (job?.kind.hasImages !== true) return []
  const own = route?.endpoint.job?.images ?? 4
  const states = courseOf(job).map(({ at = 0, status, urls }: Fields) => {
    const count = Array.isArray(urls) ? urls.length : 0
    return { count, isSame: count === 0 || (count === own && status === 'succeeded'), at }
  })
  if (states.every(({ isSame }) => isSame)) return []
  const shown = states
    .filter(({ count }, index) => count > 0 && count !== states[index - 1]?.count)
    .map(({ count, at }) => `${count} at ${formatDuration(at as number)}`)
  return [
    `${exchange.source}: the times at which the job's images appeared (${shown.join(', ')}), because ` +
      `a simulated job shows all ${own} images when it succeeds`,
  ]
}

/** Whether a value is the id of the recorded job, a URL of its results, or a timestamp of the recording. */
function isOwn(name: string, value: unknown, id: string): boolean {
  if (Array.isArray(value)) return value.some((item) => isOwn('', item, id))
  if (typeof value === 'number') return /(?:_at|At|Time)$/.test(name)
  return typeof value === 'string' && (value.includes(id) || /^https?:|^\d{4}-\d\d-\d\dT/.test(value))
}

function withoutOwn(value: unknown, id: string): unknown {
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name, item]) => !isOwn(name, item, id)))
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

/** A request with its fields; `redacted` lists the redacted ones. */
function factsOf(request: ComparedRequest, redacted: readonly string[]): ReadonlyMap<string, Fact> {
  const omitted = omittedOf(redacted)
  const { route, params, query } = request
  const payload = without(request.payload, omitted.body)
  const facts = new Map<string, Fact>()
  const add = (path: readonly string[], value: unknown): void =>
    void (value === undefined || facts.set(path.join(' '), { path, value }))
  const body = bodyOf(payload)
  if (route?.endpoint.speaks !== undefined) {
    const { turn, toolResult } = turnsOf(payload)
    add(['conversation', 'lastUser'], readBodyFacts(payload, route.endpoint).prompt)
    add(['conversation', 'turn'], turn)
    add(['conversation', 'toolResult'], toolResult)
  }
  for (const [name, value] of Object.entries(isFields(body) ? body : {}))
    if (!omitted.body.some(([first]) => first === name))
      add(name === 'model' ? ['model'] : ['body', name], value)
  for (const [name, value] of Object.entries(params)) add(['path', name], value)
  for (const [name, value] of comparedQuery(query, omitted)) add(['query', name], value)
  return facts
}

/** The conditions that match `own` and none of the others. */
function whenApart(
  own: ReadonlyMap<string, Fact>,
  others: readonly ReadonlyMap<string, Fact>[],
): Record<string, unknown> {
  const when: Record<string, unknown> = {}
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
    if (best === undefined) return when
    const [first = '', ...rest] = best.path
    const shape = shapeOf(best.value)
    when[first] =
      rest.length === 0 ? shape : { ...(when[first] as object | undefined), [rest.join(' ')]: shape }
    left = same
  }
  return when
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? ''

function shapeOf(value: unknown): unknown {
  if (value === undefined) return { exists: false }
  const isPlain = value === null || typeof value !== 'object'
  return isPlain && !(typeof value === 'string' && value.endsWith('*')) ? value : { equals: value }
}
