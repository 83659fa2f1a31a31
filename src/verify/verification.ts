/** Verification as a simulator or a session offers it. */
import type { World } from '../engine/world.ts'
import type { OperationPattern } from '../scenario/scenario-input.ts'
import type { Verdict, VerifyRequest } from './request.ts'
import { type NamedRule, unusedRules } from './unused-rules.ts'
import { VerificationError } from './verification-error.ts'
import { verify } from './verify.ts'

/** What can be asked of the calls of a session. */
export interface Verification {
  /**
   * Holds the calls so far against what they had to be, and throws `VerificationError` when they were not:
   * its message shows the nearest calls and what differs. A text is an operation that must have been called.
   * Throws `ConfigError` for a request that is wrong itself.
   */
  verify(request: OperationPattern | VerifyRequest): Verdict
  /** The same as a verdict that may be read; it throws for a wrong request only. */
  safeVerify(request: OperationPattern | VerifyRequest): Verdict
  /** The ids of the scenario rules that have answered no call so far. */
  unusedRules(): readonly string[]
}

/** @internal */
export interface VerificationParts {
  world(): World
  /** The rules of the scenarios in use. */
  rules(): readonly NamedRule[]
}

/** Verification over one session. @internal */
export function createVerification({ world, rules }: VerificationParts): Verification {
  const safeVerify = (request: unknown): Verdict => {
    const { journal, startedAt } = world()
    return verify({ entries: journal.entries(), total: journal.total, startedAt }, request)
  }
  return {
    safeVerify,
    verify(request) {
      const verdict = safeVerify(request)
      if (!verdict.ok) throw new VerificationError(verdict)
      return verdict
    },
    unusedRules: () => unusedRules(rules(), [world()]),
  }
}
