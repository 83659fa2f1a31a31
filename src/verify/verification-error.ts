/** What `verify` throws. */
import type { Verdict } from './request.ts'

/** The calls of a session were not as they had to be. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError'
  /** As the assertions of `node:assert` say it: reporters count it as a failed assertion, not as a crash. */
  readonly code = 'ERR_ASSERTION'
  readonly verdict: Verdict

  constructor(verdict: Verdict) {
    super(verdict.message)
    this.verdict = verdict
  }
}
