/** What the simulator did to the requests of a run: the rules, reserved values and faults that it used. */
import type { JournalEntry } from '../../exchange/exchange.ts'
import { type Decision, decisionText } from '../../protocol/plan.ts'
import { counted } from '../../text/printable.ts'
import { faultsOf } from '../call-log.ts'

/** Requests with the same source of their response, and the same faults. */
interface DecidedRequests {
  /** Undefined for a default response with a fault. */
  readonly decidedBy: Decision | undefined
  readonly faults: readonly string[]
  requests: number
}

type BrokenCall = Pick<JournalEntry, 'session' | 'ended' | 'response'>

interface KnownDecision extends DecidedRequests {
  /** The first ones with a fault. Their responses end later. */
  readonly broken: BrokenCall[]
}

/** Names of models and prompts are text of clients, so their number has a limit. */
const maxDecisions = 1000
const maxLines = 20
/** How many calls with the same fault are described. */
const maxBroken = 3

/** Counts the requests without a plain default response, in bounded memory. */
export class Decisions {
  readonly #kept = new Map<string, KnownDecision>()
  #others = 0

  record(entry: JournalEntry): void {
    const { cause } = entry
    if (cause.decidedBy === undefined && cause.faults.length === 0) return
    const id = JSON.stringify([cause.decidedBy, ...cause.faults])
    let decision = this.#kept.get(id)
    if (decision === undefined && this.#kept.size >= maxDecisions) {
      this.#others++
      return
    }
    if (decision === undefined) {
      decision = { decidedBy: cause.decidedBy, faults: cause.faults, requests: 0, broken: [] }
      this.#kept.set(id, decision)
    }
    decision.requests++
    if (cause.faults.length > 0 && this.#kept.size <= maxLines && decision.broken.length < maxBroken)
      decision.broken.push(entry)
  }

  /** In the order of their first use. */
  all(): readonly Readonly<DecidedRequests>[] {
    return [...this.#kept.values()].map(({ decidedBy, faults, requests }) => ({
      decidedBy,
      faults,
      requests,
    }))
  }

  /** As text: `rule lost, fault disconnect: 1 request (session my-test, after event 3)`. */
  lines(): readonly string[] {
    const all = [...this.#kept.values()]
    const more = all.slice(maxLines).reduce((sum, { requests }) => sum + requests, this.#others)
    return [
      ...all.slice(0, maxLines).map(decisionLine),
      ...(more === 0 ? [] : [`others: ${counted(more, 'request')}`]),
    ]
  }
}

function decisionLine(decision: KnownDecision): string {
  const { decidedBy, requests, broken } = decision
  const source = decidedBy === undefined ? 'default response' : decisionText(decidedBy)
  const places = [...new Set(broken.map(placeOf))].filter((place) => place !== '')
  const more = requests > maxBroken ? ['…'] : []
  const where = places.length === 0 ? '' : ` (${[...places, ...more].join('; ')})`
  return `${[source, ...faultsOf(decision)].join(', ')}: ${counted(requests, 'request')}${where}`
}

function placeOf({ session, ended, response }: BrokenCall): string {
  const events = response?.eventCount ?? 0
  return [
    ...(session === 'default' ? [] : [`session ${session}`]),
    ...(ended === 'disconnected' && events > 0 ? [`after event ${events}`] : []),
  ].join(', ')
}
