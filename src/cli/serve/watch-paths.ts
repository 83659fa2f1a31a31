/** Hears of changes of files and directories, however editors write them. */
import { watch } from 'chokidar'

/** Editors write in several steps; what comes within this time is one change. Milliseconds. */
const settledAfter = 60

/**
 * Calls `changed` after each change, one call at a time; it answers with the paths to watch from then on.
 * Resolves when every later change will be seen.
 */
export async function watchPaths(
  paths: readonly string[],
  changed: () => Promise<readonly string[]>,
): Promise<{ close(): Promise<void> }> {
  const watcher = watch([...paths], { ignoreInitial: true, atomic: true })
  let watched = new Set(paths)
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let again = false

  const look = async (): Promise<void> => {
    do {
      again = false
      const next = new Set(await changed())
      watcher.add([...next].filter((path) => !watched.has(path)))
      await watcher.unwatch([...watched].filter((path) => !next.has(path)))
      watched = next
    } while (again)
  }
  const begin = (): void => {
    if (running !== undefined) again = true
    else running = look().finally(() => (running = undefined))
  }
  watcher.on('all', () => {
    clearTimeout(timer)
    timer = setTimeout(begin, settledAfter)
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
