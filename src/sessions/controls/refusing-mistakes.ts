/** Turns the mistakes of a scenario or a verification into the refusal of a call. */
import { ConfigError } from '../../protocol/config-error.ts'
import { ApiError } from '../../protocol/errors.ts'
import { ScenarioError, type ScenarioFinding } from '../../scenario/scenario-error.ts'

/** The result of `act`; mistakes that it throws become one `ApiError` (400) with their places. @internal */
export function refusingMistakes<T>(act: () => T, fieldOf: (field: string) => string = (field) => field): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof ScenarioError || error instanceof ConfigError)) throw error
    const findings: readonly ScenarioFinding[] = error.findings
    const details = findings.map(({ field, line, column, message }) => ({
      code: 400,
      message: line === undefined ? message : `line ${line}, column ${column}: ${message}`,
      ...(field === '' ? {} : { field: fieldOf(field) }),
    }))
    const first = details[0]
    const field = first?.field === undefined ? '' : `\`${first.field}\`: `
    const more = details.length > 1 ? ` (and ${details.length - 1} more, see errors)` : ''
    const message = first === undefined ? error.message : `${field}${first.message}${more}`
    throw new ApiError('invalid_request_error', /[.!?]$/.test(message) ? message : `${message}.`, {
      ...(first?.field === undefined ? {} : { param: first.field }),
      details,
    })
  }
}
