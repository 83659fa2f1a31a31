/** Every fault, in the order of the documentation. Adding one: its file and its line here. */
import { disconnect } from './disconnect.ts'
import { errorEvent } from './error-event.ts'
import type { Fault } from './fault.ts'
import { missingEnd } from './missing-end.ts'
import { stall } from './stall.ts'

export const faults: readonly Fault[] = [disconnect, stall, errorEvent, missingEnd]

/** The fault of a word. */
export function faultNamed(kind: string): Fault | undefined {
  return faults.find((fault) => fault.kind === kind)
}
