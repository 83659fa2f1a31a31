/** Why a request failed, in short: for lists and summaries. */
import { errorMessage } from '../protocol/wording.ts'

interface Matched {
  readonly unmatched: boolean
  readonly operation?: string | null | undefined
  readonly decidedBy?: string | null | undefined
}

/** Whether `strict` rejected a request, or its path is unknown. A user's handler may answer unknown paths. */
export const isUnmatched = ({ unmatched, operation, decidedBy }: Matched): boolean =>
  unmatched || (operation ?? decidedBy ?? undefined) === undefined

interface Rejected {
  readonly unmatched: boolean
  readonly violations: readonly unknown[]
  readonly response?: string | null | undefined
}

/** The error message, unless the violations or the rules say more. */
export const rejectionText = ({ unmatched, violations, response }: Rejected): string =>
  unmatched || violations.length > 0 ? '' : errorMessage(response ?? '')
