/** The difference between two recordings, for people. */
import type { Paint } from '../../text/paint.ts'
import { escapeControls } from '../../text/printable.ts'
import { wrap } from '../../text/wrap.ts'
import type { Difference, RecordingDiff } from './diff-recordings.ts'

/** Operation by operation, then the notes, then one line that sums it up. */
export function printDiff({ differences, notes, compared }: RecordingDiff, paint: Paint): string {
  const lines: string[] = []
  let heading: string | undefined
  for (const difference of merged(differences)) {
    const operations = difference.operations.join(', ')
    if (operations !== heading) lines.push(...wrap('', operations, width).map((line) => paint('bold', line)))
    heading = operations
    lines.push(...lineOf(difference, paint))
  }
  if (notes.length > 0)
    lines.push(paint('bold', 'notes'), ...notes.map((note) => `  ${escapeControls(note)}`))
  const what = differences.length === 1 ? '1 difference' : `${differences.length} differences`
  const where = compared === 1 ? '1 operation' : `${compared} operations`
  return `${[...lines, `${what} in ${where} that both recordings call`].join('\n')}\n`
}

/** Headers that came, or went, together are one line. */
function merged(differences: readonly Difference[]): Difference[] {
  const all: Difference[] = []
  for (const one of differences) {
    const known = all.findIndex(
      (other) =>
        one.what === 'header' &&
        other.what === 'header' &&
        other.before === one.before &&
        other.after === one.after &&
        other.operations.join() === one.operations.join(),
    )
    const other = all[known]
    if (other === undefined) all.push(one)
    else all[known] = { ...other, place: `${other.place}, ${one.place}` }
  }
  return all
}

const width = 100

const styles = {
  status: 'red',
  added: 'green',
  removed: 'red',
  type: 'yellow',
  words: 'yellow',
  header: 'yellow',
} as const

function lineOf({ what, place, before, after }: Difference, paint: Paint): string[] {
  const [first = '', ...more] = wrap(`  ${what.padEnd(8)} `, escapeControls(textOf()), width)
  return [first.replace(what, paint(styles[what], what)), ...more]

  function textOf(): string {
    const at = what === 'status' ? '' : `${place}: `
    if (what === 'added') return `${at}${after}`
    if (what === 'removed') return `${at}${before}`
    return `${at}${before} → ${after}`
  }
}
