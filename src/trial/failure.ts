/** The failures of a trial: the faults of the catalogue, and failures without a fault. */

import { receivesUploads } from '../protocol/operations.ts'
import { faults } from '../scenario/faults/all.ts'
import { type Fault, hasPlace } from '../scenario/faults/fault.ts'
import type { Failure, Nature } from './nature.ts'
import { otherFailures } from './other-failures.ts'
import type { Target } from './target.ts'

export type { Failure, Nature } from './nature.ts'

/** The nature of faults that differs from the nature of their part. */
const natures: Readonly<Record<string, Nature>> = {
  'wrong-content-type': 'tolerable',
  dribble: 'harmless',
  // The text is complete and has a finish reason.
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

/** An outage is a lasting reset. */
const leftOut: ReadonlySet<string> = new Set(['outage'])

/** Options that keep a run short with a real clock. */
const shortOptions: Readonly<Record<string, object>> = { dribble: { bytes: 256, interval: '10ms' } }

function ofFault(fault: Fault): readonly Failure[] {
  const { kind, part } = fault
  if (leftOut.has(kind)) return []
  const nature = natures[kind] ?? natureOfPart[part]
  const ofBody = fault.onlyJson === undefined ? undefined : 'body'
  const delivery = part === 'stream' ? 'stream' : ofBody
  const failure = (id: string, options: object, what = fault.what): Failure => ({
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
  if (!hasPlace(fault) || nature !== 'damaged') return [failure(kind, {})]
  return [
    failure(`${kind}-at-start`, { afterEvents: 0 }, `${fault.what} This happens before the first event.`),
    failure(kind, {}, `${fault.what} This happens in the middle of the stream.`),
  ]
}

const placeOf = (fault: Fault, { events }: Target): object =>
  hasPlace(fault) && events !== undefined ? { afterEvents: Math.max(1, Math.floor(events / 2)) } : {}

/** All failures, in the order of the tables. */
export const allFailures: readonly Failure[] = [...faults.flatMap(ofFault), ...otherFailures]
