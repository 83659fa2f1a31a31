/** Sends the probes of a plan, in order, and collects what each shows. */
import { chooseModels } from './models.ts'
import { CheckFailure, type CheckOptions, wallTime } from './options.ts'
import { type Outcome, single } from './outcome.ts'
import { attempt, BrokenConnection } from './patience.ts'
import { at, CannotSend } from './placeholders.ts'
import { polled } from './poll-probe.ts'
import { Run } from './run.ts'
import { requestOf } from './send-probe.ts'
import type { PlannedProbe } from './suite.ts'

/** Throws `CheckFailure` where nothing answers, or the key is refused everywhere. */
export async function runProbes(plan: readonly PlannedProbe[], options: CheckOptions): Promise<Outcome[]> {
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const time = options.time ?? wallTime
  const run = new Run(options, fetch, time, await chooseModels(plan, options, fetch))
  const outcomes = new Map<PlannedProbe, Outcome>()
  const inOrder = async (probes: readonly PlannedProbe[]): Promise<void> => {
    for (const planned of probes) {
      options.onProgress?.(planned.probe.endpoint.operation, planned.probe.name)
      const outcome = await runProbe(planned, run)
      run.mark(planned, outcome.deviations)
      outcomes.set(planned, outcome)
    }
  }
  await inOrder(plan.filter(({ probe }) => probe.spend !== 'all'))
  // Jobs take minutes: those of one group wait for each other, but not for those of another.
  const long = plan.filter(({ probe }) => probe.spend === 'all')
  const groups = [...new Set(long.map(({ set }) => set))]
  await Promise.all(groups.map((group) => inOrder(long.filter(({ set }) => set === group))))
  const [refusal] = run.refusedKeys.values()
  if (refusal !== undefined && !run.hasUsedKey)
    throw new CheckFailure('unauthorised', `the gateway refuses the key: ${refusal}`)
  return plan.map((planned) => outcomes.get(planned) as Outcome)
}

async function runProbe(planned: PlannedProbe, run: Run): Promise<Outcome> {
  const skip = (skipped: string): Outcome => ({ planned, skipped, deviations: [], learned: [] })
  const reason = reasonToSkip(planned, run)
  if (reason !== undefined) return skip(reason)
  const resolver = run.resolverFor(planned)
  try {
    const wire = requestOf(planned, run.options, resolver)
    const tried = await attempt(wire, planned, run)
    run.hasBeenAnswered = true
    return planned.probe.polling === undefined
      ? single(planned, run, wire.sent, tried, resolver)
      : await polled(planned, run, wire, tried, resolver)
  } catch (error) {
    if (error instanceof CannotSend) return skip(error.message)
    if (!(error instanceof BrokenConnection)) throw error
    // Nobody answers at all: the next probe would not be answered either.
    if (!run.hasBeenAnswered) throw new CheckFailure('unreachable', error.message)
    return skip(`the connection broke: ${error.message}`)
  }
}

function reasonToSkip({ probe, route }: PlannedProbe, run: Run): string | undefined {
  const refused = run.refusedKeys.get(route.group.name)
  if (refused !== undefined && probe.request.key !== false && probe.request.to === undefined)
    return `the gateway refuses the key for ${route.group.name}: ${refused}`
  const { after } = probe.request
  const before = after === undefined ? {} : run.usable(after)
  if (typeof before === 'string') return before
  if (probe.while === undefined) return undefined
  const { probe: name, pointer, is } = probe.while
  const reply = run.replyTo(name)
  const value = reply === undefined ? undefined : at(reply.reply.json, pointer)
  return is.includes(value) ? undefined : `it applies only while ${name} is ${is.join(' or ')}`
}
