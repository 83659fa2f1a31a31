/** What can go wrong with a request: the faults of the catalogue, and failures without a fault. */

import type { Then } from '../generated/scenario-types.ts'
import type { Operation } from '../protocol/operations.ts'
import { faults } from '../scenario/faults/all.ts'
import { type Fault, hasPlace } from '../scenario/faults/fault.ts'

/**
 * What a well-behaved client makes of a failure.
 *
 * - `harmless`: it does not notice; the failure is valid HTTP or valid server-sent events.
 * - `tolerable`: it may succeed or give up, because the response is doubtful but complete.
 * - `temporary`: it may try again, or give up.
 * - `final`: it gives up; trying again does not help.
 * - `damaged`: what arrived must not count as a result.
 */
export type Nature = 'harmless' | 'tolerable' | 'temporary' | 'final' | 'damaged'

/** A request of the healthy run that a failure can meet. */
export interface Target {
  readonly operation: Operation
  /** Its number among the requests for its operation, from 1. */
  readonly nth: number
  /** The number of events of its stream; undefined for a response in one body. */
  readonly events: number | undefined
  /** Whether its response is JSON in one body. */
  readonly isJson: boolean
}

export interface Failure {
  /** Its name in tables and flags: `disconnect`, `disconnect-at-start`. */
  readonly id: string
  readonly nature: Nature
  /** What the client sees, in one sentence. */
  readonly what: string
  meets(target: Target): boolean
  /** What the rule for the request does. */
  then(target: Target): Then
}

/** The nature of faults where it is not that of their part. */
const natures: Readonly<Record<string, Nature>> = {
  'wrong-content-type': 'tolerable',
  dribble: 'harmless',
  // A complete text, with a finish reason.
  'missing-end': 'tolerable',
  split: 'harmless',
  join: 'harmless',
  duplicate: 'tolerable',
  'out-of-order': 'tolerable',
  'keep-alive': 'harmless',
  'line-ends': 'harmless',
  bom: 'harmless',
  'multi-line-data': 'harmless',
  quota: 'final',
  auth: 'final',
  'content-filter': 'final',
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

/** No client can notice a wrong byte in a text, and an outage is a reset that lasts. */
const leftOut: ReadonlySet<string> = new Set(['corrupt', 'outage'])

function ofFault(fault: Fault): readonly Failure[] {
  const { kind, part } = fault
  if (leftOut.has(kind)) return []
  const nature = natures[kind] ?? natureOfPart[part]
  const failure = (id: string, options: object, what = fault.what): Failure => ({
    id,
    nature,
    what,
    meets: ({ operation, events, isJson }) =>
      fault.on(operation) &&
      (part !== 'stream' || events !== undefined) &&
      (fault.onlyJson === undefined || isJson),
    then: (target) => ({
      fault: { kind, ...options, ...('afterEvents' in options ? {} : placeOf(fault, target)) } as never,
    }),
  })
  if (!hasPlace(fault) || nature !== 'damaged') return [failure(kind, {})]
  return [
    failure(`${kind}-at-start`, { afterEvents: 0 }, `${fault.what} It happens before the first event.`),
    failure(kind, {}, `${fault.what} It happens in the middle of the stream.`),
  ]
}

const placeOf = (fault: Fault, { events }: Target): object =>
  hasPlace(fault) && events !== undefined ? { afterEvents: Math.max(1, Math.floor(events / 2)) } : {}

const everyTarget = (): boolean => true
const submits = ({ operation }: Target): boolean => operation.endpoint.submits !== undefined
const servesJson = ({ isJson }: Target): boolean => isJson

const page = '<!doctype html><html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>'

/** Failures that no fault is for. */
const others: readonly Failure[] = [
  {
    id: 'server-error',
    nature: 'temporary',
    what: '500: the gateway has an internal error.',
    meets: everyTarget,
    then: () => ({ error: { status: 500 } }),
  },
  {
    id: 'gateway-timeout',
    nature: 'temporary',
    what: '504: the gateway waited too long for the provider.',
    meets: everyTarget,
    then: () => ({ error: { status: 504 } }),
  },
  {
    id: 'html-page',
    nature: 'temporary',
    what: '502 with an HTML page, as a proxy sends it.',
    meets: everyTarget,
    then: () => ({
      response: { status: 502, contentType: 'text/html', text: page },
      offContract: true,
    }),
  },
  {
    id: 'empty-object',
    nature: 'damaged',
    what: '200 with `{}`: all fields are missing.',
    meets: servesJson,
    then: () => ({ response: { body: {} }, offContract: true }),
  },
  {
    id: 'unknown-field',
    nature: 'harmless',
    what: 'The response has an additional field that the client does not know.',
    meets: servesJson,
    then: () => ({ patch: { added_later: { since: 2027 } }, offContract: true }),
  },
  {
    id: 'job-fails',
    nature: 'final',
    what: 'The job fails halfway.',
    meets: submits,
    then: () => ({ job: { failAt: 50 } }),
  },
  {
    id: 'job-stuck',
    nature: 'final',
    what: 'The job never ends.',
    meets: submits,
    then: () => ({ job: 'stuck' }),
  },
  {
    id: 'job-lost',
    nature: 'final',
    what: 'The job is unknown (404) from 80 % of its duration on.',
    meets: submits,
    then: () => ({ job: { notFoundAt: 80 } }),
  },
  {
    id: 'job-goes-back',
    nature: 'harmless',
    what: 'The job returns to its first state at 40 %, and then succeeds.',
    meets: submits,
    then: () => ({ job: { regressAt: 40 } }),
  },
  {
    id: 'not-found',
    nature: 'final',
    what: '404: what the client asks for does not exist any more.',
    meets: ({ operation: { endpoint } }) => endpoint.concerns !== undefined || endpoint.upload === 'serve',
    then: () => ({ error: { status: 404 } }),
  },
]

/** Every failure, in the order of tables. */
export const allFailures: readonly Failure[] = [...faults.flatMap(ofFault), ...others]
