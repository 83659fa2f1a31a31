/** Runs `gateway-sim completion`. */
import { basename } from 'node:path'
import { type Command, type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { scripts } from './scripts.ts'

/** Prints the script for a shell; by default, that of `SHELL`. */
export function printCompletion(
  commands: readonly Command[],
  given: string | undefined,
  { env, stdout }: Io,
): ExitCode {
  const shell = given ?? basename(env['SHELL'] ?? '')
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined)
    throw usageError(`Expected one of ${Object.keys(scripts).join(', ')}, got ${JSON.stringify(shell)}`)
  stdout.write(script(commands))
  return exitCodes.ok
}
