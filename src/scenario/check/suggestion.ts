/** What messages suggest: another name, or a mark that something is intended. */
import { nearestWord } from '../../protocol/nearest-word.ts'

const maxListed = 12

/** Ends every message about something that the contract does not allow. */
export const unlessIntended = 'mark the answer `offContract: true` if that is intended'

/** `; did you mean prompt?`, else the known names; `others` are candidates too, but not listed. */
export function suggestion(name: string, known: readonly string[], others: readonly string[] = []): string {
  const nearest = nearestWord(name, [...known, ...others])
  if (nearest !== undefined) return `; did you mean ${nearest}?`
  return known.length === 0 ? '' : `: expected one of ${known.slice(0, maxListed).join(', ')}`
}
