/** What the library throws where the control API would refuse the call. */
import { ConfigError } from '../protocol/config-error.ts'
import { ApiError } from '../protocol/errors.ts'

/**
 * The result of `act`; a refusal becomes a `ConfigError` in the same words, with the refusal as its cause.
 * @internal
 */
export function throwingConfigErrors<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { param = '', details = [] } = error.options
    const found = details.length > 0 ? details : [{ field: param, message: error.message }]
    const refusal = new ConfigError(
      'This is refused',
      found.map(({ field = '', message }) => ({
        field,
        // The field has a place of its own.
        message: message.startsWith(`\`${field}\`: `) ? message.slice(field.length + 4) : message,
      })),
      error.message,
    )
    refusal.cause = error
    throw refusal
  }
}
