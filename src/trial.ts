/** `gateway-sim/trial`: runs a client against every failure, in any test runner. */
export type { Nature } from './trial/failure.ts'
export { type FailureCase, type FailureOptions, failures } from './trial/failures.ts'
export type { TrialVerdict, VerdictName } from './trial/judge.ts'
export { trialText } from './trial/report.ts'
export type { CellSelection } from './trial/trial.ts'
export {
  type ClientTrial,
  type TrialResult,
  type TriedClient,
  type TryOptions,
  tryFailures,
} from './trial/try-failures.ts'
