/** The public library: a simulator and its types. Imports no msw, no express and nothing of node. */
import { fetchFrom } from './http/web.ts'
import { createSimulatorCore, type Simulator, type SimulatorOptions } from './simulator.ts'

export type { ClockMode } from './engine/clock.ts'
export type { Fired } from './engine/store.ts'
export type { EntryRefusal, JournalEntry, SessionNaming, StreamedEvent, Violation } from './engine/journal-entry.ts'
export type { CallExplanation, ExplainedRule } from './explain-call/explain-call.ts'
export type { Transition } from './engine/touches.ts'
export type { ConductReport, Evidence, Finding, Severity } from './conduct/verdict.ts'
export { conductMarkdown, conductReport } from './conduct/report.ts'
export type { Advanced, AdvanceRequest } from './control/advance.ts'
export type { Simulator, SimulatorClock, SimulatorOptions } from './simulator.ts'
export { VerificationError } from './verify/verification-error.ts'
export type { CallDifference, CallPattern, CallShape, NearCall, Verdict, VerifyRequest, Within } from './verify/request.ts'
export { loadScenario, type Scenario } from './load-scenario.ts'
export type { ScenarioSource } from './scenario-set.ts'
export type { ScenarioInput } from './scenario/scenario-input.ts'
export { ScenarioError, type ScenarioFinding } from './scenario/scenario-error.ts'

/**
 * Creates a simulator of the gateway. It answers through `fetch` at once, without a port; `gateway-sim/msw`,
 * `gateway-sim/node` and `gateway-sim/express` give the same simulator other doors.
 *
 * Throws `ScenarioError` when the options or the settings are wrong; every mistake is named.
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const simulator = createSimulatorCore(options)
  return Object.assign(simulator, {
    fetch: async (input: string | URL | Request, init?: RequestInit): Promise<Response> => (await fetchFrom(simulator.core, input, init)) as Response,
  })
}
