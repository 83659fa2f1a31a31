/** Watches files and directories. */
import { watch } from 'chokidar'

/** Editors save in several steps: changes within this many milliseconds are one. */
const debounceMs = 60

/**
 * Calls `onChange` after each change, never concurrently; it returns the paths to watch from then on.
 * Resolves when the watch is active.
 */
export async function watchPaths(
  paths: readonly string[],
  onChange: () => Promise<readonly string[]>,
): Promise<{ close(): Promise<void> }> {
  const watcher = watch([...paths], { ignoreInitial: true, atomic: true })
  let watched = new Set(paths)
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let runAgain = false

  const notify = async (): Promise<void> => {
    do {
      runAgain = false
      const next = new Set(await onChange())
      watcher.add([...next].filter((path) => !watched.has(path)))
      await watcher.unwatch([...watched].filter((path) => !next.has(path)))
      watched = next
    } while (runAgain)
  }
  const trigger = (): void => {
    if (running !== undefined) runAgain = true
    else running = notify().finally(() => (running = undefined))
  }
  watcher.on('all', () => {
    clearTimeout(timer)
    timer = setTimeout(trigger, debounceMs)
  })
  await new Promise<void>((resolve, reject) => {
    watcher.once('ready', resolve)
    watcher.once('error', reject)
  })
  return {
    async close() {
      clearTimeout(timer)
      await watcher.close()
      await running
    },
  }
}
