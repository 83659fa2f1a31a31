/** Work that is counted instead of timed: the same in every run, and whatever else the machine does. */
import { Session } from 'node:inspector/promises'

/**
 * Counts how often any block of code runs: each function call and each turn of a loop. It does not see what
 * a native method or a regular expression does inside, nor code that was loaded before: import that after it.
 */
export async function countBlocks(): Promise<(act: () => unknown) => Promise<number>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return async (act) => {
    await session.post('Profiler.takePreciseCoverage')
    await act()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return result
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0)
  }
}
