/** The scenarios of `gateway-sim serve`: read before anything starts, and again when their files change. */
import { resolve } from 'node:path'
import type { Simulator } from '../../index.ts'
import { ConfigError } from '../../protocol/config-error.ts'
import { createScenarioSet, type ScenarioSet } from '../../scenario/load/scenario-set.ts'
import { ScenarioError } from '../../scenario/scenario-error.ts'
import { CommandError, exitCodes, type Io } from '../command.ts'
import { unusable } from '../findings-report.ts'
import { namedFiles, type Reading, readScenarioFiles, type ScenarioFile } from '../scenario-files.ts'
import { changesBetween } from './scenario-changes.ts'

/** Reads the files as one set. Throws `CommandError` with every mistake of every one. */
export async function readScenarioSet(files: readonly string[], io: Reading): Promise<ScenarioSet> {
  const read = await readScenarioFiles(await namedFiles(files, io.cwd), io)
  const wrong = read.flatMap(({ mistakes }) => mistakes)
  if (wrong.length > 0) throw new CommandError(exitCodes.file, unusable(wrong, read))
  return orRefuse(() => createScenarioSet(read.flatMap(({ scenario }) => scenario ?? [])), read)
}

/**
 * Runs what may find mistakes in scenarios; they end the command as mistakes of a file, with its lines where
 * `files` has them.
 */
export function orRefuse<Result>(act: () => Result, files: readonly ScenarioFile[] = []): Result {
  try {
    return act()
  } catch (error) {
    if (error instanceof ScenarioError)
      throw new CommandError(
        exitCodes.file,
        files.length > 0 && error.findings.length > 0 ? unusable(error.findings, files) : error.message,
      )
    if (error instanceof ConfigError) throw new CommandError(exitCodes.file, error.message)
    throw error
  }
}

export interface ScenarioWatch {
  readonly files: readonly string[]
  readonly simulator: Pick<Simulator, 'core'>
  /** What the simulator was started with. */
  readonly set: ScenarioSet
  readonly io: Pick<Io, 'cwd' | 'readStdin'>
  /** Hears of each look at changed files: what changed, or what is wrong with them. */
  told(words: string, ok: boolean): void
}

/**
 * Puts changed files to use until it is closed. Files that cannot be used leave the last good ones in use.
 * Resolves when every change from now on will be seen.
 */
export async function watchScenarios({
  files,
  simulator: { core },
  set: started,
  io,
  told,
}: ScenarioWatch): Promise<{ close(): Promise<void> }> {
  let used = started
  let wrong: string | undefined
  const reload = async (): Promise<readonly string[]> => {
    try {
      const next = await readScenarioSet(files, { cwd: io.cwd, readStdin: () => io.readStdin() })
      orRefuse(() => next.checkAgainst(core.settings))
      const { now, restart } = changesBetween(used.composed, next.composed)
      core.useScripts(next)
      // What needs a restart is told once.
      used = next
      const words = [
        ...now,
        ...(restart.length > 0
          ? [`${restart.join(', ')} changed: restart to use ${restart.length === 1 ? 'it' : 'them'}`]
          : []),
      ]
      if (words.length > 0 || wrong !== undefined)
        told(words.length > 0 ? words.join('; ') : 'all is well again, and as it was', true)
      wrong = undefined
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      // Editors that write in several steps make the same mistake several times.
      if (error.message !== wrong) told(error.message, false)
      wrong = error.message
    }
    return pathsOf(files, used, io.cwd)
  }
  const { watchPaths } = await import('./watch-paths.ts')
  return watchPaths(pathsOf(files, used, io.cwd), reload)
}

/** The files as they were named, and the files that they give. */
function pathsOf(files: readonly string[], { scenarios }: ScenarioSet, cwd: string): string[] {
  const given = scenarios.flatMap(({ written, directory }) =>
    (written.given?.['files'] ?? []).flatMap(({ content }) => {
      const { file } = content as { readonly file?: string }
      return file === undefined ? [] : [resolve(directory ?? cwd, file)]
    }),
  )
  return [...new Set([...files.map((file) => resolve(cwd, file)), ...given])]
}
