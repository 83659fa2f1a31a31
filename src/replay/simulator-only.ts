/** Which steps of a scenario only a simulator that serves it can answer: found out by running it in-process, with and without its script. */
import { scenarioReader, scenarioOfObject, type Scenario } from '../load-scenario.ts'
import { replayInProcess } from './replay-scenario.ts'
import type { StepReport } from './report.ts'

/** The reason by step number. */
export async function simulatorOnly(scenario: Scenario, cwd: string): Promise<ReadonlyMap<string, string>> {
  const { report, journal } = await replayInProcess(scenario, { cwd })
  const decided = new Map(journal.flatMap(({ requestId, decidedBy }) => (decidedBy === undefined ? [] : [[requestId, decidedBy] as const])))
  const reasons = new Map<string, string>()
  for (const step of report.steps) {
    const by = deciderOf(step, decided)
    if (by !== undefined) reasons.set(step.step, `its reply is decided by ${by}, which only a simulator knows`)
  }

  const { title, seed, clock, steps } = scenario.written
  const bare = scenarioOfObject({ title, ...(seed === undefined ? {} : { seed }), ...(clock === undefined ? {} : { clock }), ...(steps === undefined ? {} : { steps }) }, scenario.name, scenarioReader())
  const without = new Map((await replayInProcess(bare, { cwd: scenario.directory ?? cwd })).report.steps.map((step) => [step.step, step]))
  for (const { step, kind, outcome } of report.steps) {
    const other = without.get(step)
    if (kind === 'advance' || reasons.has(step) || outcome !== 'held' || other?.outcome === 'held') continue
    // Who needs what an earlier one saved is skipped with it.
    if (other?.outcome === 'failed') reasons.set(step, 'what it expects comes of what the scenario says of the account, of given things or of earlier calls')
  }
  return reasons
}

function deciderOf({ exchanges }: StepReport, decided: ReadonlyMap<string, string>): string | undefined {
  for (const { reply, request } of exchanges) {
    const id = reply?.headers['x-request-id'] ?? reply?.headers['request-id'] ?? reply?.headers['x-typesafe-request-id']
    if (id !== undefined) {
      const by = decided.get(id)
      if (by !== undefined) return by
    } else if (reply === undefined && request.operation !== undefined) return 'a fault'
  }
  return undefined
}
