/**
 * Finds the steps that only a simulator with this scenario can answer, by replaying it in-process with and
 * without its rules.
 */
import { Scenario } from '../scenario/load/scenario.ts'
import { replayInProcess } from './replay-scenario.ts'
import type { StepReport } from './report.ts'

export interface SimulatorOnlyOptions {
  readonly cwd: string
  /** Folders whose files the scenario may name, besides its own. */
  readonly allowFiles: readonly string[]
  /** What would make these steps run; every reason ends with it. */
  readonly remedy: string
}

/** The reasons by step number. */
export async function simulatorOnly(
  scenario: Scenario,
  { cwd, allowFiles, remedy }: SimulatorOnlyOptions,
): Promise<Map<string, string>> {
  const { report, journal } = await replayInProcess(scenario, { cwd, allowFiles })
  const decided = new Map(
    journal.flatMap(({ requestId, decidedBy }) =>
      decidedBy === undefined ? [] : [[requestId, decidedBy] as const],
    ),
  )
  const reasons = new Map<string, string>()
  for (const step of report.steps) {
    const by = deciderOf(step, decided)
    if (by !== undefined) reasons.set(step.step, `its reply is decided by ${by}: ${remedy}`)
  }

  const { title, seed, clock, steps } = scenario.spec
  // Not checked again: its steps may refer to replies that only its rules produce.
  const bare = new Scenario(scenario.name, { title, seed, clock, steps })
  const held = new Set(report.steps.filter(({ outcome }) => outcome === 'held').map(({ step }) => step))
  // Skipped steps make others fail, which must be skipped too: repeat until no more fail.
  for (;;) {
    const { report: without } = await replayInProcess(bare, {
      cwd: scenario.directory ?? cwd,
      allowFiles,
      skip: (step) => reasons.get(step),
    })
    const failed = without.steps.filter(
      ({ step, outcome }) => outcome === 'failed' && held.has(step) && !reasons.has(step),
    )
    if (failed.length === 0) return reasons
    for (const { step } of failed)
      reasons.set(
        step,
        `its expectations depend on the account, the given resources or the rules of the scenario: ${remedy}`,
      )
  }
}

function deciderOf({ exchanges }: StepReport, decided: ReadonlyMap<string, string>): string | undefined {
  for (const { reply, request } of exchanges) {
    const id =
      reply?.headers['x-request-id'] ??
      reply?.headers['request-id'] ??
      reply?.headers['x-typesafe-request-id']
    if (id !== undefined) {
      const by = decided.get(id)
      if (by !== undefined) return by
    } else if (reply === undefined && request.operation !== undefined) return 'a fault'
  }
  return undefined
}
