/** The file that tells scripts when the server is ready. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { cannotWrite, writeOutput } from '../write-output.ts'

export interface Ready {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly version: string
  /** The token for the control API, if it requires one. */
  readonly controlToken?: string
}

/** Throws `CommandError` if the file cannot be written. */
export function writeReadyFile(path: string, ready: Ready): Promise<void> {
  const { pid, controlToken } = ready
  return writeOutput(
    // A token must not be readable for other users.
    { ...outputOf(path), pid, ...(controlToken === undefined ? {} : { mode: 0o600 }) },
    `${JSON.stringify(ready)}\n`,
  )
}

/**
 * Removes the file of an earlier run, which would signal readiness too early. Returns how to put it back: it
 * may belong to another server. Throws `CommandError` if it cannot be removed.
 */
export async function setReadyFileAside(path: string): Promise<() => Promise<void>> {
  const [before, facts] = await Promise.all([
    readFile(path, 'utf8').catch(() => undefined),
    stat(path).catch(() => undefined),
  ])
  await remove(path)
  return async () => {
    if (before === undefined || facts === undefined) return
    await writeFile(path, before, { mode: facts.mode & 0o777, flag: 'wx' }).catch(() => {})
  }
}

/** Removes the file if this process has written it. Throws `CommandError` if it cannot be removed. */
export async function removeReadyFile(path: string, pid: number): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => '')
  if (text.includes(`"pid":${pid},`)) await remove(path)
}

async function remove(path: string): Promise<void> {
  try {
    await rm(path, { force: true })
  } catch (error) {
    throw cannotWrite(outputOf(path), error)
  }
}

const outputOf = (path: string) => ({ path, flag: '--ready-file', shown: path })
