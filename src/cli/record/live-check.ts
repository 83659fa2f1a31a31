/** `record --check`: judges what passes by the contract, each call as it ends and all of them at the end. */
import { judgeRecording } from '../../check/judge-recording.ts'
import { placeOf } from '../../check/reporters.ts'
import type { Deviation } from '../../contract/laws/law.ts'
import type { RecordedExchange } from '../../har/write-har.ts'
import { readHarFile } from '../../recording/load-recordings.ts'
import type { Paint, Style } from '../../text/paint.ts'
import { counted, escapeControls } from '../../text/printable.ts'

/** Writes an event: as text, or its fields as JSON. */
type Write = (event: string, fields: object, text: string) => void

/** Each violation is written once, when it is first seen. */
export function createLiveCheck(write: Write, paint: Paint) {
  const deviations = new Set<string>()
  const additions = new Set<string>()
  let calls = 0
  let judging = Promise.resolve()
  const judge = async (exchanges: readonly RecordedExchange[], atEnd = false): Promise<void> => {
    const { seen, clientFaults } = await judgeRecording(exchanges)
    for (const { cause, ...deviation } of seen) {
      const known = deviation.severity === 'addition' ? additions : deviations
      if (!known.has(cause) && known === deviations) write('violation', deviation, lineOf(deviation, paint))
      known.add(cause)
    }
    // At the end the faults of requests were told already.
    for (const { operation, faults } of atEnd ? [] : clientFaults)
      write(
        'client-error',
        { operation, faults },
        `${paint('yellow', 'request')}  ${operation}  ${escapeControls(faults.join('; '))}`,
      )
  }
  return {
    onExchange(exchange: RecordedExchange): void {
      calls += 1
      judging = judging.then(() => judge([exchange]))
    },
    /** Judges the files too, where jobs can be seen over their whole life; the number of deviations. */
    async finish(files: readonly string[]): Promise<number> {
      await judging
      for (const file of files) await judge(readHarFile(file), true)
      const more = additions.size === 0 ? '' : `, ${counted(additions.size, 'field')} not in the contract`
      const against = counted(deviations.size, 'violation')
      write(
        'checked',
        { calls, violations: deviations.size, additions: additions.size },
        `gateway-sim: ${counted(calls, 'request')} checked: ${against}${more}`,
      )
      return deviations.size
    },
  }
}

const styles: Readonly<Record<string, Style>> = { breaking: 'red', doubtful: 'yellow' }

function lineOf(deviation: Deviation, paint: Paint): string {
  const { operation, severity, section, expected, got } = deviation
  const words = `${operation}  ${placeOf(deviation)}: expected ${expected}, got ${got} (${section})`
  return `${paint(styles[severity] ?? 'dim', severity)}  ${escapeControls(words)}`
}
