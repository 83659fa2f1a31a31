/** What a judge finds, as data: a renderer makes the sentence, and no code reads it back. */

import type { ContractCode, Severity } from '../protocol/invariant.ts'
import {
  type ArgsOf,
  type ClientCode,
  type ClientKind,
  type ContractArgs,
  clientCodes,
  codes,
  contractCodes,
  type FindingCode,
} from './codes.ts'

/** A part of a response. */
export interface Place {
  readonly where: 'status' | 'headers' | 'body' | 'stream'
  /** A JSON pointer into the body or the event, to the first place of its kind; empty for the whole. */
  readonly pointer: string
  /** Which event of the stream, counted from 0: the first one of its kind. */
  readonly event?: number | undefined
}

/** Where a finding shows. */
export interface FindingEvidence {
  /** The `seq` of an exchange. */
  readonly exchange: number
  /** Of a finding about a response. */
  readonly place?: Place
}

/** `args` are what the sentence of the code names. */
export interface Finding<Code extends FindingCode = FindingCode> {
  readonly code: Code
  readonly severity: Severity
  readonly args: ArgsOf<Code>
  readonly evidence: readonly FindingEvidence[]
}

export type ClientFinding = Finding<ClientCode>

/** A finding about a client, with the severity of its code, shown by these exchanges. */
export function finding<Code extends ClientCode>(
  code: Code,
  args: ArgsOf<Code>,
  exchanges: readonly { readonly seq: number }[],
): ClientFinding {
  const evidence = exchanges.map(({ seq }) => ({ exchange: seq }))
  return { code, severity: clientCodes[code].severity, args, evidence }
}

/** A finding about one response. */
export interface ContractFinding extends Finding<ContractCode> {
  readonly evidence: readonly [{ readonly exchange: number; readonly place: Place }]
}

/** What is wrong with a response: with all of the part, unless `pointer` says otherwise. */
export interface Violation extends Omit<ContractArgs, 'operation'>, Partial<Place> {
  readonly where: Place['where']
  readonly code: ContractCode
  /** Default: that of its code. */
  readonly severity?: Severity
}

export function contractFinding(operation: string, exchange: number, violation: Violation): ContractFinding {
  const { where, pointer = '', event, code, rule, expected, got } = violation
  return {
    code,
    severity: violation.severity ?? contractCodes[code].severity,
    args: { operation, rule, expected, got },
    evidence: [{ exchange, place: event === undefined ? { where, pointer } : { where, pointer, event } }],
  }
}

export const placeOf = ({ evidence: [{ place }] }: ContractFinding): Place => place

/** The sentence with the facts of a finding. */
export function sentenceOf({ code, args }: Finding): string {
  return codes[code].sentence(args as never)
}

/** What to do instead. */
export function remedyOf({ code, args }: ClientFinding): string {
  const { remedy, remedyFor } = clientCodes[code] as ClientKind<never>
  return remedyFor?.(args as never) ?? remedy
}
