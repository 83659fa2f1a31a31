/** Judges the reply to a probe: by the contract, and by what the probe expects. */

import { createExchangeJudge, wrongType } from '../contract/judge-exchange.ts'
import { judgeLife, type Sight } from '../contract/judge-life.ts'
import { deviating } from '../contract/laws/law.ts'
import { type Shown, shown } from './findings.ts'
import { isSameFile, type ProbeReply, type SentRequest } from './send-probe.ts'
import type { PlannedProbe } from './suite.ts'

export interface Answered {
  readonly planned: PlannedProbe
  readonly request: SentRequest
  readonly reply: ProbeReply
}

/** Judges replies; it keeps what the contract says of the schemas. */
export class ProbeJudge {
  readonly #judge = createExchangeJudge()

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
  judge(answered: Answered): Shown[] {
    const { planned, reply } = answered
    const wrong = wrongStatus(planned, reply)
    const isRefused = reply.status >= 400
    // Whether what was answered against the contract has the form of an answer is beside the point.
    const form = wrong !== undefined && !isRefused ? [] : this.form(answered)
    if (wrong !== undefined) return [wrong, ...form]
    if (form.some(({ severity }) => severity !== 'addition')) return form
    return [...form, ...otherFile(answered)]
  }
}

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

/** The file that the probe expects, where the body is another. */
function otherFile({ planned: { probe, route }, reply }: Answered): Shown[] {
  const file = probe.expect?.file
  if (file === undefined) return []
  const found = (what: Parameters<typeof deviating>[1]): Shown[] => [
    shown({ operation: route.endpoint.operation, ...deviating(probe.section, what) }, probe.states),
  ]
  if (!isSameFile(reply, file)) {
    const got = `${reply.size} other bytes`
    return found({ where: 'body', kind: 'value', expected: 'the bytes that were sent', got })
  }
  const wrong = wrongType(reply.headers.get('content-type'), new RegExp(`^${file.type}`))
  if (wrong === undefined) return []
  const what = { where: 'headers', pointer: '/content-type', severity: 'doubtful' } as const
  return found({ ...what, ...wrong, expected: file.type })
}
