/** Decision evaluation: its endpoint, credentials, headers and error format. */
import { openaiError, openaiHeaders } from '../../behaviours/rejections/envelope.ts'
import { defineGroup } from '../../protocol/endpoint.ts'
import { evaluate } from './evaluate.ts'

export const systemone = defineGroup({
  name: 'systemone',
  catalog: 'systemone',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }],
  endpoints: [evaluate],
  // The TypeSafe client reads `error.message`.
  renderError: openaiError,
  // The TypeSafe client reads the request id from this header.
  responseHeaders(facts) {
    const headers = openaiHeaders(facts)
    headers['x-typesafe-request-id'] = facts.requestId
    return headers
  },
})
