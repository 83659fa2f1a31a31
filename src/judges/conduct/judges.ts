/** The judge of each finding about a client. */
import type { ClientCode } from '../codes.ts'
import type { ClientFinding } from '../finding.ts'
import * as fallbacks from './fallbacks.ts'
import * as jobs from './jobs.ts'
import type { RecordedSession } from './recorded-session.ts'
import * as requests from './requests.ts'
import * as retries from './retries.ts'
import * as streams from './streams.ts'

export const conductJudges: Readonly<Record<ClientCode, (session: RecordedSession) => ClientFinding[]>> = {
  'resubmitted-known-job': jobs.resubmittedKnownJob,
  'retried-create': jobs.retriedCreate,
  'ignored-retry-after': retries.ignoredRetryAfter,
  hammered: retries.hammered,
  'polled-too-fast': jobs.polledTooFast,
  'polled-after-end': jobs.polledAfterEnd,
  'never-fetched-result': jobs.neverFetchedResult,
  'fetched-after-expiry': jobs.fetchedAfterExpiry,
  'trusted-cut-stream': streams.trustedCutStream,
  'repeated-partial-text': fallbacks.repeatedPartialText,
  'fell-back-after-content': fallbacks.fellBackAfterContent,
  'stream-cut-short': streams.streamCutShort,
  'stream-left-open': streams.streamLeftOpen,
  'credentials-to-signed-url': requests.credentialsToSignedUrl,
  'other-key-than-source': jobs.otherKeyThanSource,
  'sent-callback': requests.sentCallback,
  'ignored-field': requests.ignoredField,
  'temperature-and-top-p': requests.temperatureAndTopP,
  'deprecated-parameter': requests.deprecatedParameter,
}
