/** `serve --watch`: applies changed scenario files, and reports changed settings that need a restart. */
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { watch } from 'chokidar'
import type { ScenarioSet } from '../../scenario/load/scenario-set.ts'
import { counted } from '../../text/printable.ts'
import type { CallLog } from '../call-log.ts'
import { CommandError, type Io } from '../command.ts'
import { readScenarioSet, withFileErrors } from '../scenario-files.ts'
import { readSettingsFile } from '../settings-file.ts'
import type { StartedServer } from './start-server.ts'

interface Watched {
  readonly files: readonly string[]
  readonly server: StartedServer
  readonly io: Io
  readonly log: Pick<CallLog, 'reloaded' | 'warn'>
}

/** Editors save in several steps: changes within this many milliseconds are one. */
const debounceMs = 60

/** Watches the files of a server until it is closed. Resolves when the watch is active. */
export async function watchServer(watched: Watched): Promise<{ close(): Promise<void> }> {
  const { server, io, files } = watched
  const { file } = server.settings
  const paths = new Set(file === undefined ? [] : [file.path])
  const watcher = watch([], { ignoreInitial: true, atomic: true })
  const follow = (set: ScenarioSet | undefined): void => {
    const fresh = pathsOf(files, set, io.cwd).filter((path) => !paths.has(path))
    for (const path of fresh) paths.add(path)
    watcher.add(fresh)
  }
  watcher.add([...paths])
  follow(server.set)
  const reload = reloader(watched, follow)
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

/** Reads all files again; the last valid ones stay in use if one is invalid. */
function reloader({ files, server, io, log }: Watched, follow: (set: ScenarioSet) => void) {
  const { core } = server.simulator
  const { file } = server.settings
  let current = server.set
  let { written } = server.settings
  let lastError: string | undefined
  const read = async (): Promise<void> => {
    if (file !== undefined) {
      // Settings are read once.
      const settings = await readSettingsFile(file)
      if (!isDeepStrictEqual(settings, written))
        log.warn(`${file.shown} has changed: restart the server to apply the change`)
      written = settings
    }
    if (current === undefined) return
    const next = await readScenarioSet(files, core.reader.allowFiles, io)
    withFileErrors(() => next.checkAgainst(core.settings))
    core.useScripts(next)
    const message = changeBetween(current, next)
    current = next
    follow(next)
    if (message !== undefined) log.reloaded(message, true)
    else if (lastError !== undefined) log.reloaded('valid again, without changes', true)
  }
  return async (): Promise<void> => {
    try {
      await read()
      lastError = undefined
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      // Editors that save in several steps trigger the same error several times.
      if (error.message !== lastError) log.reloaded(error.message, false)
      lastError = error.message
    }
  }
}

/** Undefined if only comments or steps have changed. */
function changeBetween(before: ScenarioSet, after: ScenarioSet): string | undefined {
  const [old, fresh] = [before.composed, after.composed]
  const names = Object.keys(fresh) as (keyof typeof fresh)[]
  const changed = names.filter((name) => !isDeepStrictEqual(old[name], fresh[name]))
  if (changed.length === 0) return undefined
  const atRestart = changed.filter((name) => ['seed', 'clock', 'keys', 'models', 'limits'].includes(name))
  const restart = atRestart.length === 0 ? '' : `; restart the server to apply: ${atRestart.join(', ')}`
  return `${counted(fresh.rules.length, 'rule')}, changed: ${changed.join(', ')}${restart}`
}
