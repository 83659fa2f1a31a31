/** The failures of a trial: the faults of the catalogue, and failures without a fault. */
import { isFields } from '../engine/fields.ts'
import type { Then } from '../generated/scenario-types.ts'
import { canBlockImages, canSubmit, isGateway, receivesUploads } from '../protocol/operations.ts'
import { faults } from '../scenario/faults/all.ts'
import { type Fault, hasPlace } from '../scenario/faults/fault.ts'
import type { Nature } from '../scenario/faults/nature.ts'
import type { Delivery, Target } from './target.ts'

export interface Failure {
  /** Its name in tables and flags: `disconnect`, `disconnect-at-start`. */
  readonly id: string
  readonly nature: Nature
  /** What the client sees, in one sentence. */
  readonly what: string
  /** The only delivery that it applies to. Default: both. */
  readonly delivery?: Delivery | undefined
  /** True if it applies before the API key is checked. */
  readonly early?: boolean
  /** True if it truncates text without an error. */
  readonly cutsText?: boolean
  /** The requests that it can meet. Default: all. */
  meets?(target: Target): boolean
  /** The `then` of the rule for the request. */
  then(target: Target): Then
}

const natureOfPart: Readonly<Record<Fault['part'], Nature>> = {
  connection: 'temporary',
  headers: 'damaged',
  body: 'damaged',
  stream: 'damaged',
  api: 'temporary',
  job: 'temporary',
  upload: 'temporary',
}

/** No client can notice a wrong byte in a text. An outage is a lasting reset. */
const leftOut: ReadonlySet<string> = new Set(['corrupt', 'outage'])

/** Options that keep a run short with a real clock. */
const shortOptions: Readonly<Record<string, object>> = { dribble: { bytes: 256, interval: '10ms' } }

function ofFault(fault: Fault): readonly Failure[] {
  const { kind, part } = fault
  if (leftOut.has(kind)) return []
  const nature = fault.nature ?? natureOfPart[part]
  const ofBody = fault.onlyJson === undefined ? undefined : 'body'
  const delivery = part === 'stream' ? 'stream' : ofBody
  const made = (id: string, options: object, what = fault.what): Failure => ({
    id,
    nature,
    what,
    delivery,
    early: fault.early === true,
    cutsText: kind === 'content-filter',
    meets: ({ operation, events, isJson }) =>
      fault.on(operation) &&
      // The response to an upload has no body.
      !(receivesUploads(operation) && (part === 'headers' || part === 'body')) &&
      (part !== 'stream' || events !== undefined) &&
      (fault.onlyJson === undefined || isJson),
    then: (target) => ({
      fault: {
        kind,
        ...options,
        ...('afterEvents' in options ? {} : placeOf(fault, target)),
        ...shortOptions[kind],
      } as never,
    }),
  })
  if (!hasPlace(fault) || nature !== 'damaged') return [made(kind, {})]
  return [
    made(`${kind}-at-start`, { afterEvents: 0 }, `${fault.what} This happens before the first event.`),
    made(kind, {}, `${fault.what} This happens in the middle of the stream.`),
  ]
}

const placeOf = (fault: Fault, { events }: Target): object =>
  hasPlace(fault) && events !== undefined ? { afterEvents: Math.max(1, Math.floor(events / 2)) } : {}

const page = '<!doctype html><html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>'

