/** Where an answer stops by itself, whatever the API. */

export interface FoundStop {
  readonly at: number
  readonly sequence: string
}

/**
 * Where a text stops: at the sequence that is complete first, the longer one if two are complete at once.
 * Empty sequences stop nothing.
 */
export function stopIn(text: string, sequences: readonly string[]): FoundStop | undefined {
  let first: FoundStop | undefined
  for (const sequence of sequences) {
    const at = sequence === '' ? -1 : text.indexOf(sequence)
    if (at < 0) continue
    const end = at + sequence.length
    const best = first === undefined ? Number.POSITIVE_INFINITY : first.at + first.sequence.length
    if (end < best || (end === best && at < (first?.at ?? 0))) first = { at, sequence }
  }
  return first
}
