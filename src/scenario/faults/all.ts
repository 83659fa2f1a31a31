/** All faults: their format in scenario files and in plans, and their effect on a response. */
import * as z from 'zod'
import type { Random } from '../../engine/random.ts'
import type { PlannedFault } from '../../protocol/chunks.ts'
import type { PlainResponse, StreamEvent } from '../../protocol/response.ts'
import { optional } from '../values.ts'
import { bodyFaults } from './body.ts'
import { connectionFaults } from './connection.ts'
import { type Fault, hasPlace, type RenderError } from './fault.ts'
import { jobFaults } from './jobs.ts'
import { rejectionFaults } from './rejections.ts'
import { streamFaults } from './stream.ts'

/** Every fault, in the order of the documentation. */
export const faults: readonly Fault[] = [
  ...connectionFaults,
  ...bodyFaults,
  ...streamFaults,
  ...rejectionFaults,
  ...jobFaults,
]

export function faultNamed(kind: string): Fault | undefined {
  return faults.find((fault) => fault.kind === kind)
}

/** A fault with all its options, durations in milliseconds. */
export interface FaultSpec {
  readonly kind: string
  readonly chance?: number
  readonly [option: string]: unknown
}

/** One fault; `part` restricts it to a part of the catalogue. */
export function faultSchema(part?: 'stream') {
  const listed = faults.filter((fault) => part === undefined || hasPlace(fault))
  const word = z
    .enum(listed.map(({ kind }) => kind) as [string])
    .describe('A fault with default options.')
    .transform((kind) => ({ kind, ...faultNamed(kind)?.options().parse({}) }))
  const withOptions = listed.map((fault) =>
    fault
      .options()
      .extend({
        kind: z.literal(fault.kind),
        ...(part === undefined
          ? {
              chance: optional(
                z.number().min(0).max(1),
                'The probability of the fault. The same seed and requests always produce the same faults.',
              ),
            }
          : {}),
      })
      .describe(fault.what),
  )
  return z.union([word, z.discriminatedUnion('kind', withOptions as never)]).meta({
    id: part === undefined ? 'Fault' : 'StreamFault',
    description: 'A fault: its name, or an object with options.',
  }) as z.ZodType<FaultSpec>
}

/** A fault that is not from a file: its options are parsed here. */
export function makeFault(kind: string, options: object = {}): PlannedFault {
  return { kind, options: faultNamed(kind)?.options().parse(options) ?? {} }
}

type OneOrMore = FaultSpec | readonly FaultSpec[] | undefined

/** The fault in the form of plans, after its chance has been drawn. */
export function plannedFault({ kind, chance: _, ...options }: FaultSpec): PlannedFault {
  return { kind, options }
}

export function faultsOf(fault: OneOrMore): readonly FaultSpec[] {
  return placedFaults(fault).map(({ fault: one }) => one)
}

export function placedFaults(
  fault: OneOrMore,
): { readonly fault: FaultSpec; readonly at: readonly number[] }[] {
  if (fault === undefined) return []
  return Array.isArray(fault)
    ? (fault as readonly FaultSpec[]).map((one, index) => ({ fault: one, at: [index] }))
    : [{ fault: fault as FaultSpec, at: [] }]
}

/** The faults of a call: each one with a chance draws independently. */
export function compileFaults(fault: FaultSpec | readonly FaultSpec[]): (random: Random) => PlannedFault[] {
  const faults = faultsOf(fault).map((one) => ({ chance: one.chance, fault: plannedFault(one) }))
  return (random) =>
    faults
      .filter(({ chance }, index) => chance === undefined || random.fork(`fault ${index}`).next() < chance)
      .map(({ fault: one }) => one)
}

/** Whether a fault is a part of the plan alone, such as a rejection. */
export function actsInPlan(kind: string): boolean {
  const { plan, events, wire } = faultNamed(kind) ?? {}
  return plan !== undefined && (events ?? wire) === undefined
}

/** Why a fault has no effect on a response; undefined if it has one. */
export function idleReason(kind: string, { body }: PlainResponse): string | undefined {
  const { part, onlyJson } = faultNamed(kind) ?? {}
  if (part === 'stream' && body.kind !== 'events') return 'the response is not a stream'
  if (onlyJson === undefined || body.kind === 'json') return undefined
  return body.kind === 'events' ? `the response is a stream: ${onlyJson}` : 'the response is not JSON'
}

/** The response with its faults. `renderError` writes an error inside a stream as its API does. */
export function applyFaults(
  response: PlainResponse,
  faults: readonly PlannedFault[],
  random: Random,
  renderError: RenderError,
): PlainResponse {
  return faults.reduce((faulty, { kind, options, eventsBefore: afterEvents }, index) => {
    const fault = faultNamed(kind)
    if (fault === undefined || idleReason(kind, faulty) !== undefined) return faulty
    const placed = afterEvents === undefined ? options : { ...options, afterEvents }
    const edited = withEvents(faulty, (events) => fault.events?.(events, placed, renderError) ?? events)
    const wire = fault.wire?.(placed, random.fork(`fault ${index}`))
    if (wire === undefined) return edited
    const wired: PlainResponse = { ...edited, wire: [...(edited.wire ?? []), wire] }
    // A response that is never sent has no status.
    return wire.instead === undefined ? wired : { ...wired, status: 0, body: { kind: 'none' } }
  }, response)
}

function withEvents(
  response: PlainResponse,
  change: (events: readonly StreamEvent[]) => readonly StreamEvent[],
): PlainResponse {
  const { body } = response
  return body.kind === 'events'
    ? { ...response, body: { kind: 'events', events: change(body.events) } }
    : response
}
