/** Faults of scenario files as plans hold them, their options filled in. Knows no kind of fault. */
import type { Random } from '../engine/random.ts'
import type { PlannedFault } from '../protocol/plan-fault.ts'
import { faultNamed } from './faults/all.ts'
import type { WrittenFault } from './written.ts'

/** A fault with all its options, in milliseconds and bytes. */
export function faultOf(written: WrittenFault): PlannedFault {
  const { kind, chance: _, ...options } = typeof written === 'string' ? { kind: written } : written
  return { kind, ...(faultNamed(kind)?.options().parse(options) as object | undefined) }
}

/** The faults that this call meets; each draws for itself. */
export function faultsMet(written: WrittenFault | readonly WrittenFault[], random: Random): PlannedFault[] {
  const list = (Array.isArray(written) ? written : [written]) as readonly WrittenFault[]
  return list.filter((one, index) => typeof one === 'string' || one.chance === undefined || random.fork(`fault ${index}`).next() < one.chance).map(faultOf)
}
