/** `gateway-sim/trial`: runs a client against every failure, in any test runner. */
export type { Nature } from './scenario/faults/nature.ts'
export type { TrialVerdict, VerdictName } from './trial/judge.ts'
export { trialText } from './trial/report.ts'
export type { CellSelection, TrialResult } from './trial/trial.ts'
export { type ClientTrial, type TriedClient, type TryOptions, tryFailures } from './trial/try-failures.ts'
