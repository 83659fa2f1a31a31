/** Every finding, in the order of the documentation. Adding one: a value in its file, and its line here. */
import type { FindingKind } from '../observed-call.ts'
import * as fallbacks from './fallbacks.ts'
import * as jobs from './jobs.ts'
import * as requests from './requests.ts'
import * as retries from './retries.ts'
import * as streams from './streams.ts'

export const findingKinds: readonly FindingKind[] = [
  jobs.resubmittedKnownJob,
  jobs.retriedCreate,
  retries.ignoredRetryAfter,
  retries.hammered,
  jobs.polledTooFast,
  jobs.polledAfterEnd,
  jobs.neverFetchedResult,
  jobs.fetchedAfterExpiry,
  streams.trustedCutStream,
  fallbacks.repeatedPartialText,
  fallbacks.fellBackAfterContent,
  streams.streamCutShort,
  streams.streamLeftOpen,
  requests.credentialsToSignedUrl,
  jobs.otherKeyThanSource,
  requests.sentCallback,
  requests.ignoredField,
  requests.temperatureAndTopP,
  requests.deprecatedParameter,
]
