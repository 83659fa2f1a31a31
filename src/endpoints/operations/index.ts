/** The long-running video operations: their endpoints, their credentials, how they word an error. */
import { defineGroup } from '../../protocol/endpoint.ts'
import { type ApiError, envelope } from '../../protocol/errors.ts'
import { defaultHeaders } from '../../protocol/rate.ts'
import { downloadVideo } from './download-video.ts'
import { downloadVideoByUri } from './download-video-by-uri.ts'
import { fetchOperation } from './fetch-operation.ts'
import { readOperationVideo } from './read-operation-video.ts'
import { retrieveOperation } from './retrieve-operation.ts'
import { submitOperation } from './submit-operation.ts'
import { submitOperationInProject } from './submit-operation-in-project.ts'

// Google clients look for a word beside the number (wire-formats 1.3).
const words: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export const operations = defineGroup({
  name: 'operations',
  catalog: 'operations',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }, { header: 'x-goog-api-key' }],
  under: '/v1beta',
  endpoints: [
    submitOperation,
    retrieveOperation,
    submitOperationInProject,
    fetchOperation,
    downloadVideo,
    downloadVideoByUri,
    readOperationVideo,
  ],
  renderError(error: ApiError, ids) {
    const { error: body } = envelope(error, ids.traceId)
    const named = error.options.jobId === undefined ? {} : { operation_id: error.options.jobId }
    return {
      body: {
        error: {
          ...body,
          status: words[error.status] ?? (error.status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT'),
          ...named,
        },
      },
    }
  },
  replyHeaders: (facts) => ({ ...defaultHeaders(facts), 'x-request-id': facts.requestId }),
})
