/** `serve --watch`: applies changed scenario files, and reports changed settings that need a restart. */
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { watch } from 'chokidar'
import { grouped } from '../../engine/fields.ts'
import type { Composed, ScenarioSet } from '../../scenario/load/scenario-set.ts'
import type { CallLog } from '../call-log.ts'
import { CommandError, type Io } from '../command.ts'
import { readScenarioSet, withFileErrors } from '../scenario-files.ts'
import { readSettingsFile } from '../settings-file.ts'
import type { ServerSettings, StartedServer } from './start-server.ts'

interface Watched {
  readonly files: readonly string[]
  readonly server: StartedServer
  readonly io: Pick<Io, 'cwd' | 'readStdin'>
  readonly log: Pick<CallLog, 'reloaded' | 'warn'>
}

/** Watches the files of a server until it is closed. Resolves when the watch is active. */
export function watchServer({ files, server, io, log }: Watched): Promise<{ close(): Promise<void> }> {
  const { set, settings } = server
  const reloadSettings = settingsReload(settings, log)
  const reloadScenarios = set === undefined ? undefined : scenarioReload(files, set, { server, io, log })
  const watchedPaths = (scenarios: ScenarioSet | undefined): string[] => [
    ...pathsOf(files, scenarios, io.cwd),
    ...(settings.file === undefined ? [] : [settings.file.path]),
  ]
  return watchPaths(watchedPaths(set), async () => {
    await reloadSettings()
    return watchedPaths(await reloadScenarios?.())
  })
}

/** The scenario files and the files that their `given` refers to. */
function pathsOf(files: readonly string[], set: ScenarioSet | undefined, cwd: string): string[] {
  const given = (set?.scenarios ?? []).flatMap(({ spec, directory }) =>
    (spec.given?.files ?? []).flatMap(({ content: { file } }) =>
      file === undefined ? [] : [resolve(directory ?? cwd, file)],
    ),
  )
  return [...new Set([...files.map((file) => resolve(cwd, file)), ...given])]
}

/** Settings are read once: a changed file only logs what a restart would apply. */
function settingsReload({ file, written }: ServerSettings, { warn }: Watched['log']): () => Promise<void> {
  let last = written
  let lastError: string | undefined
  return async () => {
    if (file === undefined) return
    try {
      const next = await readSettingsFile(file)
      const names = [...new Set([...Object.keys(last), ...Object.keys(next)])] as (keyof typeof next)[]
      const changed = names.filter((name) => !isDeepStrictEqual(last[name], next[name]))
      if (changed.length > 0)
        warn(`${file.shown} has changed (${changed.join(', ')}): restart the server to apply the change`)
      last = next
      lastError = undefined
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      if (error.message !== lastError) warn(`${error.message}\nThe current settings stay in use.`)
      lastError = error.message
    }
  }
}

function scenarioReload(
  files: readonly string[],
  initial: ScenarioSet,
  { server, io, log }: Omit<Watched, 'files'>,
): () => Promise<ScenarioSet> {
  const { core } = server.simulator
  let current = initial
  let lastError: string | undefined
  return async () => {
    try {
      const next = await readScenarioSet(files, core.reader.allowFiles, {
        cwd: io.cwd,
        readStdin: () => io.readStdin(),
      })
      withFileErrors(() => next.checkAgainst(core.settings))
      const { applied, needRestart } = changesBetween(current.composed, next.composed)
      core.useScripts(next)
      current = next
      const messages = [...applied]
      if (needRestart.length > 0)
        messages.push(`${needRestart.join(', ')} changed: restart the server to apply the change`)
      if (messages.length > 0) log.reloaded(messages.join('; '), true)
      else if (lastError !== undefined) log.reloaded('valid again, without changes', true)
      lastError = undefined
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      // Editors that save in several steps trigger the same error several times.
      if (error.message !== lastError) log.reloaded(error.message, false)
      lastError = error.message
    }
    return current
  }
}

interface ScenarioChanges {
  /** Changes in effect: `rule a changed`, `rule b added`. */
  readonly applied: readonly string[]
  /** Parts that only change with a restart. */
  readonly needRestart: readonly string[]
}

/** Compares everything but the steps, which a server does not use. */
function changesBetween(before: Composed, after: Composed): ScenarioChanges {
  const differs = (part: (composed: Composed) => unknown): boolean =>
    !isDeepStrictEqual(part(before), part(after))
  const [old, fresh] = [before, after].map(({ rules }) => new Map(rules.map((rule) => [rule.id, rule])))
  const all = [...new Set([...(fresh?.keys() ?? []), ...(old?.keys() ?? [])])]
  const changes = grouped(all, (id) => {
    if (!old?.has(id)) return 'added'
    if (!fresh?.has(id)) return 'removed'
    return isDeepStrictEqual(old.get(id), fresh.get(id)) ? 'kept' : 'changed'
  })
  const kept = (composed: Composed): unknown =>
    composed.rules.map(({ id }) => id).filter((id) => old?.has(id) && fresh?.has(id))
  const parts: Readonly<Record<string, (composed: Composed) => unknown>> = {
    seed: ({ seed }) => seed,
    clock: ({ clock }) => clock,
    keys: ({ keys }) => keys,
    models: ({ models }) => models,
    limits: ({ limits }) => limits,
  }
  return {
    applied: [
      ...(['changed', 'added', 'removed'] as const).flatMap((change) =>
        rulesThat(change, changes.get(change) ?? []),
      ),
      ...(differs(kept) ? ['rules reordered'] : []),
      ...(differs(({ flags }) => flags) ? ['initial flags changed'] : []),
      ...(differs(({ given }) => given)
        ? ['`given` changed (applies to new sessions and after a reset)']
        : []),
    ],
    needRestart: Object.entries(parts).flatMap(([name, part]) => (differs(part) ? [name] : [])),
  }
}

/** More rules than these are counted, not named. */
const maxNamed = 4

function rulesThat(change: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return []
  const shown = ids.slice(0, maxNamed).join(', ')
  const rest = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : ''
  return [`rule${ids.length === 1 ? '' : 's'} ${shown}${rest} ${change}`]
}

/** Editors save in several steps: changes within this many milliseconds are one. */
const debounceMs = 60

/** Calls `onChange` after each change, never concurrently; it returns the paths to watch from then on. */
async function watchPaths(
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
