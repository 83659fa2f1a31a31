/** The report on the differences of two recordings. */
import { grouped } from '../engine/fields.ts'
import type { Difference, RecordingDiff } from '../judges/sameness.ts'
import type { Item, Report } from '../report/report.ts'
import { counted } from '../text/printable.ts'

/** The differences by operation, the notes, and a summary. */
export function diffReport(diff: RecordingDiff, subject: string): Report {
  const { differences, notes, compared } = diff
  const byOperations = grouped(merged(differences), ({ operations }) => operations.join(', '))
  const withoutDifference = compared > 0 ? 'passed' : 'skipped'
  const what = counted(differences.length, 'difference')
  return {
    command: 'gateway-sim diff',
    subject,
    outcome: differences.length > 0 ? 'failed' : withoutDifference,
    summary: `${what} in ${counted(compared, 'compared operation')}`,
    sections: [
      ...[...byOperations].map(([title, all]) => ({
        title,
        items: all.map((one) => differenceItem(one, title)),
      })),
      { title: 'notes', items: notes.map((title) => ({ outcome: 'note', title }) as const) },
    ],
    data: diff,
  }
}

/** Headers that were added or removed together are one line. */
function merged(differences: readonly Difference[]): Difference[] {
  const alike = grouped(differences, ({ place, requests: _, ...one }) =>
    JSON.stringify(one.what === 'header' ? one : [one, place]),
  )
  return [...alike.values()].map((all) => ({
    ...(all[0] as Difference),
    place: all.map(({ place }) => place).join(', '),
  }))
}

/** A status is about its request; other differences are often about all. */
const shownRequests = { status: 5, others: 1 }

function differenceItem({ what, place, before, after, requests }: Difference, operations: string): Item {
  const at = what === 'status' || what === 'end' ? '' : `${place}: `
  const changed = what === 'removed' ? before : `${before} → ${after}`
  const shown = requests.slice(0, shownRequests[what === 'status' ? what : 'others'])
  const rest = requests.length - shown.length
  return {
    outcome: 'failed',
    title: `${what} ${at}${what === 'added' ? after : changed}`,
    lines: [
      ...shown.map((one) => `${one.request} (${one.before}; ${one.after})`),
      ...(rest > 0 && what === 'status' ? [`and ${counted(rest, 'more request')}`] : []),
    ],
    testCase: { suite: operations, name: `${what} ${place}`, type: what },
  }
}
