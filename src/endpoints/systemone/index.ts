/** Decision evaluation (contract 4.9): its endpoint, its key, its headers, how it words an error. */
import { openaiError, openaiHeaders } from '../../behaviours/rejections/envelope.ts'
import { defineGroup } from '../../protocol/endpoint.ts'
import { evaluate } from './evaluate.ts'

export const systemone = defineGroup({
  name: 'systemone',
  catalog: 'systemone',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }],
  endpoints: [evaluate],
  // The client of this family reads `error.message` (wire-formats 1.3).
  renderError: openaiError,
  // Its client reads the request id from a header of its own (wire-formats 1.4).
  responseHeaders(facts) {
    const headers = openaiHeaders(facts)
    headers['x-typesafe-request-id'] = facts.requestId
    return headers
  },
})
