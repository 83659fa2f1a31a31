/**
 * What a fault is. Each kind is one value in the file of its part; scenario files, the documentation and the
 * tests follow from it.
 */
import * as z from 'zod'
import type { Random } from '../../engine/random.ts'
import type { WireFault } from '../../protocol/chunks.ts'
import type { ApiError } from '../../protocol/errors.ts'
import type { Operation, Selector } from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { StreamEvent } from '../../protocol/response.ts'
import { optional } from '../values.ts'

/** How the API of a call words an error inside a stream. */
export type RenderError = (error: ApiError) => Omit<StreamEvent, 'after'>

/** One kind of fault. It acts in one or several of three places: `plan`, `events` and `wire`. */
export interface Fault<Options extends object = object> {
  /** Its word in scenario files: `disconnect`. */
  readonly kind: string
  /** What the client sees, in one sentence. */
  readonly what: string
  /** The same for these options and this operation, where `what` names alternatives. */
  seen?(options: Options, operation: Operation): string
  /** Its section in the catalogue. Those of a stream do nothing to a response in one body. */
  readonly part: 'connection' | 'headers' | 'body' | 'stream' | 'api' | 'job' | 'upload'
  /** The operations that it can act on. */
  readonly on: Selector
  /** What the client sees where there is no socket (`sim.fetch`, msw), if that is something else. */
  readonly inProcess?: string
  /**
   * Its options, durations in milliseconds. Each has a default or is optional, so `fault: disconnect` is
   * enough. A fault with `afterEvents` may stand inside a stream script, which then says the place.
   */
  options(): z.ZodObject
  /** Set when it acts on JSON bodies alone: what to write for streams instead. */
  readonly onlyJson?: string
  /** True when nothing of a stream comes after it. */
  readonly endsStream?: true
  /** True when its rule is asked before the key is checked; other rules are asked once a call is valid. */
  readonly early?: true
  /** What it adds to the plan, before the call acts. */
  plan?(options: Options, operation: Operation): Plan
  /** What it makes of the events of a stream. */
  events?(events: readonly StreamEvent[], options: Options, renderError: RenderError): readonly StreamEvent[]
  /** What it does to the bytes, the headers or the connection. */
  wire?(options: Options, random: Random): WireFault
}

type Part = Pick<Fault, 'part' | 'on'>

/** Makes faults of one part. The shape of its options types a fault; it is made when somebody asks for it. */
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

/** Whether it may stand inside a stream script. */
export function hasPlace(fault: Fault): boolean {
  return 'afterEvents' in fault.options().shape
}

/** After how many events of a stream something happens. */
export const afterEvents = (count: number) =>
  z.int().min(0).default(count).describe('How many events arrive before it.')

export const afterBytes = (description: string) => optional(z.int().min(0), description)

export const afterShare = (share: number) =>
  z.number().min(0).max(1).default(share).describe('The share of the body (0 to 1) that arrives before it.')
