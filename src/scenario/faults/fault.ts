/**
 * The definition of faults. Each kind is one value in the file of its part; scenario files, the documentation
 * and the tests are derived from it.
 */
import * as z from 'zod'
import type { Random } from '../../engine/random.ts'
import type { WireFault } from '../../protocol/chunks.ts'
import type { ApiError } from '../../protocol/errors.ts'
import type { Operation, Selector } from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { StreamEvent } from '../../protocol/response.ts'
import { optional } from '../values.ts'
import type { Nature } from './nature.ts'

/** Writes an error inside a stream in the format of the call's API. */
export type RenderError = (error: ApiError) => Omit<StreamEvent, 'after'>

/** One kind of fault. It acts in one or several of three places: `plan`, `events` and `wire`. */
export interface Fault<Options extends object = object> {
  /** Its name in scenario files: `disconnect`. */
  readonly kind: string
  /** What the client sees, in one sentence. */
  readonly what: string
  /** Its section in the catalogue. Stream faults do not affect a response in one body. */
  readonly part: 'connection' | 'headers' | 'body' | 'stream' | 'api' | 'job' | 'upload'
  /** Default: that of its part, in `trial/failures.ts`. */
  readonly nature?: Nature
  /** The operations that it can act on. */
  readonly on: Selector
  /**
   * Its options, durations in milliseconds. Each has a default or is optional: `fault: disconnect` is enough.
   * A fault with `afterEvents` can be an item of a stream script, which then defines the place.
   */
  options(): z.ZodObject
  /** Set if it acts only on JSON bodies: the remedy for streams. */
  readonly onlyJson?: string
  /** True if it ends a stream. */
  readonly endsStream?: true
  /**
   * True if its rule is evaluated before the key is checked; other rules are evaluated once a call is valid.
   */
  readonly early?: true
  /** Its part of the plan, before the call acts. */
  plan?(options: Options, operation: Operation): Plan
  /** Changes the events of a stream. */
  events?(events: readonly StreamEvent[], options: Options, renderError: RenderError): readonly StreamEvent[]
  /** Its effect on the bytes, the headers or the connection. */
  wire?(options: Options, random: Random): WireFault
}

type Part = Pick<Fault, 'part' | 'on'>

/** Makes faults of one part. The schema of its options gives a fault its type; it is created on first use. */
export function faultsOfPart(part: Fault['part'], on: Selector) {
  return <Shape extends z.ZodRawShape = Record<never, never>>(
    kind: string,
    fault: Omit<Fault<z.output<z.ZodObject<Shape>>>, 'kind' | 'options' | keyof Part> &
      Partial<Part> & { options?(): Shape },
  ): Fault => {
    let schema: z.ZodObject | undefined
    const options = (): z.ZodObject => (schema ??= z.strictObject(fault.options?.() ?? {}))
    return { kind, part, on, ...fault, options } as unknown as Fault
  }
}

/** Whether it can be an item of a stream script. */
export function hasPlace(fault: Fault): boolean {
  return 'afterEvents' in fault.options().shape
}

/** The number of stream events before a fault. */
export const afterEvents = (count: number) =>
  z.int().min(0).default(count).describe('The number of events that arrive before the fault.')

export const afterBytes = (description: string) => optional(z.int().min(0), description)

export const afterShare = (share: number) =>
  z
    .number()
    .min(0)
    .max(1)
    .default(share)
    .describe('The share of the body (0 to 1) that arrives before the fault.')
