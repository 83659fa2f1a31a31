/** What a judge finds, as data: a renderer makes the sentence, and no code reads it back. */
import { type ArgsOf, codes, type FindingCode, type FindingKind, type Severity } from './codes.ts'

/** Where a finding shows. */
export interface FindingEvidence {
  /** The `seq` of an exchange. */
  readonly exchange: number
}

/** `args` are what the sentence of the code names. */
export interface Finding<Code extends FindingCode = FindingCode> {
  readonly code: Code
  readonly severity: Severity
  readonly args: ArgsOf<Code>
  readonly evidence: readonly FindingEvidence[]
}

/** A finding with the severity of its code, shown by these exchanges. */
export function finding<Code extends FindingCode>(
  code: Code,
  args: ArgsOf<Code>,
  exchanges: readonly { readonly seq: number }[],
): Finding<Code> {
  const evidence = exchanges.map(({ seq }) => ({ exchange: seq }))
  return { code, severity: codes[code].severity, args, evidence }
}

/** The sentence with the facts of a finding. */
export function sentenceOf({ code, args }: Finding): string {
  const { sentence } = codes[code] as AnyKind
  return sentence(args as never)
}

/** What to do instead. */
export function remedyOf({ code, args }: Finding): string {
  const { remedy, remedyFor } = codes[code] as AnyKind
  return remedyFor?.(args as never) ?? remedy
}

type AnyKind = FindingKind<never>
