/** The state of a running check: models, responses that later probes need, rejected API keys. */

import { isFields, jsonIn, listOf } from '../engine/fields.ts'
import { createExchangeJudge, wrongType } from '../judges/contract/judge-exchange.ts'
import { judgeLifecycle, type Sight } from '../judges/contract/judge-lifecycle.ts'
import { violating } from '../protocol/invariant.ts'
import { type Seen, type Shown, shown, shownExchange } from './check-findings.ts'
import type { CheckOptions } from './check-types.ts'
import { namesModel, type PlannedProbe, referencesIn } from './plan.ts'
import type { SentExchange } from './send.ts'
import {
  at,
  createResolver,
  isSameFile,
  type ProbeResponse,
  type Resolver,
  type SentRequest,
  type Usable,
} from './send-probe.ts'
import type { Target } from './target.ts'

export interface Outcome {
  readonly planned: PlannedProbe
  readonly skipped: string | undefined
  /** Skipped, but not because of another probe, which is in the report itself. */
  readonly isLost?: boolean
  /** Skipped because the gateway was busy, failed or did not respond. */
  readonly isOutage?: boolean
  /** Skipped because the gateway does not have the model. */
  readonly rejectsModel?: boolean
  readonly violations: readonly Seen[]
  /** The last request and response that show whether the gateway has the operation. */
  readonly answered?: Answered | undefined
  readonly response?: ProbeResponse
  /** Whether the gateway does not have the operation: one violation, for the first of its probes. */
  readonly isAbsent?: boolean
  /** Why later probes cannot use it. */
  readonly unusable?: string | undefined
}

export function single(
  planned: PlannedProbe,
  run: Run,
  request: SentRequest,
  response: ProbeResponse,
): Outcome & { readonly response: ProbeResponse } {
  const answered = { planned, request, response }
  const unjudged = notJudged(answered, run)
  const skipped = unjudged?.skipped
  const isJudged = skipped === undefined
  if (isJudged && usesKey(planned)) run.hasUsedKey = true
  const isFine = isJudged && isExpected(planned, response.status) && response.status < 400
  const found = isJudged ? judged(run, answered) : judgedForm(run, answered)
  // A request with a wrong id does not show whether the operation exists.
  const isProof = isJudged || run.brokenGround(planned) === undefined
  return {
    planned,
    skipped,
    response,
    ...unjudged,
    isLost: !isJudged && isProof,
    unusable: isFine ? undefined : (skipped ?? `depends on ${planned.probe.name}, which was rejected`),
    violations: found,
    answered: isProof ? answered : undefined,
  }
}

/** Whether the request contains the API key: requests to links of responses do not. */
export const usesKey = ({ probe: { request } }: PlannedProbe): boolean =>
  request.key !== false && request.to === undefined

export const withExchange =
  (answered: Answered) =>
  (violation: Shown): Seen => ({
    ...violation,
    probe: answered.planned.probe.name,
    exchange: shownExchange(answered),
  })

function judged(run: Run, answered: Answered): Seen[] {
  const rejected = rejectedModel(run, answered)
  if (rejected === undefined) return run.judge.judge(answered).map(withExchange(answered))
  return [withExchange(answered)(rejected), ...judgedForm(run, answered)]
}

/** A rejection of the model, whatever the probe expects: one violation for the group. */
function rejectedModel(run: Run, answered: Answered): Shown | undefined {
  const { planned, response } = answered
  const { status } = response
  const { probe, models: group, route } = planned
  if (![403, 404].includes(status) || isExpected(planned, status)) return undefined
  if (!namesModel(probe.request) || !speaksOfModel(answered)) return undefined
  const { id } = run.modelOf(group)
  const got = `${status}: the gateway rejects the model ${id}`
  const what = { where: 'status', kind: 'status', expected: `a model for --model ${group}=ID`, got } as const
  const { operation } = route.endpoint
  return { operation, ...violating(probe.section, what), cause: `the model ${id} of ${group} is rejected` }
}

