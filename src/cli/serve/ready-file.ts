/** The file that tells scripts when the server is ready. */
import { rename, rm, writeFile } from 'node:fs/promises'
import { CommandError, exitCodes } from '../command.ts'

export interface Ready {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly version: string
  /** The token for the control API, if it requires one. */
  readonly controlToken?: string
}

/** Writes the file atomically. Throws `CommandError` if it cannot be written. */
export async function writeReadyFile(path: string, ready: Ready): Promise<void> {
  const temporary = `${path}.${ready.pid}.tmp`
  try {
    // A token must not be readable for other users.
    await writeFile(
      temporary,
      `${JSON.stringify(ready)}\n`,
      ready.controlToken === undefined ? {} : { mode: 0o600 },
    )
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw unusable(path, error)
  }
}

/** Removes the file if it exists. Throws `CommandError` if it cannot be removed. */
export async function removeReadyFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true })
  } catch (error) {
    throw unusable(path, error)
  }
}

function unusable(path: string, error: unknown): CommandError {
  return new CommandError(
    exitCodes.usage,
    `--ready-file: cannot write ${path} (${error instanceof Error ? error.message : String(error)})`,
  )
}
