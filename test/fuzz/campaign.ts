/** A run of the fuzzer: hands batches to a worker, and makes what it finds small. */
import type { Mode } from './batch.ts'
import { type Find, keyOf } from './check.ts'
import type { JobResult, LaneFind, Tally } from './jobs.ts'
import type { Kept } from './kept.ts'
import { minimised } from './minimise.ts'
import type { Area, Step } from './steps.ts'
import { type Heard, Supervised } from './supervised.ts'

export interface Given {
  readonly root: string
  readonly seed: string
  readonly only?: Area
}

export interface Memory {
  readonly mode: Mode
  readonly requests: number
  readonly heap: number
  readonly descriptors: number
}

/** Batches that go side by side over HTTP; one after the other in a process. */
const lanes = 8
/** Every so many jobs are one batch against two fresh simulators, and memory is looked at. */
const comparedEvery: Readonly<Record<Mode, number>> = { 'in-process': 10, http: 12 }
const memoryEvery = 5
const maxMinimised = 25
const minimiseMilliseconds = 40_000

export class Campaign {
  readonly kept: Kept[] = []
  readonly tallies: Record<Mode, Record<string, Tally>> = { 'in-process': {}, http: {} }
  readonly seconds: Record<Mode, number> = { 'in-process': 0, http: 0 }
  readonly memory: Memory[] = []
  compared = 0
  /** By what makes two finds the same. */
  readonly seen = new Map<string, number>()
  readonly #given: Given
  readonly #say: (line: string) => void

  constructor(given: Given, say: (line: string) => void) {
    this.#given = given
    this.#say = say
  }

  sent(mode: Mode): number {
    return Object.values(this.tallies[mode]).reduce((sum, { sent }) => sum + sent, 0)
  }

  async run(mode: Mode, limit: { readonly milliseconds: number; readonly requests: number }): Promise<void> {
    const worker = new Supervised({ ...this.#given, mode })
    const started = Date.now()
    let spoken = started
    for (
      let job = 0, index = 0;
      Date.now() - started < limit.milliseconds && this.sent(mode) < limit.requests;
      job++
    ) {
      if (this.#given.only !== 'sockets' && job % comparedEvery[mode] === 0)
        await this.#compare(worker, mode, index++)
      else {
        const indexes = Array.from({ length: mode === 'http' ? lanes : 4 }, () => index++)
        await this.#hear(mode, await worker.ask({ kind: 'fuzz', indexes }), indexes, false)
      }
      if (job % memoryEvery === memoryEvery - 1) await this.#weigh(worker, mode)
      this.seconds[mode] = (Date.now() - started) / 1000
      if (Date.now() - spoken > 5000) {
        spoken = Date.now()
        const rate = Math.round(this.sent(mode) / this.seconds[mode])
        this.#say(`fuzz: ${mode} ${this.sent(mode)} requests, ${rate}/s, ${this.seen.size} finds`)
      }
    }
    worker.end()
    this.#judgeMemory(mode)
  }

  async #compare(worker: Supervised, mode: Mode, index: number): Promise<void> {
    this.compared++
    await this.#hear(mode, await worker.ask({ kind: 'batch', index, twice: true }), [index], true)
  }

  async #hear(mode: Mode, heard: Heard, indexes: readonly number[], twice: boolean): Promise<void> {
    if (heard.kind === 'result') {
      this.#count(mode, heard.result)
      for (const found of heard.result.finds) await this.#keep(mode, found, twice, heard.result.context)
      return
    }
    const index = twice || heard.index < 0 ? (indexes[0] ?? 0) : heard.index
    const made = await this.#fresh(mode, (worker) => worker.ask({ kind: 'make', index }))
    const steps = made.kind === 'result' ? (made.result.context ?? []).slice(0, heard.at + 1) : []
    await this.#keep(
      mode,
      { index, find: { what: heard.kind, detail: heard.detail, at: heard.at }, steps },
      twice,
    )
  }

