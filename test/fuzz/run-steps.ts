/** Runs the steps of one batch against one simulator, one after the other. */
import { check, type Find, Trouble } from './check.ts'
import { harvest, type Pool, resolved, type Step, textOf } from './steps.ts'
import type { Outcome, Target } from './targets.ts'

/** A find, and the step that it was made at. */
export interface Found extends Find {
  readonly at: number
}

export interface Bench extends Target {
  /** What only a bench with a machine can do: settings and files. */
  other(step: Step): Promise<Outcome>
  /** Seconds of CPU that the simulator's event loop has used; undefined where nobody can tell. */
  cpu(): number | undefined
  /** A bug that was warned of, a rejection that nobody caught, since it was last asked. */
  complaint(): Find | undefined
}

export interface Ran {
  readonly finds: readonly Found[]
  readonly outcomes: readonly Outcome[]
  /** The steps as they were sent, with what stood for their placeholders. */
  readonly sent: readonly Step[]
}

/** A request may cost this many seconds of CPU. */
export const allowedCpu = 1

export interface Watch {
  /** Called before each step. */
  before?(at: number): void
  /** Called after each. */
  after?(outcome: Outcome): void
  /** Shared by batches that run side by side, where one can make trouble for the other. */
  readonly trouble?: Trouble
}

export async function runSteps(steps: readonly Step[], bench: Bench, watch: Watch = {}): Promise<Ran> {
  const pool: Pool = new Map()
  const trouble = watch.trouble ?? new Trouble()
  const finds: Found[] = []
  const outcomes: Outcome[] = []
  const sent: Step[] = []
  let last = { at: performance.now(), cpu: bench.cpu() }
  for (const [at, planned] of steps.entries()) {
    watch.before?.(at)
    const step = resolved(planned, pool)
    sent.push(step)
    // What takes less time takes less of the CPU: it is asked for only now and then.
    if (performance.now() - last.at > 50) last = { at: performance.now(), cpu: bench.cpu() }
    const outcome = await sendTo(bench, step)
    const late = performance.now() - last.at > allowedCpu * 500
    const used = late ? (bench.cpu() ?? 0) - (last.cpu ?? 0) : 0
    watch.after?.(outcome)
    trouble.noted(step, outcome)
    for (const find of [
      check(step, outcome, trouble.asked),
      bench.complaint(),
      used > allowedCpu ? slow(used) : undefined,
    ])
      if (find !== undefined) finds.push({ ...find, at })
    if (outcome.kind === 'responses')
      for (const { status, body } of outcome.responses)
        if (status < 500) harvest(step, textOf(body.slice(0, 4000)), pool)
    outcomes.push(outcome)
    if (finds.some(({ what }) => what === 'crash' || what === 'hang')) break
  }
  return { finds, outcomes, sent }
}

export const slow = (used: number): Find => ({
  what: used > 10 * allowedCpu ? 'hang' : 'slow',
  detail: `${used.toFixed(1)} s of CPU for one request`,
})

function sendTo(bench: Bench, step: Step): Promise<Outcome> {
  return step.kind === 'call' || step.kind === 'bytes' ? bench.send(step) : bench.other(step)
}

/** The first step that two fresh simulators did not answer with the same bytes. */
export function firstDifference(one: Ran, other: Ran): Found | undefined {
  let hasLeft = false
  for (const [at, outcome] of one.outcomes.entries()) {
    // It says how late the loop was.
    if (one.sent[at]?.operation === 'sim.health') continue
    const a = told(outcome)
    const b = told(other.outcomes[at])
    // A client leaves by the wall clock. Where only one did, the journals differ from here on.
    if ((outcome.kind === 'left') !== (other.outcomes[at]?.kind === 'left')) return undefined
    // Where both did, the journals tell how far each one came.
    hasLeft ||= outcome.kind === 'left'
    if (hasLeft && one.sent[at]?.operation.startsWith('sim.') === true) continue
    if (a === b || a === undefined || b === undefined) continue
    let from = 0
    while (a[from] === b[from]) from++
    const near = (text: string): string => JSON.stringify(text.slice(Math.max(0, from - 60), from + 100))
    return { what: 'bytes', detail: `${near(a)} and ${near(b)}`, at }
  }
  return undefined
}

/** All that the seed decides: the wall clock writes `date` and when a call came or was saved. */
function told(outcome: Outcome | undefined): string | undefined {
  if (outcome?.kind !== 'responses') return outcome?.kind === 'wrong' ? outcome.reason : undefined
  return outcome.responses
    .map(({ status, headers, body }) => {
      const { date: _, ...others } = headers
      const lines = Object.entries(others).map(([name, value]) => `${name}: ${value}`)
      return `${status}\n${lines.sort().join('\n')}\n\n${body}`
    })
    .join('\n')
    .replaceAll(/"(?:real|saved)At":"?[^",}]*"?|127\.0\.0\.1:\d+/g, '')
}
