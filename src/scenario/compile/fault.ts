/** Faults of scenario files as plans hold them, their options filled in. */
import type { Random } from '../../engine/random.ts'
import type { PlannedFault } from '../../protocol/plan-fault.ts'
import { faultNamed } from '../faults/all.ts'
import type { WrittenFault } from '../written.ts'

/** A fault with all its options, in milliseconds and bytes. */
export function faultOf(written: WrittenFault): PlannedFault {
  const { kind, chance: _, ...options } = typeof written === 'string' ? { kind: written } : written
  return { kind, ...(faultNamed(kind)?.options().parse(options) as object | undefined) }
}

/** Faults that are ready to be met: each draws for itself. */
export function compileFaults(
  written: WrittenFault | readonly WrittenFault[],
): (random: Random) => PlannedFault[] {
  const list = (Array.isArray(written) ? written : [written]) as readonly WrittenFault[]
  const ready = list.map((one) => ({
    chance: typeof one === 'string' ? undefined : one.chance,
    fault: faultOf(one),
  }))
  return (random) =>
    ready
      .filter(({ chance }, index) => chance === undefined || random.fork(`fault ${index}`).next() < chance)
      .map(({ fault }) => fault)
}
