/** The scenarios of a server: read before it starts, and again when their files change. */
import { resolve } from 'node:path'
import { gatewayApi } from '../../disk/load-scenario.ts'
import type { Simulator } from '../../index.ts'
import { ConfigError } from '../../protocol/config-error.ts'
import { createScenarioSet, type ScenarioSet } from '../../scenario/load/scenario-set.ts'
import { ScenarioError } from '../../scenario/scenario-error.ts'
import { CommandError, exitCodes, type Io } from '../command.ts'
import { mistakesMessage } from '../findings-report.ts'
import { type FileInput, findScenarioFiles, readScenarioFiles, type ScenarioFile } from '../scenario-files.ts'
import { changesBetween } from './scenario-changes.ts'

/**
 * Reads the files as one set; `allowFiles` are folders whose files they may name, besides their own.
 * Throws `CommandError` that lists every mistake.
 */
export async function readScenarioSet(
  files: readonly string[],
  allowFiles: readonly string[],
  io: FileInput,
): Promise<ScenarioSet> {
  const read = await readScenarioFiles(await findScenarioFiles(files, io.cwd), io)
  const mistakes = read.flatMap((file) => file.mistakes)
  if (mistakes.length > 0) throw new CommandError(exitCodes.file, mistakesMessage(mistakes, read))
  return withFileErrors(
    () =>
      createScenarioSet(
        read.flatMap(({ scenario }) => scenario ?? []),
        { ...gatewayApi().reader, allowFiles },
      ),
    read,
  )
}

/** Turns a `ScenarioError` into a `CommandError` that quotes the lines of `files`. */
export function withFileErrors<Result>(act: () => Result, files: readonly ScenarioFile[] = []): Result {
  try {
    return act()
  } catch (error) {
    if (error instanceof ScenarioError)
      throw new CommandError(
        exitCodes.file,
        files.length > 0 && error.findings.length > 0
          ? mistakesMessage(error.findings, files)
          : error.message,
      )
    if (error instanceof ConfigError) throw new CommandError(exitCodes.file, error.message)
    throw error
  }
}

export interface ScenarioWatch {
  readonly files: readonly string[]
  readonly simulator: Pick<Simulator, 'core'>
  /** What the server was started with. */
  readonly set: ScenarioSet
  readonly io: Pick<Io, 'cwd' | 'readStdin'>
  /** Reports what changed, or why the files cannot be used. */
  onReload(message: string, ok: boolean): void
}

/**
 * Applies changed files until it is closed; invalid files leave the last valid ones in use. Resolves when the
 * watch is active.
 */
export async function watchScenarios({
  files,
  simulator: { core },
  set: initial,
  io,
  onReload,
}: ScenarioWatch): Promise<{ close(): Promise<void> }> {
  let current = initial
  let lastError: string | undefined
  const reload = async (): Promise<readonly string[]> => {
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
      if (needRestart.length > 0) messages.push(`${needRestart.join(', ')} changed: restart to apply`)
      if (messages.length > 0) onReload(messages.join('; '), true)
      else if (lastError !== undefined) onReload('valid again, nothing changed', true)
      lastError = undefined
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      // Editors that save in several steps trigger the same error several times.
      if (error.message !== lastError) onReload(error.message, false)
      lastError = error.message
    }
    return watchedPaths(files, current, io.cwd)
  }
  const { watchPaths } = await import('./watch-paths.ts')
  return watchPaths(watchedPaths(files, current, io.cwd), reload)
}

/** The scenario files and the files that their `given` refers to. */
function watchedPaths(files: readonly string[], { scenarios }: ScenarioSet, cwd: string): string[] {
  const given = scenarios.flatMap(({ spec, directory }) =>
    (spec.given?.files ?? []).flatMap(({ content: { file } }) =>
      file === undefined ? [] : [resolve(directory ?? cwd, file)],
    ),
  )
  return [...new Set([...files.map((file) => resolve(cwd, file)), ...given])]
}
