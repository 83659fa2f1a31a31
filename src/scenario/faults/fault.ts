/**
 * What a fault is. Each kind is one file beside this one and one line in `all.ts`; scenario files, the
 * documentation and the tests follow from it.
 */
import type * as z from 'zod'
import type { Random } from '../../engine/random.ts'
import type { ApiError } from '../../protocol/errors.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { Reply, StreamEvent, WireInstruction } from '../../protocol/reply.ts'

/** What an edit of a reply may use. */
export interface FaultTools {
  /** How the reply's family words an error inside a stream. */
  renderError(error: ApiError): Omit<StreamEvent, 'after'>
  /** Chance of this call and this fault. */
  readonly random: Random
}

/** What a fault may know of the call that it is planned for. */
export interface FaultedCall {
  readonly operation: string
}

/** One kind of fault. */
export interface Fault<Options extends object = object> {
  /** Its word in scenario files: `disconnect`. */
  readonly kind: string
  /** What the client sees, in one sentence. */
  readonly what: string
  /** The same of these options and this operation alone, where `what` names several ends. */
  seen?(options: Options, call: FaultedCall): string
  /** Where it belongs in the catalogue. Those of a stream do nothing to a reply in one body. */
  readonly part: 'connection' | 'headers' | 'body' | 'stream' | 'api' | 'job' | 'upload'
  /** The operations it can act on: ids, groups (`imageJobs.*`), or `*`. */
  readonly on: readonly string[]
  /** What it becomes where there is no socket (`sim.fetch`, msw), in one sentence. */
  readonly inProcess: string
  /**
   * The options it takes, durations in milliseconds. Every one has a default or may be left out: `fault:
   * disconnect` is enough.
   */
  options(): z.ZodObject
  /** Which option takes the number of events before it, when the fault stands inside a stream script. */
  readonly place?: string
  /** True when it acts on JSON bodies alone: a stream stays as it is. */
  readonly json?: true
  /**
   * True when its rule is asked before the key is looked at. Other rules are only asked once a call is valid:
   * refusals come `before: act`.
   */
  readonly early?: true
  /** What it adds to the plan, before the call acts. */
  plan?(options: Options, call: FaultedCall): Plan
  /** What it makes of the reply. */
  edit?(reply: Reply, options: Options, tools: FaultTools): Reply
}

/** A fault whose options are typed from its own schema, which is made when it is first asked for. */
export function defineFault<Schema extends z.ZodObject>(
  fault: Omit<Fault<z.output<Schema>>, 'options'> & { options(): Schema },
): Fault {
  let made: Schema | undefined
  return { ...fault, options: () => (made ??= fault.options()) } as unknown as Fault
}

/** The reply with one more instruction to the wire. */
export function onWire(reply: Reply, instruction: WireInstruction): Reply {
  return { ...reply, wire: [...(reply.wire ?? []), instruction] }
}

/** The reply with other events; one that is no stream stays as it is. */
export function withEvents(
  reply: Reply,
  change: (events: readonly StreamEvent[]) => readonly StreamEvent[],
): Reply {
  return reply.body.kind === 'events'
    ? { ...reply, body: { kind: 'events', events: change(reply.body.events) } }
    : reply
}