const ofResponses: readonly Failure[] = [
  {
    id: 'rate-limit-no-retry-after',
    nature: 'temporary',
    what: '429 without `retry-after`: the client must choose a wait.',
    meets: ({ operation }) => isGateway(operation),
    then: () => ({ error: { status: 429 }, headers: { 'retry-after': null } }),
  },
  {
    id: 'server-error',
    nature: 'temporary',
    what: '500: the gateway has an internal error.',
    then: () => ({ error: { status: 500 } }),
  },
  {
    id: 'gateway-timeout',
    nature: 'temporary',
    what: '504: the provider did not respond to the gateway in time.',
    then: () => ({ error: { status: 504 } }),
  },
  {
    id: 'html-page',
    nature: 'temporary',
    what: "502 with a proxy's HTML error page.",
    then: () => ({ response: { status: 502, contentType: 'text/html', text: page }, offContract: true }),
  },
  {
    id: 'reset-before-processing',
    nature: 'temporary',
    what: 'The gateway resets the connection (RST) without processing the request.',
    then: () => ({ error: { status: 503 }, fault: 'reset' }),
  },
  {
    id: 'empty-object',
    nature: 'damaged',
    what: '200 with `{}`: all fields are missing.',
    delivery: 'body',
    meets: ({ isJson }) => isJson,
    then: () => ({ response: { body: {} }, offContract: true }),
  },
  {
    id: 'wrong-type',
    nature: 'damaged',
    what: 'A field in the response has a value of the wrong type.',
    delivery: 'body',
    meets: ({ operation, body }) => wrongType(body, canSubmit(operation)) !== undefined,
    then: ({ operation, body }) => ({
      patch: wrongType(body, canSubmit(operation)) ?? {},
      offContract: true,
    }),
  },
  {
    id: 'unknown-value',
    nature: 'tolerable',
    what: 'A status or finish reason has an unknown value.',
    delivery: 'body',
    meets: ({ choice }) => choice !== undefined,
    then: ({ choice }) => ({
      patch: choice === undefined ? {} : { [choice.path]: typeof choice.value === 'string' ? 'paused' : 99 },
      offContract: true,
    }),
  },
  {
    id: 'unknown-field',
    nature: 'harmless',
    what: 'The response has an additional, unknown field.',
    delivery: 'body',
    meets: ({ isJson }) => isJson,
    then: () => ({ patch: { added_later: { since: 2027 } }, offContract: true }),
  },
  {
    id: 'not-found',
    nature: 'final',
    what: '404: the requested resource was deleted or has expired.',
    meets: ({ operation: { endpoint } }) =>
      endpoint.job?.concerns !== undefined || endpoint.expires === true || endpoint.upload === 'serve',
    then: () => ({ error: { status: 404 } }),
  },
  {
    id: 'ends-early',
    nature: 'damaged',
    what: 'The stream ends in the middle, as if it were complete.',
    delivery: 'stream',
    meets: ({ events }) => events !== undefined,
    then: ({ events = 0 }) => ({
      fault: { kind: 'disconnect', how: 'end', afterEvents: Math.max(1, Math.floor(events / 2)) },
    }),
  },
]

const ofJob = (id: string, nature: Nature, what: string, job: Then['job']): Failure => ({
  id,
  nature,
  what,
  meets: ({ operation }) => canSubmit(operation),
  then: () => ({ job }),
})

const ofJobs: readonly Failure[] = [
  ofJob('job-fails', 'final', 'The job fails halfway.', { failAt: 50 }),
  ofJob('job-stuck', 'final', 'The job never ends.', 'stuck'),
  ofJob('job-lost', 'final', 'The job returns 404 after 80% of its duration.', { notFoundAt: 80 }),
  ofJob(
    'job-goes-back',
    'harmless',
    'The job returns to its first state after 40% of its duration, then succeeds.',
    { regressAt: 40 },
  ),
  {
    id: 'image-blocked',
    nature: 'tolerable',
    what: 'The job succeeds, but moderation blocks its first image, which cannot be downloaded.',
    meets: ({ operation }) => canBlockImages(operation),
    then: () => ({ job: { blocked: [0] } }),
  },
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

/** All failures, in the order of the tables. */
export const allFailures: readonly Failure[] = [...faults.flatMap(ofFault), ...ofResponses, ...ofJobs]

/** The failures that break most clients, the worst first. All others come after them. */
const worst: readonly string[] = [
  'stall',
  'hang',
  'ends-early',
  'error-event',
  'rate-limit',
  'server-error',
  'disconnect',
  'empty-object',
  'job-fails',
  'job-stuck',
  'content-filter',
  'malformed-event',
  'auth',
  'wrong-type',
  'stall-body',
  'reset',
  'html-page',
  'wrong-content-type',
]

/** The place of a failure in the order in which a trial runs them. */
export function rankOf({ id }: Failure): number {
  const at = worst.indexOf(id)
  return at < 0 ? worst.length : at
}
