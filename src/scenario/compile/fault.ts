/** Faults of scenario files as plans hold them. */
import type { Random } from '../../engine/random.ts'
import type { PlannedFault } from '../../protocol/plan-fault.ts'
import { faultNamed } from '../faults/all.ts'
import type { FaultSpec } from '../format/fault.ts'

/** A fault that no file has written: its options are parsed here. */
export function makeFault(kind: string, options: object = {}): PlannedFault {
  return { kind, options: faultNamed(kind)?.options().parse(options) ?? {} }
}

type OneOrMore = FaultSpec | readonly FaultSpec[] | undefined

/** The fault as a plan holds it; its chance has been drawn by then. */
export function plannedFault({ kind, chance: _, ...options }: FaultSpec): PlannedFault {
  return { kind, options }
}

/** The faults of one value, be it a list or not. */
export function faultsOf(fault: OneOrMore): readonly FaultSpec[] {
  return placedFaults(fault).map(({ fault: one }) => one)
}

/** The same, each with its place below the value. */
export function placedFaults(
  fault: OneOrMore,
): { readonly fault: FaultSpec; readonly at: readonly number[] }[] {
  if (fault === undefined) return []
  return Array.isArray(fault)
    ? (fault as readonly FaultSpec[]).map((one, index) => ({ fault: one, at: [index] }))
    : [{ fault: fault as FaultSpec, at: [] }]
}

/** Makes the faults that a call meets: each with a chance draws for itself. */
export function compileFaults(fault: FaultSpec | readonly FaultSpec[]): (random: Random) => PlannedFault[] {
  const faults = faultsOf(fault).map((one) => ({ chance: one.chance, fault: plannedFault(one) }))
  return (random) =>
    faults
      .filter(({ chance }, index) => chance === undefined || random.fork(`fault ${index}`).next() < chance)
      .map(({ fault: one }) => one)
}
