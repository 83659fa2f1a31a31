/** Failures without a fault of the catalogue. */
import { isFields } from '../engine/fields.ts'
import { canBlockImages, canSubmit, isGateway } from '../protocol/operations.ts'
import type { Failure, Nature } from './nature.ts'
import type { Target } from './target.ts'

type Then = ReturnType<Failure['then']>

/** A failure of every request. */
const failure = (
  id: string,
  nature: Nature,
  what: string,
  then: Then | ((target: Target) => Then),
  more: Partial<Failure> = {},
): Failure => ({
  id,
  nature,
  what,
  delivery: undefined,
  early: false,
  cutsText: false,
  meets: () => true,
  then: typeof then === 'function' ? then : () => then,
  ...more,
})

const page = '<!doctype html><html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>'

const json: Partial<Failure> = { delivery: 'body', meets: ({ isJson }) => isJson }
const submission: Partial<Failure> = { meets: ({ operation }) => canSubmit(operation) }

const ofResponses: readonly Failure[] = [
  failure(
    'empty-object',
    'damaged',
    '200 with `{}`: all fields are missing.',
    { response: { body: {} }, offContract: true },
    json,
  ),
  failure(
    'wrong-type',
    'damaged',
    'A field in the response has a value of the wrong type.',
    ({ operation, body }) => ({
      patch: wrongType(body, canSubmit(operation)) ?? {},
      offContract: true,
    }),
    {
      delivery: 'body',
      meets: ({ operation, body }) => wrongType(body, canSubmit(operation)) !== undefined,
    },
  ),
  failure(
    'unknown-value',
    'tolerable',
    'A status or finish reason has an unknown value.',
    ({ choice }) => ({
      patch: choice === undefined ? {} : { [choice.path]: typeof choice.value === 'string' ? 'paused' : 99 },
      offContract: true,
    }),
    { meets: ({ choice }) => choice !== undefined },
  ),
  failure(
    'unknown-field',
    'harmless',
    'The response has an additional, unknown field.',
    { patch: { added_later: { since: 2027 } }, offContract: true },
    json,
  ),
  failure(
    'not-found',
    'final',
    '404: the requested resource was deleted or has expired.',
    { error: { status: 404 } },
    {
      meets: ({ operation: { endpoint } }) =>
        endpoint.job?.concerns !== undefined || endpoint.expires === true || endpoint.upload === 'serve',
    },
  ),
]

const ofStreams: readonly Failure[] = [
  failure(
    'ends-early',
    'damaged',
    'The stream ends in the middle, as if it were complete.',
    ({ events = 0 }) => ({
      fault: { kind: 'disconnect', how: 'end', afterEvents: Math.max(1, Math.floor(events / 2)) },
    }),
    { delivery: 'stream', meets: ({ events }) => events !== undefined },
  ),
]

const ofJobs: readonly Failure[] = [
  failure('job-fails', 'final', 'The job fails halfway.', { job: { failAt: 50 } }, submission),
  failure('job-stuck', 'final', 'The job never ends.', { job: 'stuck' }, submission),
  failure(
    'job-lost',
    'final',
    'The job returns 404 after 80% of its duration.',
    { job: { notFoundAt: 80 } },
    submission,
  ),
  failure(
    'job-goes-back',
    'harmless',
    'The job returns to its first state after 40% of its duration, then succeeds.',
    { job: { regressAt: 40 } },
    submission,
  ),
  failure(
    'image-blocked',
    'tolerable',
    'The job succeeds, but moderation blocks its first image, which cannot be downloaded.',
    { job: { blocked: [0] } },
    { meets: ({ operation }) => canBlockImages(operation) },
  ),
]

export const otherFailures: readonly Failure[] = [
  failure(
    'rate-limit-no-retry-after',
    'temporary',
    '429 without `retry-after`: the client must choose a wait.',
    { error: { status: 429 }, headers: { 'retry-after': null } },
    { meets: ({ operation }) => isGateway(operation) },
  ),
  failure('server-error', 'temporary', '500: the gateway has an internal error.', { error: { status: 500 } }),
  failure('gateway-timeout', 'temporary', '504: the provider did not respond to the gateway in time.', {
    error: { status: 504 },
  }),
  failure('html-page', 'temporary', "502 with a proxy's HTML error page.", {
    response: { status: 502, contentType: 'text/html', text: page },
    offContract: true,
  }),
  failure(
    'reset-before-processing',
    'temporary',
    'The gateway resets the connection (RST) without processing the request.',
    { error: { status: 503 }, fault: 'reset' },
  ),
  ...ofResponses,
  ...ofStreams,
  ...ofJobs,
]

/** Fields that clients rarely read. */
const unread = ['object', 'created', 'created_at', 'model', 'type', 'role']

/** A change of the most important field to a value of the wrong type. */
function wrongType(body: unknown, submits: boolean): Readonly<Record<string, unknown>> | undefined {
  if (!isFields(body)) return undefined
  const fields = Object.entries(body).filter(([name, value]) => value !== null && !unread.includes(name))
  const isFilled = (value: unknown): boolean =>
    typeof value === 'object' && Object.keys(value ?? {}).length > 0
  const [name, value] =
    fields.find(([one]) => submits && (one === 'id' || one === 'name')) ??
    fields.find(([, one]) => isFilled(one)) ??
    fields.find(([one]) => one === 'status') ??
    fields[0] ??
    []
  return name === undefined ? undefined : { [name]: typeof value === 'number' ? 'seven' : 7 }
}
