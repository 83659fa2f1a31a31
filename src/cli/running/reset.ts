/** Runs `gateway-sim reset`. */
import { type ExitCode, type Io, usageError } from '../command.ts'
import type { ResetArgs } from '../flags.ts'
import { runControl } from './control.ts'

export function resetSession(args: ResetArgs, io: Io): Promise<ExitCode> {
  const { all, session } = args
  if (all && session !== undefined) throw usageError('--all and --session are mutually exclusive')
  return runControl(args, io, { name: 'reset', given: [{ all }], creates: all })
}
