/** What a check takes, and the report that it makes, as plain data. */
import * as z from 'zod'
import { type Deviation, deviationKinds } from '../contract/laws/law.ts'
import { serviceGroups } from '../endpoints/registry.ts'
import { nearestWord } from '../protocol/nearest-word.ts'
import type { Spend } from '../protocol/probe.ts'
import type { Fetch } from '../replay/pacer.ts'
import { isNamed } from './suite.ts'

export interface CheckOptions {
  /** Without a trailing slash, and without `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly spend: Spend
  /** Operations (`chat.create`) and groups (`videos.*`); empty for all. */
  readonly only?: readonly string[]
  /** The models to use, by group: `chat`. */
  readonly models?: Readonly<Record<string, string>>
  /** The longest time to wait for one job, in milliseconds. */
  readonly jobTimeout?: number
  /** The longest time for the whole check, in milliseconds: what is not sent by then is not judged. */
  readonly timeout?: number
  readonly accepted?: readonly Accepted[]
  /** Today, as `2026-01-31`: decides which accepted deviations have expired. */
  readonly today?: string
  readonly fetch?: Fetch
  readonly time?: Time
  onProgress?(probe: string, message: string): void
}

export interface Time {
  /** Milliseconds since any instant. */
  now(): number
  wait(ms: number): Promise<void>
}

const operations = serviceGroups.flatMap(({ endpoints }) => endpoints.map(({ operation }) => operation))

function unknown(name: string): string {
  const groups = new Set(operations.map((operation) => `${operation.split('.')[0]}.*`))
  const nearest = nearestWord(name, [...operations, ...groups])
  const hint = nearest === undefined ? 'gateway-sim routes lists them' : `did you mean ${nearest}?`
  return `there is no operation ${JSON.stringify(name)}: ${hint}`
}

/** The file that `--accept` names: a list. */
export const acceptedSchema = z.array(
  z.strictObject({
    operation: z
      .string()
      .refine((name) => operations.some((one) => isNamed(one, [name])), {
        error: ({ input }) => unknown(String(input)),
      })
      .optional()
      .describe('An operation, or a group: `videos.*`.'),
    section: z.string().min(1).optional().describe('As the report says it: `contract 2.3`.'),
    pointer: z.string().optional().describe('A JSON pointer; numbers stand for any place in a list.'),
    kind: z.enum(deviationKinds).optional(),
    reason: z.string().min(1).describe('Why it is accepted.'),
    until: z.iso
      .date({ error: 'expected a day such as 2026-12-31' })
      .optional()
      .describe('The last day on which it is accepted.'),
  }),
)

/** A deviation that is known. All that is given must fit. */
export type Accepted = z.output<typeof acceptedSchema>[number]

export const wallTime: Time = {
  now: () => performance.now(),
  wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
}

export class CheckFailure extends Error {
  override readonly name = 'CheckFailure'
  readonly why: 'unreachable' | 'late' | 'unauthorised'

  constructor(why: CheckFailure['why'], message: string) {
    super(message)
    this.why = why
  }
}

export interface ShownExchange {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: unknown
  }
  readonly reply: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** Parsed JSON, the first characters of a text, or how many bytes there are. */
    readonly body?: unknown
  }
}

/** One way in which the gateway differs: one cause, however often it was seen. */
export interface Finding extends Deviation, ShownExchange {
  /** All that showed it; `operation` is the first. */
  readonly operations: readonly string[]
  /** The statement of the contract, where a probe was made for it. */
  readonly states?: string
  readonly probes: readonly string[]
}

export interface AcceptedFinding extends Finding {
  readonly accepted: string
}

export interface SkippedProbe extends CheckedProbe {
  readonly reason: string
}

export interface CheckReport {
  readonly version: 1
  readonly baseUrl: string
  readonly summary: {
    readonly checked: number
    readonly skipped: number
    /** Additions and what is accepted do not count. */
    readonly deviations: number
  }
  readonly deviations: readonly Finding[]
  /** More than the contract names. */
  readonly additions: readonly Finding[]
  readonly accepted: readonly AcceptedFinding[]
  /** Entries of the list of accepted deviations that fit none, and those whose day has passed. */
  readonly unusedAccepted: readonly string[]
  readonly expiredAccepted: readonly string[]
  readonly skipped: readonly SkippedProbe[]
  readonly checked: readonly CheckedProbe[]
  /** Of a recording: what its client did wrong, and the gateway is not to blame for. */
  readonly clientFaults?: readonly ClientFault[]
  /** A `gateway-sim.config.yaml` that makes the simulator behave like the gateway, where settings can. */
  readonly settings: Readonly<Record<string, unknown>>
}

/** A request of a recording that breaks the contract itself. */
export interface ClientFault {
  readonly operation: string
  readonly source: string
  readonly faults: readonly string[]
}

export interface CheckedProbe {
  readonly operation: string
  readonly probe: string
  readonly section: string
  readonly states: string
}