function judgedForm(run: Run, answered: Answered): Seen[] {
  // A load balancer sends 502 to 504 in its own format.
  if ([502, 503, 504].includes(answered.response.status)) return []
  return run.judge.form(answered).map(withExchange(answered))
}

/** Why the response cannot be used to judge the probe. */
type Unjudged = Pick<Outcome, 'isOutage' | 'rejectsModel'> & { readonly skipped: string }

function notJudged(answered: Answered, run: Run): Unjudged | undefined {
  const { planned, response } = answered
  const { probe, route } = planned
  const { status } = response
  const said = saidIn(response)
  const words = `${status}${said === undefined ? '' : `: ${said.slice(0, 200)}`}`
  if (status === 401 && usesKey(planned) && !mayReject(planned, status)) {
    const rejection = `${words} (sent as ${route.group.credentials[0]?.header})`
    run.rejectedKeys.set(route.group.name, rejection)
    return { skipped: `the gateway rejects the API key for ${route.group.name}: ${rejection}` }
  }
  if (isTransient(status)) return { skipped: `the gateway was busy: ${words}`, isOutage: true }
  if (isExpected(planned, status)) return undefined
  // 424: an upstream failed.
  if ((status >= 500 || status === 424) && typeof probe.expect?.status !== 'string')
    return { skipped: `the gateway failed: ${words}`, isOutage: true }
  const broken = run.brokenGround(planned)
  if (broken !== undefined) return { skipped: `depends on ${broken}, which failed` }
  if (mayReject(planned, status))
    return { skipped: `${probe.mayReject?.because}; the gateway responds with ${words}` }
  return guessRejected(answered, run, words)
}

/** A rejection that is about a model which nobody named. */
function guessRejected(
  { planned, request, response }: Answered,
  run: Run,
  words: string,
): Unjudged | undefined {
  const { probe, models } = planned
  const model = namesModel(probe.request) ? run.modelOf(models) : undefined
  if (model?.given !== false) return undefined
  const rejectsModel = speaksOfModel({ planned, request, response })
  if (response.status === 403 && !rejectsModel)
    return {
      skipped: `the gateway rejects the API key or the model ${model.id} (--model ${models}=ID): ${words}`,
    }
  if (response.status !== 404 && !/model/i.test(words)) return undefined
  const skipped =
    `the gateway rejects the model ${model.id}: name another model with --model ${models}=ID` +
    `${listedIn(model)} (${words})`
  return { skipped, rejectsModel }
}

function listedIn({ listed }: Model): string {
  if (listed.length === 0) return ''
  const more = listed.length > 5 ? ` and ${listed.length - 5} more` : ''
  return `; /v1/models lists ${listed.slice(0, 5).join(', ')}${more}`
}

export function saidIn({ json }: ProbeResponse): string | undefined {
  const said = at(json, '/error/message')
  return typeof said === 'string' ? said : undefined
}

/** Whether a rejection is about the model. A repeated path does not count. */
export function speaksOfModel({ response, request }: Answered): boolean {
  const { pathname } = new URL(request.url)
  const said = saidIn(response) ?? ''
  return /model/i.test(said.replaceAll(decodeURIComponent(pathname), '').replaceAll(pathname, ''))
}

export const mayReject = ({ probe }: PlannedProbe, status: number): boolean =>
  probe.mayReject?.status.includes(status) === true

const isTransient = (status: number): boolean => [429, 502, 503, 504, 529].includes(status)

/** So many outages in a row end the probes of a group; twice as many end the check. */
const maxOutages = 3

export class Run {
  readonly options: CheckOptions
  /** All that was sent. */
  readonly exchanges: SentExchange[] = []
  models: ReadonlyMap<string, Model> = new Map()
  readonly judge = new ProbeJudge()
  readonly outcomes = new Map<string, Outcome>()
  /** Groups that reject the API key, with their messages. */
  readonly rejectedKeys = new Map<string, string>()
  /** By the time of the check. */
  readonly deadline: number
  hasBeenAnswered = false
  hasUsedKey = false
  /** The probe without a response when the check timed out. */
  unanswered: string | undefined
  /** The reasons of the last outcomes, if they were outages: of each group, and of all. */
  readonly #outages = new Map<PlannedProbe['set'] | undefined, string[]>()

