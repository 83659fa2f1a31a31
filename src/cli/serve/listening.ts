/** Ports, listen errors, and the file that signals readiness to scripts. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CommandError, exitCodes, fileError, type Io, usageError } from '../command.ts'
import { cannotWrite, writeOutput } from '../output-files.ts'

interface Ready {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly version: string
  /** The token for the control API, if it requires one. */
  readonly controlToken?: string
}

/** The file of `--ready-file`. Throws `CommandError` if it cannot be written or removed. */
interface ReadyFile {
  write(ready: Ready): Promise<void>
  /** Restores the file of an earlier run, which belongs to the server that has the port. */
  putBack(): Promise<void>
  /** Removes the file if this process has written it. */
  remove(): Promise<void>
}

const noFile: ReadyFile = { write: async () => {}, putBack: async () => {}, remove: async () => {} }

/** Removes the file of an earlier run, which would signal readiness too early. */
export async function prepareReadyFile(
  given: string | undefined,
  io: Pick<Io, 'cwd' | 'pid'>,
): Promise<ReadyFile> {
  if (given === undefined) return noFile
  const flag = '--ready-file'
  const path = resolve(io.cwd, given)
  const remove = (): Promise<void> =>
    rm(path, { force: true }).catch((error: unknown) => {
      throw cannotWrite(flag, given, error)
    })
  const [before, facts] = await Promise.all([
    readFile(path, 'utf8').catch(() => undefined),
    stat(path).catch(() => undefined),
  ])
  await remove()
  return {
    write(ready) {
      // A token must not be readable for other users.
      const mode = ready.controlToken === undefined ? {} : { mode: 0o600 }
      return writeOutput({ flag, shown: given, ...mode }, `${JSON.stringify(ready)}\n`, io)
    },
    async putBack() {
      if (before === undefined || facts === undefined) return
      await writeFile(path, before, { mode: facts.mode & 0o777, flag: 'wx' }).catch(() => {})
    },
    async remove() {
      const text = await readFile(path, 'utf8').catch(() => '')
      if (text.includes(`"pid":${io.pid},`)) await remove()
    },
  }
}

export function checkPort(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535) return value
  throw usageError(`--port: expected a whole number from 0 to 65535, got ${JSON.stringify(value)}`)
}

export function describeListenError(
  error: unknown,
  {
    port,
    host,
    handlers,
  }: { readonly port: unknown; readonly host: string; readonly handlers: string | undefined },
): unknown {
  if (!(error instanceof Error)) return error
  const freePort = '--port 0 picks a free one'
  const otherHost = 'omit --host, or use 127.0.0.1, ::1 or 0.0.0.0'
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use: choose another port with --port (${freePort}).`,
    EACCES:
      `No permission to listen on port ${port} on ${host}: choose port 1024 or above with --port ` +
      `(${freePort}).`,
    EADDRNOTAVAIL: `No interface on this machine has the address ${host}: ${otherHost}.`,
    ENOTFOUND: `The host name ${host} cannot be resolved: ${otherHost}.`,
  }
  const { code, syscall } = error as NodeJS.ErrnoException
  const known = code === undefined ? undefined : messages[code]
  if (known !== undefined) return new CommandError(exitCodes.bind, known)
  if (syscall === 'listen' || syscall === 'getaddrinfo' || syscall === 'bind')
    return new CommandError(exitCodes.bind, `Cannot listen on port ${port} on ${host}: ${error.message}`)
  // Only with handlers can `listen` reject for another reason: msw is missing or too old.
  return handlers === undefined ? error : fileError(`--handlers ${handlers}: ${error.message}`)
}
