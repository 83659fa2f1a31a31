/** The imperfections of a healthy run, which the other runs are compared with. */
import type { JournalEntry } from '../exchange/exchange.ts'
import { counted } from '../text/printable.ts'
import type { ObservedRun } from './judge.ts'

/** Maximum number of requests named for each kind; further ones are counted. */
const maxNamed = 3

/** One line for each kind of imperfection; empty for a perfect run. */
export function imperfections({ entries, findings }: ObservedRun): string[] {
  const shown = ({ request, response }: JournalEntry): string =>
    `${request.method} ${request.url.replace(/\?.*/s, '')}` +
    (response === undefined ? '' : ` (${response.status})`)
  const kind = (what: string, found: readonly JournalEntry[]): string[] => {
    if (found.length === 0) return []
    const named = found.slice(0, maxNamed).map(shown).join(', ')
    const more = found.length > maxNamed ? ', …' : ''
    return [`${counted(found.length, 'request')} ${what}: ${named}${more}`]
  }
  const unknown = entries.filter(({ operation }) => operation === undefined)
  const rejected = entries.filter(
    ({ operation, response }) => operation !== undefined && (response?.status ?? 0) >= 400,
  )
  const broken = entries.filter(
    ({ operation, ended, response }) =>
      operation !== undefined && (response?.status ?? 0) < 400 && ended !== 'completed',
  )
  const serious = findings.filter(({ severity }) => severity !== 'hint')
  return [
    ...kind('to unknown paths', unknown),
    ...kind('rejected', rejected),
    ...kind('without a complete response', broken),
    ...[...new Set(serious.map(({ id, message }) => `${id}: ${message}`))],
  ]
}
