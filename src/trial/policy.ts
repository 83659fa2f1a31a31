/** Which verdicts are acceptable. */
import * as z from 'zod'
import { acceptedFields, isExpired } from '../protocol/accepted.ts'
import { didYouMean } from '../protocol/nearest-word.ts'
import { type VerdictName, verdicts } from './judge.ts'
import { failureNames, isOperationNamed, operationNames } from './names.ts'
import type { Nature } from './nature.ts'

const fine: readonly VerdictName[] = ['recovered', 'gave up', 'fell back']

/** The verdicts that are acceptable by default. */
export const isAcceptable = (verdict: VerdictName, nature: Nature): boolean =>
  verdict === 'not reached' || (nature === 'harmless' ? verdict === 'recovered' : fine.includes(verdict))

const verdictNames = Object.keys(verdicts) as [VerdictName]

/** The file with accepted verdicts: a list. */
export function policySchema(operations: readonly string[]) {
  const known = operationNames(operations)
  const named = (what: string, names: readonly string[]) =>
    z.string().refine((name) => names.includes(name), {
      error: ({ input }) =>
        `expected ${what}, got ${JSON.stringify(input)}` +
        didYouMean(String(input), names, '; gateway-sim trial --list shows them', '; '),
    })
  const verdict = z.enum(verdictNames)
  return z.array(
    z.strictObject({
      operation: named('an operation or a group such as videos.*', known).optional(),
      failure: named('a failure', failureNames).optional(),
      verdict: z.union([verdict, z.array(verdict).min(1)]),
      ...acceptedFields(),
    }),
  )
}

/** The accepted verdicts. An entry accepts a verdict if all its fields match. */
export type PolicyEntry = z.output<ReturnType<typeof policySchema>>[number]

interface Place {
  readonly operation: string
  readonly failure: { readonly id: string }
}

const fits = (entry: PolicyEntry, { operation, failure }: Place, verdict: VerdictName): boolean =>
  (entry.operation === undefined || isOperationNamed(operation, entry.operation)) &&
  (entry.failure === undefined || entry.failure === failure.id) &&
  [entry.verdict].flat().includes(verdict)

/** The reason of the entry that accepts a verdict. `entries` have not expired. */
export function acceptedBy(
  entries: readonly PolicyEntry[],
  cell: Place,
  verdict: VerdictName,
): string | undefined {
  return entries.find((entry) => fits(entry, cell, verdict))?.reason
}

/** A verdict that is not acceptable by default. */
interface Bad {
  readonly cell: Place
  readonly verdict: VerdictName
}

export const validEntries = (entries: readonly PolicyEntry[], today: string): PolicyEntry[] =>
  entries.filter((entry) => !isExpired(entry, today))

/** The errors in entries after a complete trial. */
export function staleEntries(entries: readonly PolicyEntry[], bad: readonly Bad[], today: string): string[] {
  return entries.flatMap((entry) => {
    const isUsed = bad.some(({ cell, verdict }) => fits(entry, cell, verdict))
    if (!isUsed) return [`the entry matches no verdict: ${inWords(entry)}`]
    return isExpired(entry, today) ? [`the entry has expired: ${inWords(entry)}`] : []
  })
}

/** `videos.*, reset, hung, expires 2026-12-31: asked for it`. */
function inWords({ operation, failure, verdict, reason, expires }: PolicyEntry): string {
  const parts = [operation, failure, [verdict].flat().join(' or ')]
  const date = expires === undefined ? [] : [`expires ${expires}`]
  return `${[...parts, ...date].filter((part) => part !== undefined).join(', ')}: ${reason}`
}
