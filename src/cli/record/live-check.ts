/** `record --check`: judges what passes by the contract, each call as it ends and all of them at the end. */

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { judgeRecording, type RecordedFinding } from '../../check/judge-recording.ts'
import { placeOf } from '../../check/reporters/words.ts'
import type { RecordedExchange } from '../../har/exchange.ts'
import { readHar } from '../../har/read-har.ts'
import { counted } from '../../text/counted.ts'
import type { Paint, Style } from '../../text/paint.ts'
import { escapeControls } from '../../text/printable.ts'

export interface LiveCheck {
  readonly onExchange: (exchange: RecordedExchange) => void
  /** Judges the files too, where jobs can be seen over their whole life; the number of deviations. */
  finish(files: readonly string[]): Promise<number>
}

/** Each deviation is written once, when it is first seen. */
export function createLiveCheck(write: (line: string) => void, paint: Paint): LiveCheck {
  const seen = new Set<string>()
  const additions = new Set<string>()
  let calls = 0
  let judging = Promise.resolve()
  const tell = (findings: readonly RecordedFinding[]): void => {
    for (const finding of findings) {
      const { section, where, pointer, kind, severity } = finding.deviation
      const place = pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*')
      const cause = JSON.stringify([section, where, place, kind, severity])
      const known = severity === 'addition' ? additions : seen
      if (!known.has(cause) && severity !== 'addition') write(lineOf(finding, paint))
      known.add(cause)
    }
  }
  const judge = async (exchanges: readonly RecordedExchange[]): Promise<void> => {
    const { findings, clientFaults } = await judgeRecording(exchanges)
    tell(findings)
    for (const { operation, faults } of clientFaults)
      if (exchanges.length === 1)
        write(`${paint('yellow', 'request')}  ${operation}  ${escapeControls(faults.join('; '))}`)
  }
  return {
    onExchange(exchange) {
      calls += 1
      judging = judging.then(() => judge([exchange]))
    },
    async finish(files) {
      await judging
      for (const file of files)
        await judge(
          readHar(await readFile(file, 'utf8'), file, (name) => readFileSync(join(dirname(file), name))),
        )
      const more = additions.size === 0 ? '' : `, ${counted(additions.size, 'addition')} to it`
      const against = counted(seen.size, 'deviation')
      write(`gateway-sim: ${counted(calls, 'call')} judged: ${against} from the contract${more}`)
      return seen.size
    },
  }
}

const styles: Readonly<Record<string, Style>> = { breaking: 'red', doubtful: 'yellow' }

function lineOf({ deviation, operations }: RecordedFinding, paint: Paint): string {
  const { severity, section, expected, got } = deviation
  const place = `${operations.join(', ')}  ${placeOf(deviation)}`
  const words = escapeControls(`${place}: expected ${expected}, got ${got} (${section})`)
  return `${paint(styles[severity] ?? 'dim', severity)}  ${words}`
}
