/** The headers and error envelope of the OpenAI-style groups. */
import { type ApiError, envelope } from '../../protocol/errors.ts'
import { constantRate, type ResponseFacts, withRate } from '../../protocol/rate.ts'

/** The error body, with the id of the rejected job if there is one. */
export function openaiError(
  error: ApiError,
  ids: { readonly requestId: string; readonly traceId: string },
): { body: unknown } {
  const body = envelope(error, ids.traceId)
  if (error.options.jobId === undefined) return { body }
  return { body: { error: { ...body.error, job_id: error.options.jobId } } }
}

/**
 * `x-request-id` and related headers. A literal, because copying and extending an object is a hundred times
 * slower.
 */
export function openaiHeaders({ requestId, rate, limited }: ResponseFacts): Record<string, string> {
  const headers: Record<string, string> = {
    'x-request-id': requestId,
    'openai-version': '2020-10-01',
    'openai-organization': 'gateway-sim',
    'openai-processing-ms': '12',
  }
  if (!limited) return headers
  Object.assign(headers, constantRate)
  return rate === undefined ? headers : withRate(headers, rate)
}