  constructor(options: CheckOptions) {
    this.options = options
    this.deadline = this.now() + (options.timeout ?? Infinity)
  }

  now(): number {
    return this.options.target.pacer.now()
  }

  /** Why further requests of the group would be in vain. */
  outage({ set }: PlannedProbe): string | undefined {
    const [ofGroup = [], all = []] = [this.#outages.get(set), this.#outages.get(undefined)]
    const isOver = ofGroup.length >= maxOutages || all.length >= 2 * maxOutages
    return isOver ? (ofGroup.at(-1) ?? all.at(-1)) : undefined
  }

  note({ planned, response, skipped, isOutage = false }: Outcome): void {
    const isDown = isOutage && !(response !== undefined && response.status < 400)
    if (!isDown && response === undefined) return
    for (const key of [planned.set, undefined])
      this.#outages.set(key, isDown ? [...(this.#outages.get(key) ?? []), skipped ?? ''] : [])
  }

  resolverFor({ models }: PlannedProbe): Resolver {
    return createResolver(
      (name) => this.usable(name),
      () => this.modelOf(models).id,
    )
  }

  usable(name: string): Usable {
    const { response, unusable, skipped } = this.outcomes.get(name) ?? {}
    if (response === undefined) return skipped ?? `depends on ${name}, which got no response`
    return unusable ?? { json: response.json }
  }

  modelOf(group: string): Model {
    const model = this.models.get(group)
    if (model === undefined) throw new Error(`check: no model for ${group}`)
    return model
  }

  /** Whether a field is wrong in the responses to a probe. */
  isWrong(probe: string, wrong: string): boolean {
    const { violations = [] } = this.outcomes.get(probe) ?? {}
    return violations.some(({ severity, pointer }) => severity !== 'addition' && pointer === wrong)
  }

  /** An earlier probe with a violation in a field that this one uses. */
  brokenGround({ probe }: PlannedProbe): string | undefined {
    return referencesIn(probe.request)
      .flatMap(({ $from, pointer }) => [$from].flat().map((name) => ({ name, pointer })))
      .find(({ name, pointer }) => {
        const polled = this.outcomes.get(name)?.planned.probe.polling?.pointer
        return this.isWrong(name, pointer) || (polled !== undefined && this.isWrong(name, polled))
      })?.name
  }
}

interface Model {
  readonly id: string
  /** False: a guess. */
  readonly given: boolean
  /** The models that the gateway lists, of all groups; empty if it was not asked. */
  readonly listed: readonly string[]
}

/** The models of the groups: from `--model`, else listed by the gateway, else a guess. */
export async function chooseModels(
  plan: readonly PlannedProbe[],
  { target, apiKey, models = {}, timeout = Infinity }: CheckOptions,
): Promise<ReadonlyMap<string, Model>> {
  const chosen = new Map<string, Model>(
    Object.entries(models).map(([group, id]) => [group, { id, given: true, listed: [] }]),
  )
  const needed = plan.filter(({ probe, models: group }) => namesModel(probe.request) && !chosen.has(group))
  const listed = needed.length === 0 ? [] : await listModels(target, apiKey, Math.min(30_000, timeout / 4))
  for (const { set, models: group } of needed) {
    if (chosen.has(group) || set.model === undefined) continue
    const { id: usual, names, notNames } = set.model
    const fitting = listed.filter((one) => names.test(one))
    // The shortest name is the plainest model: `gpt-4o`, not `gpt-4o-audio-preview`.
    const [plainest] = fitting.toSorted((a, b) => a.length - b.length)
    const found = listed.includes(usual) ? usual : plainest
    const others = notNames === undefined ? [] : listed.filter((one) => !notNames.test(one))
    const id = found ?? others[0] ?? usual
    chosen.set(group, { id, given: found !== undefined, listed })
  }
  return chosen
}

// The list is not in the contract: without one, models are guessed.
async function listModels(target: Target, apiKey: string, patience: number): Promise<readonly string[]> {
  const url = `${target.base}/v1/models`
  const headers = { authorization: `Bearer ${apiKey}` }
  const { response } = await target.send(
    {
      operation: undefined,
      method: 'GET',
      url,
      headers: {},
      key: 'the key',
      credential: 'authorization',
      body: undefined,
      init: { method: 'GET', headers, body: undefined },
    },
    { patience },
  )
  const body = response?.status === 200 ? jsonIn(response.body?.text) : undefined
  const ids = listOf(isFields(body) ? body['data'] : []).map((one) => (isFields(one) ? one['id'] : undefined))
  return ids.filter((id) => typeof id === 'string')
}

export interface Answered {
  readonly planned: PlannedProbe
  readonly request: SentRequest
  readonly response: ProbeResponse
}

/** Checks responses; caches the readings of the schemas. */
class ProbeJudge {
  readonly #judge = createExchangeJudge()

