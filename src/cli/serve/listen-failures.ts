/** Ports that are none, and servers that cannot listen. */
import { CommandError, exitCodes } from '../command.ts'

export function checkPort(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535) return value
  throw new CommandError(
    exitCodes.usage,
    `--port: expected a whole number from 0 to 65535, got ${JSON.stringify(value)}`,
  )
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
    EADDRINUSE: `Port ${port} on ${host} is in use: choose another one with --port (${freePort}).`,
    EACCES: [
      `No permission to listen on port ${port} on ${host}: choose 1024 or above with --port`,
      `(${freePort}).`,
    ].join(' '),
    EADDRNOTAVAIL: `No interface of this machine has the address ${host}: ${otherHost}.`,
    ENOTFOUND: `The host name ${host} cannot be resolved: ${otherHost}.`,
  }
  const { code, syscall } = error as NodeJS.ErrnoException
  const known = code === undefined ? undefined : messages[code]
  if (known !== undefined) return new CommandError(exitCodes.bind, known)
  if (syscall === 'listen' || syscall === 'getaddrinfo' || syscall === 'bind')
    return new CommandError(exitCodes.bind, `Cannot listen on port ${port} on ${host}: ${error.message}`)
  // Only with handlers can `listen` refuse for another reason: msw is missing or too old.
  return handlers === undefined
    ? error
    : new CommandError(exitCodes.file, `--handlers ${handlers}: ${error.message}`)
}
