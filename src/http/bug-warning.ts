/** The warning for a mistake of the simulator's own, with its stack. */
export function bugWarning(call: string, bug: unknown): string {
  return `bug of the simulator in ${call}: ${bug instanceof Error ? bug.stack : String(bug)}`
}
