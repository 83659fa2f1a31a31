/** Why a request failed, in short: for lists and summaries. */
import { errorMessage } from '../protocol/wording.ts'

interface Failed {
  readonly operation?: string | undefined
  readonly cause: { readonly unmatched: boolean; readonly decidedBy?: object | undefined }
}

/** Whether `strict` rejected a request, or its path is unknown. A user's handler may answer unknown paths. */
export const isUnmatched = ({ operation, cause: { unmatched, decidedBy } }: Failed): boolean =>
  unmatched || (operation ?? decidedBy) === undefined

interface Rejected {
  readonly response?: { readonly body?: { readonly text?: string | undefined } | undefined } | undefined
  readonly cause: { readonly unmatched: boolean; readonly violations: readonly unknown[] }
}

/** The error message, unless the violations or the rules say more. */
export const rejectionText = ({ response, cause: { unmatched, violations } }: Rejected): string =>
  unmatched || violations.length > 0 ? '' : errorMessage(response?.body?.text ?? '')
