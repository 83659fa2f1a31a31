/** The sentence above a client report. */
import type { ClientReport } from '../generated/control-types.ts'

/** `2 errors, 1 hint in 14 requests.` */
export function summaryOf({ requests, errors, warnings, hints }: ClientReport): string {
  const counts = [
    [errors, 'error'],
    [warnings, 'warning'],
    [hints, 'hint'],
  ] as const
  const found = counts.filter(([count]) => count > 0).map(([count, word]) => counted(count, word))
  return `${found.length === 0 ? 'No findings' : found.join(', ')} in ${counted(requests, 'request')}.`
}

export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`
