/** The file that tells scripts that the server is ready. */
import { rename, rm, writeFile } from 'node:fs/promises'
import { CommandError, exitCodes } from '../command.ts'

export interface Ready {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly version: string
  /** What calls of the control API must carry, where they must carry something. */
  readonly controlToken?: string
}

/** Writes it at once: who sees the file reads all of it. Throws `CommandError` when it cannot be written. */
export async function writeReadyFile(path: string, ready: Ready): Promise<void> {
  const unfinished = `${path}.${ready.pid}.tmp`
  try {
    // Who may read a token may use it.
    await writeFile(
      unfinished,
      `${JSON.stringify(ready)}\n`,
      ready.controlToken === undefined ? {} : { mode: 0o600 },
    )
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw unusable(path, error)
  }
}

/** Takes it away, when there is one. Throws `CommandError` when what stands there cannot be removed. */
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
    `--ready-file: expected a file that can be written, got ${path} (${error instanceof Error ? error.message : String(error)})`,
  )
}