  #count(mode: Mode, { requests }: JobResult): void {
    for (const [key, { sent, answered, rejected, left }] of Object.entries(requests)) {
      const tally = (this.tallies[mode][key] ??= { sent: 0, answered: 0, rejected: 0, left: 0 })
      tally.sent += sent
      tally.answered += answered
      tally.rejected += rejected
      tally.left += left
    }
  }

  async #fresh<T>(mode: Mode, use: (worker: Supervised) => Promise<T>): Promise<T> {
    const worker = new Supervised({ ...this.#given, mode })
    try {
      return await use(worker)
    } finally {
      worker.end()
    }
  }

  /** Counts a find, and keeps the first of its kind as small as it can be made. */
  async #keep(
    mode: Mode,
    { find, steps, suspect }: LaneFind,
    twice: boolean,
    context?: readonly Step[],
  ): Promise<void> {
    const last = steps.at(-1) ?? { operation: 'none' }
    const key = `${mode} ${keyOf(find, last)}`
    const before = this.seen.get(key) ?? 0
    if (suspect !== true || before > 0) this.seen.set(key, before + 1)
    if (before > 0 || this.kept.length >= maxMinimised) return
    this.#say(`fuzz: ${suspect === true ? 'perhaps ' : ''}${key}: ${find.detail.slice(0, 300)}`)
    const small = await this.#fresh(mode, (worker) => smallest(worker, find, steps, context, twice))
    if (small === undefined && suspect === true) return
    this.seen.set(key, before + 1)
    const name = key
      .replaceAll(/[^a-zA-Z]+/g, '-')
      .slice(0, 60)
      .replace(/-$/, '')
      .toLowerCase()
    const kept = this.kept.filter((other) => other.name.startsWith(name)).length
    this.kept.push({
      name: kept === 0 ? name : `${name}-${kept + 1}`,
      mode,
      what: find.what,
      // Kept files are shared: the places of a stack are this machine's.
      detail: find.detail.replace(/\n\s+at [\s\S]*/, '').slice(0, 1500),
      twice,
      reproduced: small !== undefined,
      seed: this.#given.seed,
      steps: small ?? steps.slice(-3),
    })
    this.#say(
      `fuzz: ${small === undefined ? 'not shown by a fresh simulator' : `shown by ${small.length} steps`}`,
    )
  }

  async #weigh(worker: Supervised, mode: Mode): Promise<void> {
    const heard = await worker.ask({ kind: 'memory' })
    if (heard.kind === 'result' && heard.result.memory !== undefined)
      this.memory.push({ mode, requests: this.sent(mode), ...heard.result.memory })
  }

  /** The heap after a collection, and the descriptors, are flat after the first tenth. */
  #judgeMemory(mode: Mode): void {
    const all = this.memory.filter((sample) => sample.mode === mode)
    const later = all.filter(({ requests }) => requests > this.sent(mode) / 10)
    if (later.length < 12) return
    const middle = (samples: readonly Memory[], of: 'heap' | 'descriptors'): number =>
      samples.map((sample) => sample[of]).sort((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0
    const third = Math.floor(later.length / 3)
    for (const [of, allowed] of [
      ['heap', 8 * 2 ** 20],
      ['descriptors', 10],
    ] as const) {
      const first = middle(later.slice(0, third), of)
      const last = middle(later.slice(-third), of)
      if (last <= first * 1.1 + allowed) continue
      const find: Find = {
        what: 'growth',
        detail: `${of} grew from ${first} to ${last} over ${this.sent(mode)} requests`,
      }
      this.#say(`fuzz: ${find.detail}`)
      this.seen.set(`${mode} growth ${of}`, 1)
      this.kept.push({
        name: `${mode}-growth-${of}`,
        mode,
        ...find,
        twice: false,
        reproduced: false,
        seed: this.#given.seed,
        steps: [],
      })
    }
  }
}

/** The fewest steps that show a find to a fresh simulator: its own batch, or all that came side by side. */
async function smallest(
  worker: Supervised,
  find: Find,
  steps: readonly Step[],
  context: readonly Step[] | undefined,
  twice: boolean,
): Promise<readonly Step[] | undefined> {
  const until = Date.now() + minimiseMilliseconds
  const wanted = keyOf(find, steps.at(-1) ?? { operation: 'none' })
  const shows = async (some: readonly Step[]): Promise<boolean> => {
    const heard = await worker.ask({ kind: 'steps', steps: some, twice }, 60)
    if (heard.kind !== 'result')
      return heard.kind === find.what || (heard.kind === 'hang' && find.what === 'slow')
    return heard.result.finds.some(
      (other) => keyOf(other.find, other.steps.at(-1) ?? { operation: 'none' }) === wanted,
    )
  }
  for (const start of [steps.slice(-1), steps, context])
    if (start !== undefined && (await shows(start))) return minimised(start, shows, () => Date.now() > until)
  return undefined
}
