/** The refusals of image jobs: their numeric codes, and messages about fields. */
import { ApiError, type RefusalType, refusals } from '../../protocol/errors.ts'

const codes: Partial<Readonly<Record<RefusalType, number>>> = {
  invalid_request_error: 2004,
  downstream_unavailable: 2002,
  rate_limit_error: 2007,
}

/** The documented code of a refusal (contract section 7); undefined when it is the HTTP status. */
export function refusalCode(type: RefusalType): number | undefined {
  return codes[type]
}

/**
 * 400 with code 2004: the parameters, the source job or the endpoint are unsuitable. `message` follows the
 * name of the field.
 */
export function unsuitableField(field: string, message: string): ApiError {
  return fieldRefusal('invalid_request_error', field, `\`${field}\`: ${message}`)
}

/** A refusal about one field, with one detail. `sentence` has no full stop. */
export function fieldRefusal(type: RefusalType, field: string, sentence: string): ApiError {
  const code = refusalCode(type) ?? refusals[type].status
  return new ApiError(type, `${sentence}.`, {
    code,
    param: field,
    details: [{ code, message: sentence, field }],
  })
}

/** 404. `sentence` says what was looked for and where, and has no full stop. */
export function notFound(field: 'jobId' | 'image', sentence: string): ApiError {
  return fieldRefusal('not_found_error', field, `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`)
}
