/** What `verify` throws. */
import type { Verdict } from './request.ts'

/** Thrown by `verify` when the calls of a session do not meet the request. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError'
  /** The code of `node:assert` errors, so that reporters show a failed assertion instead of a crash. */
  readonly code = 'ERR_ASSERTION'
  readonly verdict: Verdict

  constructor(verdict: Verdict) {
    super(verdict.message)
    this.verdict = verdict
  }
}
