/** Texts that every document shares: the meaning of statuses, headers and path parameters. */

/** The meaning of each status. */
export const statusWords: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  204: 'Success, no content.',
  206: 'The requested range of the file.',
  400: 'Invalid request. The message names the field, the expected value and the value received.',
  401: 'Missing or unknown API key.',
  403: 'The API key may not use the operation or the model.',
  404: 'Not found, or no longer available.',
  409: 'The current state does not allow the request.',
  410: 'No longer available.',
  411: 'The request has no `content-length`.',
  412: 'Precondition failed: the file has changed.',
  413: 'The body is too large.',
  415: 'Unsupported media type.',
  416: 'The range is outside the file.',
  424:
    'The downstream service is unavailable. If you know the job id, poll that job instead of submitting ' +
    'again.',
  429: 'Too many requests or active jobs. Retry after the number of seconds in `retry-after`.',
  500: 'The request failed. If you know the job id, poll that job instead of submitting again.',
  502: 'An invalid response from the upstream.',
  503: 'Overloaded, or the provider is unavailable. Retry later.',
  504: 'Timeout.',
  529: 'Overloaded. Retry later.',
}

/** The meaning of each response header. */
export const headerWords: Readonly<Record<string, string>> = {
  'x-request-id': 'The id of this request. Include it in bug reports.',
  'request-id': 'The id of this request. Include it in bug reports.',
  'x-typesafe-request-id': 'The same id as in `x-request-id`, for the TypeSafe client.',
  'retry-after': 'Seconds to wait before a retry.',
  'retry-after-ms': 'Milliseconds to wait before a retry.',
  'www-authenticate': 'The authentication scheme.',
  'x-ratelimit-limit-requests': 'Requests per minute allowed for this API key.',
  'x-ratelimit-limit-tokens': 'Tokens per minute allowed for this API key.',
  'x-ratelimit-remaining-requests': 'Requests left in the current minute.',
  'x-ratelimit-remaining-tokens': 'Tokens left in the current minute.',
  'x-ratelimit-reset-requests': 'Time until the request limit resets.',
  'x-ratelimit-reset-tokens': 'Time until the token limit resets.',
  'openai-version': 'The version of the upstream API.',
  'openai-organization': 'The organisation of the API key.',
  'openai-processing-ms': 'The processing time in milliseconds.',
  'anthropic-organization-id': 'The organisation of the API key.',
  'accept-ranges': 'The supported range unit.',
  'content-range': 'The byte range in the body and the size of the file.',
  'content-disposition': 'The suggested file name.',
  etag: 'The entity tag of the file.',
  allow: 'The methods that this path supports.',
}

/** Transport headers, which the document omits. */
export const wayHeaders: readonly string[] = [
  'content-type',
  'content-length',
  'date',
  'connection',
  'vary',
  'cache-control',
  'x-accel-buffering',
  'keep-alive',
  'transfer-encoding',
  'x-content-type-options',
]

/** Descriptions of path parameters, unless the notes of a group have their own. */
export const paramWords: Readonly<Record<string, string>> = {
  model: 'The model id.',
  project_id: 'The project in the operation name.',
  location: 'The location in the operation name.',
  publisher: 'The publisher in the operation name.',
  operation_id: 'The last part of the operation name.',
  video_id: 'The id of the video.',
  jobId: 'The id of the job.',
}

/** The description of the document. */
export const introduction = `Chat, messages, images, image jobs, videos, long-running video operations,
uploads and decision evaluation behind one base URL.

gateway-sim generates this document from the schemas that validate its requests and responses. Every
example was recorded from the simulator with a fixed seed. Base64 strings are shortened.

- **Errors** state the field, the value received and the expected value. An unknown path gets
  404 with the closest path; an unsupported method gets 405 with \`allow\`.
- **\`x-not-in-contract: true\`** marks operations that are not in the gateway's contract: operations that
  clients use anyway, and the control API under \`/__sim\`. **\`x-inferred: true\`** marks operations that the
  contract mentions but does not document.
- **Rules that JSON Schema cannot express** are in descriptions that start with "Expected:".
- **Streams** are \`text/event-stream\`: \`x-event-schema\` is the schema of one event's data.`
