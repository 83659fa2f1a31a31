/** `record --check`: checks requests against the contract, each as it ends and all at the end. */
import type { Exchange } from '../../exchange/exchange.ts'
import type { Violation } from '../../protocol/invariant.ts'
import { readHarFile } from '../../recording/read-recordings.ts'
import { placeOf } from '../../run/check-report.ts'
import { judgeRecording } from '../../run/judge-recording.ts'
import type { Paint, Style } from '../../text/paint.ts'
import { counted, escapeControls } from '../../text/printable.ts'

/** Writes an event: as text, or its fields as JSON. */
type Write = (event: string, fields: object, text: string) => void

/** Each violation is written once, when it is first seen. */
export function createLiveCheck(write: Write, paint: Paint) {
  const violations = new Set<string>()
  const additions = new Set<string>()
  let requests = 0
  let judging = Promise.resolve()
  const judge = async (exchanges: readonly Exchange[], atEnd = false): Promise<void> => {
    const { seen, clientErrors } = await judgeRecording(exchanges)
    for (const { cause, ...violation } of seen) {
      const known = violation.severity === 'addition' ? additions : violations
      const { section: _, ...shown } = violation
      if (!known.has(cause) && known === violations) write('violation', shown, lineOf(violation, paint))
      known.add(cause)
    }
    // Request errors were written before the end.
    for (const { operation, errors } of atEnd ? [] : clientErrors)
      write(
        'client-error',
        { operation, errors },
        `${paint('yellow', 'request')}  ${operation}  ${escapeControls(errors.join('; '))}`,
      )
  }
  return {
    onExchange(exchange: Exchange): void {
      requests += 1
      judging = judging.then(() => judge([exchange]))
    },
    /** Also checks the files, which show whole job lifecycles. Returns the number of violations. */
    async finish(files: readonly string[]): Promise<number> {
      await judging
      for (const file of files) await judge(readHarFile(file), true)
      const more = additions.size === 0 ? '' : `, ${counted(additions.size, 'field')} not in the contract`
      const against = counted(violations.size, 'violation')
      write(
        'checked',
        { requests, violations: violations.size, additions: additions.size },
        `gateway-sim: ${counted(requests, 'request')} checked: ${against}${more}`,
      )
      return violations.size
    },
  }
}

const styles: Readonly<Record<string, Style>> = { breaking: 'red', doubtful: 'yellow' }

function lineOf(violation: Violation, paint: Paint): string {
  const { operation, severity, expected, got } = violation
  const words = `${operation}  ${placeOf(violation)}: expected ${expected}, got ${got}`
  return `${paint(styles[severity] ?? 'dim', severity)}  ${escapeControls(words)}`
}
