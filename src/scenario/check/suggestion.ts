/** What to write in the place of an unknown name. */
import { nearestWord } from '../../protocol/nearest-word.ts'

const maxListed = 12

/** `; did you mean prompt?`, else the names there are; `others` may be meant too, and are not listed. */
export function suggestion(name: string, known: readonly string[], others: readonly string[] = []): string {
  const nearest = nearestWord(name, [...known, ...others])
  if (nearest !== undefined) return `; did you mean ${nearest}?`
  return known.length === 0 ? '' : `: expected one of ${known.slice(0, maxListed).join(', ')}`
}
