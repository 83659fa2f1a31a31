/**
 * Faults as scenario files write them: a name, or an object with options. Derived from the faults themselves.
 */
import * as z from 'zod'
import { faultNamed, faults } from '../faults/all.ts'
import { hasPlace } from '../faults/fault.ts'

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
              chance: z
                .number()
                .min(0)
                .max(1)
                .optional()
                .describe('Its probability; seeded, so the same calls always get the same faults.'),
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
