/** The version header of the messages API (contract sections 5 and 9). */
import { ApiError } from '../../protocol/errors.ts'
import { show } from '../../protocol/wording.ts'

// The contract replaces the vendor's name in the header; clients send the name (wire-formats 0.1).
const names = ['anthropic-version', 'vendor-version'] as const

/** Throws 400 unless a version header holds a date such as 2023-06-01. */
export function checkVersion(headers: Readonly<Record<string, string | undefined>>): void {
  const sent = names.filter((name) => headers[name] !== undefined)
  if (sent.length === 0) {
    throw new ApiError(
      'invalid_request_error',
      'The header `anthropic-version` (or `vendor-version`) is required: expected a date such as ' +
        '`anthropic-version: 2023-06-01`, got no such header.',
      { param: 'anthropic-version' },
    )
  }
  for (const name of sent) {
    const value = (headers[name] as string).trim()
    if (/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(value)) continue
    throw new ApiError(
      'invalid_request_error',
      `The header \`${name}\`: expected a date such as 2023-06-01, got ${show(value)}.`,
      { param: name },
    )
  }
}
