/** Judges the reply to a probe: by the contract, and by what the probe expects. */

import { createExchangeJudge, wrongType } from '../contract/judge-exchange.ts'
import { judgeLife, type Sight } from '../contract/judge-life.ts'
import { type Deviation, deviating } from '../contract/laws/law.ts'
import type { Claim, ProbeValue } from '../protocol/probe.ts'
import { show } from '../protocol/wording.ts'
import { type Shown, shown } from './findings.ts'
import { at, CannotSend, isSameFile, type ProbeReply, type Resolver, type SentRequest } from './send-probe.ts'
import type { PlannedProbe } from './suite.ts'

/** A reply, and what was asked. */
export interface Answered {
  readonly planned: PlannedProbe
  readonly request: SentRequest
  readonly reply: ProbeReply
}

/** Judges replies; it keeps what the contract says of the schemas. */
export class ProbeJudge {
  readonly #judge = createExchangeJudge()

  /** By the contract alone. */
  form({ planned: { route }, request, reply }: Answered): Shown[] {
    const { method, url, params, body } = request
    const { ended } = reply
    return this.#judge({ route, params, method, url, request: body, reply, ended }).map((deviation) =>
      shown(deviation),
    )
  }

  /** What a job showed over its life; what single replies showed of it already is known. */
  life(sights: readonly Sight[], known: readonly Shown[]): Shown[] {
    return judgeLife(sights)
      .filter(({ pointer }) => !known.some((other) => other.pointer === pointer))
      .map((deviation) => shown(deviation))
  }

  /** By the contract, and by what the probe expects. Additions stand beside the rest. */
  judge(answered: Answered, resolver: Resolver): Shown[] {
    const { planned, reply } = answered
    const wrong = wrongStatus(planned, reply)
    const isRefused = reply.status >= 400
    // Whether what was answered against the contract has the form of an answer is beside the point.
    const form = wrong !== undefined && !isRefused ? [] : this.form(answered)
    if (wrong !== undefined) return [wrong, ...form]
    if (form.some(({ severity }) => severity !== 'addition')) return form
    return [...form, ...unmet(answered, resolver)]
  }
}

/** Whether a status is the expected one. */
export function isExpected({ probe }: PlannedProbe, status: number): boolean {
  const { expect } = probe
  if (expect === undefined) return true
  if (typeof expect.status !== 'string') return expect.status.includes(status)
  const isThere = expect.status === 'refused' || (status !== 404 && status !== 405)
  return status >= 400 && status < 500 && isThere
}

function wrongStatus(planned: PlannedProbe, { status }: ProbeReply): Shown | undefined {
  const { probe, route } = planned
  if (probe.expect === undefined || isExpected(planned, status)) return undefined
  const { operation } = route.endpoint
  const { status: wanted } = probe.expect
  const expected =
    wanted === 'refused'
      ? 'a refusal (4xx)'
      : wanted === 'invalid'
        ? 'a refusal (4xx) by an operation that is there'
        : wanted.join(' or ')
  const what = { where: 'status', kind: 'status', expected, got: String(status) } as const
  const deviation = shown({ operation, ...deviating(probe.section, what) }, probe.states)
  // A gateway that breaks down over bad input, or has no such operation, does so in all cases.
  const isGeneral = status >= 500 || ([404, 405].includes(status) && wanted !== 'refused')
  return isGeneral ? { ...deviation, cause: `${operation} always ${status}` } : deviation
}

/** What the probe expects of the body, and does not find there. */
function unmet({ planned, reply }: Answered, resolver: Resolver): Shown[] {
  const { probe, route } = planned
  const { expect } = probe
  if (expect === undefined) return []
  const { operation } = route.endpoint
  const found = (pointer: string, broken: Broken, more: Partial<Deviation> = {}): Shown[] => [
    shown(
      { operation, ...deviating(probe.section, { where: 'body', pointer, ...broken }), ...more },
      probe.states,
    ),
  ]
  const { code: due, file, claims = [] } = expect
  const code = at(reply.json, '/error/code')
  if (due !== undefined && code !== due)
    return found('/error/code', { kind: 'value', expected: String(due), got: show(code) })
  if (file !== undefined && !isSameFile(reply, file))
    return found('', {
      kind: 'value',
      expected: 'the bytes that were sent',
      got: `${reply.size} other bytes`,
    })
  const type = reply.headers.get('content-type')
  const wrong = file === undefined ? undefined : wrongType(type, new RegExp(`^${file.type}`))
  if (file !== undefined && wrong !== undefined)
    return found(
      '/content-type',
      { ...wrong, expected: file.type },
      { where: 'headers', severity: 'doubtful' },
    )
  for (const claim of claims) {
    const broken = brokenClaim(claim, reply.json, resolver)
    if (broken !== undefined) return found(claim.pointer, broken)
  }
  return []
}

type Broken = Pick<Deviation, 'kind' | 'expected' | 'got'>

function brokenClaim(claim: Claim, json: unknown, resolver: Resolver): Broken | undefined {
  const { when, pointer, is, items, keys } = claim
  if (when !== undefined && !isOneOf(at(json, when.pointer), when.is, resolver)) return undefined
  const value = at(json, pointer)
  const kind = value === undefined || value === null ? 'missing' : 'value'
  if (is !== undefined && !isOneOf(value, is, resolver))
    return { kind, expected: words(is, resolver), got: show(value) }
  if (items !== undefined && (!Array.isArray(value) || value.length !== items))
    return { kind, expected: `a list of ${items}`, got: show(value) }
  const missing = (keys ?? []).filter(
    (key) => value === null || typeof value !== 'object' || !Object.hasOwn(value, key),
  )
  if (missing.length > 0)
    return { kind: 'missing', expected: `${missing.join(', ')} in it`, got: show(value) }
  return undefined
}

function isOneOf(value: unknown, list: readonly ProbeValue[], resolver: Resolver): boolean {
  return list.some((one) => resolved(one, resolver) === value)
}

const words = (list: readonly ProbeValue[], resolver: Resolver): string =>
  list.map((one) => show(resolved(one, resolver))).join(' or ')

// A value that an earlier reply did not have is none to compare with.
function resolved(value: ProbeValue, resolver: Resolver): unknown {
  try {
    return resolver.value(value)
  } catch (error) {
    if (error instanceof CannotSend) return undefined
    throw error
  }
}
