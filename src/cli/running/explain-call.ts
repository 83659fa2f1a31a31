/** Runs `gateway-sim explain-call`: asks a running simulator why a call got its response. */
import type { ExitCode, Io } from '../command.ts'
import type { ExplainCallArgs } from '../flags.ts'
import { runControl } from './control.ts'

export function explainRequest(args: ExplainCallArgs, io: Io): Promise<ExitCode> {
  return runControl(args, io, { name: 'explainRequest', given: [args.id] })
}
