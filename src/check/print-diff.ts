/** The differences of two recordings, for people. */
import { grouped } from '../engine/fields.ts'
import type { Difference, RecordingDiff } from '../judges/sameness.ts'
import type { Paint } from '../text/paint.ts'
import { counted, escapeControls, wrap } from '../text/printable.ts'

/** The differences by operation, the notes, and a summary. */
export function printDiff({ differences, notes, compared }: RecordingDiff, paint: Paint): string {
  const lines: string[] = []
  let heading: string | undefined
  for (const difference of merged(differences)) {
    const operations = difference.operations.join(', ')
    if (operations !== heading) lines.push(...wrap('', operations, width).map((line) => paint('bold', line)))
    heading = operations
    lines.push(...linesOf(difference, paint))
  }
  if (notes.length > 0)
    lines.push(paint('bold', 'notes'), ...notes.map((note) => `  ${escapeControls(note)}`))
  const what = counted(differences.length, 'difference')
  return `${[...lines, `${what} in ${counted(compared, 'compared operation')}`].join('\n')}\n`
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

const width = 100

const styles = {
  status: 'red',
  added: 'green',
  removed: 'red',
  type: 'yellow',
  values: 'yellow',
  header: 'yellow',
  end: 'red',
} as const

/** A status is about its request; other differences are often about all. */
const shownRequests = { status: 5, others: 1 }

function linesOf({ what, place, before, after, requests }: Difference, paint: Paint): string[] {
  const at = what === 'status' || what === 'end' ? '' : `${place}: `
  const changed = what === 'removed' ? before : `${before} → ${after}`
  const text = what === 'added' ? after : changed
  const [first = '', ...more] = wrap(`  ${what.padEnd(8)} `, escapeControls(at + text), width)
  const shown = requests.slice(0, shownRequests[what === 'status' ? what : 'others'])
  const examples = shown.map((one) => `${one.request} (${one.before}; ${one.after})`)
  const rest = requests.length - shown.length
  if (rest > 0 && what === 'status') examples.push(`and ${counted(rest, 'more request')}`)
  return [
    first.replace(what, paint(styles[what], what)),
    ...more,
    ...examples.flatMap((example) => wrap(`${' '.repeat(11)}- `, escapeControls(example), width)),
  ]
}
