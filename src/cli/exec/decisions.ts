/** What the simulator did to the requests of a run: the rules, reserved values and faults that it used. */
import type { JournalEntry } from '../../engine/journal-entry.ts'
import { counted } from '../../text/printable.ts'

/** Requests with the same source of their response, and the same faults. */
interface Decision {
  /** A rule, a reserved value or a setting; undefined for a default response with a fault. */
  readonly decidedBy: string | undefined
  readonly faults: readonly string[]
  requests: number
}

/** Names of models and prompts are text of clients, so their number has a limit. */
const maxDecisions = 1000
const maxLines = 20

/** Counts the requests without a plain default response, in bounded memory. */
export class Decisions {
  readonly #kept = new Map<string, Decision>()
  #others = 0

  record({ decidedBy, faults }: JournalEntry): void {
    if (decidedBy === undefined && faults.length === 0) return
    const id = JSON.stringify([decidedBy, ...faults])
    const known = this.#kept.get(id)
    if (known !== undefined) known.requests++
    else if (this.#kept.size < maxDecisions) this.#kept.set(id, { decidedBy, faults, requests: 1 })
    else this.#others++
  }

  /** In the order of their first use. */
  all(): readonly Readonly<Decision>[] {
    return [...this.#kept.values()]
  }

  /** As text: `rule lost, fault reset: 1 request`. */
  lines(): readonly string[] {
    const all = this.all()
    const more = all.slice(maxLines).reduce((sum, { requests }) => sum + requests, this.#others)
    return [
      ...all.slice(0, maxLines).map(decisionLine),
      ...(more === 0 ? [] : [`others: ${counted(more, 'request')}`]),
    ]
  }
}

function decisionLine({ decidedBy = 'default response', faults, requests }: Decision): string {
  const names = faults.filter((kind) => decidedBy !== `fault ${kind}`)
  const applied = names.length === 0 ? '' : `, fault ${names.join(' and ')}`
  return `${decidedBy}${applied}: ${counted(requests, 'request')}`
}
