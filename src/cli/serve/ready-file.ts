/** The file of `--ready-file`, which signals readiness to scripts. */
import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Io } from '../command.ts'
import { cannotWrite, writeOutput } from '../output-files.ts'

interface Ready {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly version: string
  /** The token for the control API, if it requires one. */
  readonly controlToken?: string | undefined
}

interface ReadyFile {
  write(ready: Ready): Promise<void>
  /** Removes the file if this process has written it. */
  remove(): Promise<void>
}

/** Removes the file of an earlier run, which would signal readiness too early. */
export async function prepareReadyFile(
  shown: string | undefined,
  io: Pick<Io, 'cwd' | 'pid'>,
): Promise<ReadyFile> {
  if (shown === undefined) return { write: async () => {}, remove: async () => {} }
  const flag = '--ready-file'
  const path = resolve(io.cwd, shown)
  const remove = (): Promise<void> =>
    rm(path, { force: true }).catch((error: unknown) => {
      throw cannotWrite(flag, shown, error)
    })
  await remove()
  return {
    write(ready) {
      // A token must not be readable for other users.
      const mode = ready.controlToken === undefined ? {} : { mode: 0o600 }
      return writeOutput({ flag, shown, ...mode }, `${JSON.stringify(ready)}\n`, io)
    },
    async remove() {
      const text = await readFile(path, 'utf8').catch(() => '')
      if (text.includes(`"pid":${io.pid},`)) await remove()
    },
  }
}
