/** `serve --watch`: applies changed scenario files. */
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { watch } from 'chokidar'
import type { ScenarioSet } from '../../scenario/load/scenario-set.ts'
import { counted } from '../../text/printable.ts'
import type { CallLog } from '../call-log.ts'
import { CommandError, type Io } from '../command.ts'
import { readScenarioSet, withFileErrors } from '../scenario-files.ts'
import type { StartedServer } from './start-server.ts'

interface Watched {
  readonly files: readonly string[]
  readonly server: StartedServer
  readonly io: Io
  readonly log: Pick<CallLog, 'reloaded'>
}

/** Editors save in several steps: changes within this many milliseconds are one. */
const debounceMs = 60

/** Watches the files of a server until it is closed. Resolves when the watch is active. */
export async function watchServer({ files, server, io, log }: Watched): Promise<{ close(): Promise<void> }> {
  const { core } = server.simulator
  const paths = new Set<string>()
  const watcher = watch([], { ignoreInitial: true, atomic: true })
  const follow = (set: ScenarioSet | undefined): void => {
    const fresh = pathsOf(files, set, io.cwd).filter((path) => !paths.has(path))
    for (const path of fresh) paths.add(path)
    watcher.add(fresh)
  }
  follow(server.set)
  const reload = async (): Promise<void> => {
    try {
      const set = await readScenarioSet(files, core.reader.allowFiles, io)
      withFileErrors(() => set.checkAgainst(core.settings))
      core.useScripts(set)
      follow(set)
      log.reloaded(counted(set.composed.rules.length, 'rule') + restartHint(server.set, set), true)
    } catch (error) {
      // The last valid files stay in use.
      if (!(error instanceof CommandError)) throw error
      log.reloaded(error.message, false)
    }
  }
  let timer: NodeJS.Timeout | undefined
  let reloading = Promise.resolve()
  watcher.on('all', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void (reloading = reloading.then(reload)), debounceMs)
  })
  await new Promise<void>((resolve, reject) => {
    watcher.once('ready', resolve)
    watcher.once('error', reject)
  })
  return {
    async close() {
      clearTimeout(timer)
      await watcher.close()
      await reloading
    },
  }
}

/** The scenario files and the files that their `given` refers to. */
function pathsOf(files: readonly string[], set: ScenarioSet | undefined, cwd: string): string[] {
  const given = (set?.scenarios ?? []).flatMap(({ spec, directory }) =>
    (spec.given?.files ?? []).flatMap(({ content: { file } }) =>
      file === undefined ? [] : [resolve(directory ?? cwd, file)],
    ),
  )
  return [...files.map((file) => resolve(cwd, file)), ...given]
}

/** What a running server does not take from changed files. */
const readAtStart = ['seed', 'clock', 'keys', 'models', 'limits'] as const

function restartHint(started: ScenarioSet | undefined, set: ScenarioSet): string {
  const changed = readAtStart.filter(
    (name) => !isDeepStrictEqual(started?.composed[name], set.composed[name]),
  )
  return changed.length === 0 ? '' : `; restart the server to apply: ${changed.join(', ')}`
}
