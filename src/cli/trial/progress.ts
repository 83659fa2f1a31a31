/** The progress of a trial on stderr: each verdict as it comes, and about how long the rest takes. */
import { formatDuration } from '../../engine/duration.ts'
import type { TrialResult } from '../../trial/trial.ts'
import type { Output } from '../command.ts'

export function progressOn(output: Output, total: number): (result: TrialResult, count: number) => void {
  const startedAt = performance.now()
  return ({ title, verdict, acceptable }, count) => {
    const shown = acceptable ? verdict : verdict.toUpperCase()
    const seconds = Math.ceil((((performance.now() - startedAt) / count) * (total - count)) / 1000)
    const left = count === total ? '' : ` (about ${formatDuration(seconds * 1000)} left)`
    output.write(`gateway-sim: ${count}/${total} ${title}: ${shown}${left}\n`)
  }
}