  form({ planned: { route }, request, response }: Answered): Shown[] {
    const { method, url, params, body } = request
    const { ended } = response
    return this.#judge({ route, params, method, url, request: body, response, ended }).map((violation) =>
      shown(violation),
    )
  }

  /** Violations of the lifecycle of a job, except those already found in its responses. */
  lifecycle(sights: readonly Sight[], known: readonly Shown[]): Shown[] {
    return judgeLifecycle(sights)
      .filter(({ pointer }) => !known.some((other) => other.pointer === pointer))
      .map((violation) => shown(violation))
  }

  /** Checks against the contract and the expectation of the probe. */
  judge(answered: Answered): Shown[] {
    const { planned, response } = answered
    const wrong = wrongStatus(planned, response)
    const isRejected = response.status >= 400
    // The body of an unexpected success does not matter.
    const form = wrong !== undefined && !isRejected ? [] : this.form(answered)
    if (wrong !== undefined) return [wrong, ...form]
    if (form.some(({ severity }) => severity !== 'addition')) return form
    return [...form, ...otherFile(answered)]
  }
}

function isExpected({ probe }: PlannedProbe, status: number): boolean {
  const { expect } = probe
  if (expect === undefined) return true
  if (typeof expect.status !== 'string') return expect.status.includes(status)
  const isThere = expect.status === 'rejected' || (status !== 404 && status !== 405)
  return status >= 400 && status < 500 && isThere
}

const rejectionNames = {
  rejected: 'a rejection (4xx)',
  invalid: 'a rejection (4xx) other than 404 and 405',
} as const

function wrongStatus(planned: PlannedProbe, { status }: ProbeResponse): Shown | undefined {
  const { probe, route } = planned
  if (probe.expect === undefined || isExpected(planned, status)) return undefined
  const { operation } = route.endpoint
  const { status: wanted } = probe.expect
  const expected = typeof wanted === 'string' ? rejectionNames[wanted] : wanted.join(' or ')
  const what = { where: 'status', kind: 'status', expected, got: String(status) } as const
  const violation = shown({ operation, ...violating(probe.section, what) }, probe.states)
  // A gateway that fails on invalid input, or has no such operation, does so for every probe.
  const isGeneral = status >= 500 || ([404, 405].includes(status) && wanted !== 'rejected')
  return isGeneral ? { ...violation, cause: `${operation} always ${status}` } : violation
}

/** The expected file, if the body differs from it. */
function otherFile({ planned: { probe, route }, response }: Answered): Shown[] {
  const file = probe.expect?.file
  if (file === undefined) return []
  const found = (what: Parameters<typeof violating>[1]): Shown[] => [
    shown({ operation: route.endpoint.operation, ...violating(probe.section, what) }, probe.states),
  ]
  if (!isSameFile(response, file)) {
    const got = `${response.size} different bytes`
    return found({ where: 'body', kind: 'value', expected: 'the bytes that were sent', got })
  }
  const wrong = wrongType(response.headers.get('content-type'), new RegExp(`^${file.contentType}`))
  if (wrong === undefined) return []
  const what = { where: 'headers', pointer: '/content-type', severity: 'doubtful' } as const
  return found({ ...what, ...wrong, expected: file.contentType })
}
