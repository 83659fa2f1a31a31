/** The difference between two recordings, for people. */
import type { Paint } from '../../text/paint.ts'
import { escapeControls } from '../../text/printable.ts'
import type { Difference, RecordingDiff } from './diff-recordings.ts'

/** Operation by operation, then the notes, then one line that sums it up. */
export function printDiff({ differences, notes, compared }: RecordingDiff, paint: Paint): string {
  const lines: string[] = []
  let operation: string | undefined
  for (const difference of differences) {
    if (difference.operation !== operation) {
      operation = difference.operation
      lines.push(paint('bold', operation))
    }
    lines.push(`  ${lineOf(difference, paint)}`)
  }
  if (notes.length > 0)
    lines.push(paint('bold', 'notes'), ...notes.map((note) => `  ${escapeControls(note)}`))
  const what = differences.length === 1 ? '1 difference' : `${differences.length} differences`
  const where = compared === 1 ? '1 operation' : `${compared} operations`
  return `${[...lines, `${what} in ${where} that both recordings call`].join('\n')}\n`
}

const styles = {
  status: 'red',
  added: 'green',
  removed: 'red',
  type: 'yellow',
  words: 'yellow',
  header: 'yellow',
} as const

function lineOf({ what, place, before, after }: Difference, paint: Paint): string {
  const word = paint(styles[what], what.padEnd(8))
  const at = what === 'status' ? '' : `${escapeControls(place)}: `
  if (what === 'added') return `${word} ${at}${escapeControls(after)}`
  if (what === 'removed') return `${word} ${at}${escapeControls(before)}`
  return `${word} ${at}${escapeControls(before)} → ${escapeControls(after)}`
}
