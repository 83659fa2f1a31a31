/** Every finding, in the order of the documentation. Adding one: its file and its line here. */
import type { FindingKind } from '../finding.ts'
import { credentialsToSignedUrl } from './credentials-to-signed-url.ts'
import { deprecatedParameter } from './deprecated-parameter.ts'
import { fetchedAfterExpiry } from './fetched-after-expiry.ts'
import { ignoredField } from './ignored-field.ts'
import { ignoredRetryAfter } from './ignored-retry-after.ts'
import { neverFetchedResult } from './never-fetched-result.ts'
import { otherKeyThanSource } from './other-key-than-source.ts'
import { polledAfterEnd } from './polled-after-end.ts'
import { polledTooFast } from './polled-too-fast.ts'
import { resubmittedKnownJob } from './resubmitted-known-job.ts'
import { retriedCreate } from './retried-create.ts'
import { sentCallback } from './sent-callback.ts'
import { streamCutShort } from './stream-cut-short.ts'
import { streamLeftOpen } from './stream-left-open.ts'
import { temperatureAndTopP } from './temperature-and-top-p.ts'
import { trustedCutStream } from './trusted-cut-stream.ts'

export const findingKinds: readonly FindingKind[] = [
  resubmittedKnownJob,
  retriedCreate,
  ignoredRetryAfter,
  polledTooFast,
  polledAfterEnd,
  neverFetchedResult,
  fetchedAfterExpiry,
  trustedCutStream,
  streamCutShort,
  streamLeftOpen,
  credentialsToSignedUrl,
  otherKeyThanSource,
  sentCallback,
  ignoredField,
  temperatureAndTopP,
  deprecatedParameter,
]
