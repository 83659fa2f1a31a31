/** Faults of scenario files as plans hold them. Their options are parsed here, once. */
import type { Random } from '../../engine/random.ts'
import type { PlannedFault } from '../../protocol/plan-fault.ts'
import { faultNamed } from '../faults/all.ts'
import type { WrittenFault } from '../written.ts'

export function faultOf(written: WrittenFault): PlannedFault {
  const { kind, chance: _, ...options } = typeof written === 'string' ? { kind: written } : written
  return { kind, options: faultNamed(kind)?.options().parse(options) ?? {} }
}

/** The faults of one value, be it a list or not, with their places below it. */
export function faultsIn(
  fault: WrittenFault | readonly WrittenFault[] | undefined,
): { readonly kind: string; readonly written: WrittenFault; readonly at: readonly number[] }[] {
  if (fault === undefined) return []
  const listed = Array.isArray(fault)
  const list = (listed ? fault : [fault]) as readonly WrittenFault[]
  return list.map((written, index) => ({
    kind: typeof written === 'string' ? written : written.kind,
    written,
    at: listed ? [index] : [],
  }))
}

/** Makes the faults that a call meets: each with a chance draws for itself. */
export function compileFaults(
  written: WrittenFault | readonly WrittenFault[],
): (random: Random) => PlannedFault[] {
  const faults = faultsIn(written).map(({ written: one }) => ({
    chance: typeof one === 'string' ? undefined : one.chance,
    fault: faultOf(one),
  }))
  return (random) =>
    faults
      .filter(({ chance }, index) => chance === undefined || random.fork(`fault ${index}`).next() < chance)
      .map(({ fault }) => fault)
}
