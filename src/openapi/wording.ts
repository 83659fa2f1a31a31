/** What every document says the same: the meaning of statuses, headers and path parameters. */

/** What a status means, for a reader who does not know the numbers. */
export const statusWords: Readonly<Record<number, string>> = {
  200: 'It worked.',
  201: 'It worked, and something was made.',
  204: 'It worked; there is nothing to say.',
  206: 'The part of the file that was asked for.',
  400: 'The request breaks a rule; the message names the field, what was got and what is expected.',
  401: 'Authentication failed: no key, or one that is not known.',
  403: 'No access permission, or the model is not enabled for this key.',
  404: 'Not found, or no longer available.',
  409: 'It cannot be done in the present state.',
  410: 'It was there and is gone.',
  411: 'The length of the body is missing.',
  412: 'The file is another one than the request expects.',
  413: 'The body is too large.',
  415: 'The body is of a media type that is not taken.',
  416: 'The range lies outside of the file.',
  424: [
    'The downstream call is unavailable. When a job id is known, query that job instead of submitting',
    'again.',
  ].join(' '),
  429: 'A limit of requests or of active jobs is reached; `retry-after` says when to try again.',
  500: 'The request was not completed. When a job id is known, query that job instead of submitting again.',
  502: 'The upstream answered with something that cannot be used.',
  503: 'Overloaded, or the provider is unavailable: try again later.',
  504: 'It took too long.',
  529: 'Overloaded: try again later.',
}

/** What a reply header says. */
export const headerWords: Readonly<Record<string, string>> = {
  'x-request-id': 'Names this call; give it when something is to be looked into.',
  'request-id': 'Names this call; give it when something is to be looked into.',
  'x-typesafe-request-id': 'The same as `x-request-id`, where the client of this family looks.',
  'retry-after': 'Seconds after which the same call may succeed.',
  'retry-after-ms': 'The same in milliseconds.',
  'www-authenticate': 'The scheme of the key.',
  'x-ratelimit-limit-requests': 'Requests per minute of this key.',
  'x-ratelimit-limit-tokens': 'Tokens per minute of this key.',
  'x-ratelimit-remaining-requests': 'Requests that are left in this minute.',
  'x-ratelimit-remaining-tokens': 'Tokens that are left in this minute.',
  'x-ratelimit-reset-requests': 'How long until the count of requests begins anew.',
  'x-ratelimit-reset-tokens': 'How long until the count of tokens begins anew.',
  'openai-version': 'The version of the upstream API.',
  'openai-organization': 'The organisation of the key.',
  'openai-processing-ms': 'How long the call took, in milliseconds.',
  'anthropic-organization-id': 'The organisation of the key.',
  'accept-ranges': 'That parts of the file can be asked for.',
  'content-range': 'Which bytes of how many these are.',
  'content-disposition': 'Under which name to keep the file.',
  etag: 'The version of the file.',
  allow: 'The methods of this path.',
}

/** Headers that belong to the way and not to the API. */
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

/** What a path parameter is, where a group does not say it better. */
export const paramWords: Readonly<Record<string, string>> = {
  model: 'The model id.',
  project_id: 'The project in the name that the submission returned.',
  location: 'The location in the name that the submission returned.',
  publisher: 'The publisher in the name that the submission returned.',
  operation_id: 'The last part of the name that the submission returned.',
  video_id: 'The id that the submission returned.',
  jobId: 'The id that the submission returned.',
}
