/** The state of a running check: the outcomes of its probes, models, rejected API keys, outages. */

import { createJudge } from '../judges/contract/judge-exchange.ts'
import { placeOf } from '../judges/finding.ts'
import type { JudgedCall } from '../judges/judged-calls.ts'
import type { Seen } from './check-findings.ts'
import type { CheckOptions } from './check-types.ts'
import { type PlannedProbe, referencesIn } from './plan.ts'
import type { SentExchange } from './send.ts'

export interface Answered {
  readonly planned: PlannedProbe
  readonly call: JudgedCall
}

/** A probe whose response was compared with the contract and with the expectation. */
export interface Judged {
  readonly kind: 'judged'
  readonly planned: PlannedProbe
  readonly answered: Answered
  readonly violations: readonly Seen[]
  /** Why later probes cannot use its response. */
  readonly unusable: string | undefined
}

/**
 * A probe that was skipped. `rejected`: the gateway rejects the API key or the model, or is allowed to reject
 * the request. `outage`: the gateway was busy, failed or did not respond. `dependent`: because of another
 * probe.
 */
export interface Skipped {
  readonly kind: 'rejected' | 'outage' | 'dependent'
  readonly planned: PlannedProbe
  readonly reason: string
  readonly answered?: Answered
  readonly violations: readonly Seen[]
}

export type Outcome = Judged | Skipped

export const skipped = (kind: Skipped['kind'], planned: PlannedProbe, reason: string): Skipped => ({
  kind,
  planned,
  reason,
  violations: [],
})

/** So many outages in a row end the probes of a group; twice as many end the check. */
const maxOutages = 3

export class CheckRun {
  readonly options: CheckOptions
  readonly judge = createJudge()
  /** All that was sent. */
  readonly exchanges: SentExchange[] = []
  readonly outcomes = new Map<string, Outcome>()
  /** Groups that reject the API key, with the reason to skip their probes. */
  readonly rejectedKeys = new Map<string, string>()
  /** Groups that have accepted the API key. */
  readonly groupsWithAccess = new Set<string>()
  hasBeenAnswered = false
  /** The number of outages in a row: of each group, and of all. */
  readonly #outages = new Map<PlannedProbe['set'] | 'all', number>()
  #lastOutage = ''

  constructor(options: CheckOptions) {
    this.options = options
  }

  /** Why further requests of the group would be in vain. */
  outage({ set }: PlannedProbe): string | undefined {
    const isOver =
      (this.#outages.get(set) ?? 0) >= maxOutages || (this.#outages.get('all') ?? 0) >= 2 * maxOutages
    return isOver ? this.#lastOutage : undefined
  }

  noteOutage(outcome: Outcome): void {
    const { kind, planned, answered } = outcome
    const isDown = kind === 'outage' && !(answered !== undefined && answered.call.response.status < 400)
    if (!isDown && answered === undefined) return
    if (isDown) this.#lastOutage = outcome.reason
    for (const key of [planned.set, 'all'] as const)
      this.#outages.set(key, isDown ? (this.#outages.get(key) ?? 0) + 1 : 0)
  }

  /** The response to an earlier probe, or why it is unusable. */
  usable(name: string): { readonly json: unknown } | string {
    const outcome = this.outcomes.get(name)
    if (outcome === undefined) return `depends on ${name}, which got no response`
    if (outcome.kind !== 'judged') return outcome.reason
    return outcome.unusable ?? { json: outcome.answered.call.json }
  }

  /** The model of `--model`, or the usual one. */
  modelOf({ models, set }: PlannedProbe): Model {
    const id = this.options.models?.[models]
    return { id: id ?? set.model ?? '', given: id !== undefined }
  }

  /** An earlier probe with a violation in a field that this one uses. */
  wrongSource({ probe }: PlannedProbe): string | undefined {
    return referencesIn(probe.request)
      .flatMap(({ $from, pointer }) => [$from].flat().map((name) => ({ name, pointer })))
      .find(({ name, pointer }) => {
        const outcome = this.outcomes.get(name)
        const used = [pointer, outcome?.planned.probe.polling?.pointer]
        return outcome?.violations.some(
          ({ finding }) => finding.severity !== 'hint' && used.includes(placeOf(finding).pointer),
        )
      })?.name
  }
}

export interface Model {
  readonly id: string
  /** False: a guess. */
  readonly given: boolean
}
