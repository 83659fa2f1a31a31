/** The options of a check, and its report as plain data. */
import * as z from 'zod'
import { serviceGroups } from '../endpoints/registry.ts'
import type { ExchangeJson } from '../exchange/plain.ts'
import { contractCodes } from '../judges/codes.ts'
import type { ContractFinding } from '../judges/finding.ts'
import { acceptedFields } from '../protocol/accepted.ts'
import type { ContractCode } from '../protocol/invariant.ts'
import { nearestWord } from '../protocol/nearest-word.ts'
import type { Spend } from '../protocol/probe.ts'
import { isNamed } from './plan.ts'
import type { Target } from './target.ts'

export interface CheckOptions {
  readonly target: Target
  readonly apiKey: string
  readonly spend: Spend
  /** Operations (`chat.create`) and groups (`videos.*`); empty for all. */
  readonly only?: readonly string[]
  /** The models to use, by group: `chat`. */
  readonly models?: Readonly<Record<string, string>>
  readonly accepted?: readonly Accepted[]
  /** Today as `2026-01-31`: decides which entries of the accepted violations have expired. */
  readonly today?: string
  onProgress?(probe: string, message: string): void
}

const operations = serviceGroups.flatMap(({ endpoints }) => endpoints.map(({ operation }) => operation))

function unknown(name: string): string {
  const groups = new Set(operations.map((operation) => `${operation.split('.')[0]}.*`))
  const nearest = nearestWord(name, [...operations, ...groups])
  const hint = nearest === undefined ? 'gateway-sim openapi lists all operations' : `did you mean ${nearest}?`
  return `unknown operation ${JSON.stringify(name)}: ${hint}`
}

const acceptedOperation = z
  .string()
  .refine((name) => name === '*' || operations.some((one) => isNamed(one, [name])), {
    error: ({ input }) => unknown(String(input)),
  })

/** The file that `--accept` names: a list. */
export const acceptedSchema = z.array(
  z.strictObject({
    operation: z
      .union([acceptedOperation, z.array(acceptedOperation).min(1)])
      .optional()
      .describe('An operation, a group (`videos.*`), a list of both, or `*` for all operations.'),
    rule: z
      .string()
      .min(1)
      .optional()
      .describe('The rule, or else the expected value, as shown in the report.'),
    pointer: z
      .string()
      .optional()
      .describe(
        'A JSON pointer. A number in the pointer matches any array index. `/**` at its end matches all ' +
          'fields below.',
      ),
    code: z.enum(Object.keys(contractCodes) as ContractCode[]).optional(),
    ...acceptedFields(),
  }),
)

/** A known violation. An entry matches a violation if all its fields match. */
export type Accepted = z.output<typeof acceptedSchema>[number]

/** The rule for an operation that is missing. */
export const hasAllOperations = 'The gateway has all operations of the contract'

/** The gateway cannot be reached, or rejects the API key. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure'
}

/** One violation: one cause, however often it was seen. The place is the first that shows it. */
export interface CheckFinding extends ContractFinding {
  /** All operations with this violation. */
  readonly operations: readonly string[]
  readonly probes: readonly string[]
  /** The exchange of the evidence, shortened. */
  readonly exchange: ExchangeJson
}

export interface AcceptedFinding extends CheckFinding {
  readonly accepted: string
}

export interface SkippedProbe extends CheckedProbe {
  readonly reason: string
}

export interface UncheckedOperations {
  /** `chat.*`, or as `--only` names it. */
  readonly name: string
  readonly reason: string
}

export interface CheckReport {
  readonly version: 1
  readonly baseUrl: string
  /** `skipped`: no violation, but `unchecked` is not empty, or nothing was checked. */
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly summary: {
    readonly checked: number
    /** Probes without a violation, also without an accepted one. */
    readonly passed: number
    readonly skipped: number
    /** Without hints and accepted violations. */
    readonly violations: number
  }
  readonly violations: readonly CheckFinding[]
  /** Fields and values that are not in the contract. */
  readonly additions: readonly CheckFinding[]
  readonly accepted: readonly AcceptedFinding[]
  /** Entries of the `--accept` file that match nothing, and those that have expired. */
  readonly unusedAccepted: readonly string[]
  readonly expiredAccepted: readonly string[]
  /** The groups, or the names of `--only`, that could not be checked, or not completely. */
  readonly unchecked: readonly UncheckedOperations[]
  readonly skipped: readonly SkippedProbe[]
  readonly checked: readonly CheckedProbe[]
  /** Recordings only: requests that violate the contract themselves. */
  readonly clientErrors?: readonly ClientError[]
  /** Gateways only: the spending limit. */
  readonly spend?: Spend
}

/** A recorded request that violates the contract. */
export interface ClientError {
  readonly operation: string
  readonly source: string
  readonly errors: readonly string[]
}

export interface CheckedProbe {
  readonly operation: string
  /** Its name, or the place in a recording. */
  readonly probe: string
  /** The rule that the probe tests. */
  readonly rule?: string
  /** The recorded request: `GET https://gw.example/v1/models`. */
  readonly request?: string
}
