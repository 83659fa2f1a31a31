/** Runs `gateway-sim reset`. */
import { createCaller } from '../../client/remote.ts'
import { type ExitCode, exitCodes, type Io } from '../command.ts'
import type { ResetArgs } from '../flags.ts'
import { clientOf, jsonText, resultOf, targetOf } from './control.ts'

export async function resetSession(args: ResetArgs, { stdout, env }: Io): Promise<ExitCode> {
  const { all, session, format } = args
  const target = targetOf(args, env)
  const { baseUrl } = clientOf(target, session)
  const caller = createCaller(baseUrl, target)
  const result = await resultOf(
    caller.post<{ readonly reset: readonly string[] }>('/reset', all ? { all } : {}),
    target,
  )
  stdout.write(format === 'json' ? jsonText(result) : `reset: ${result.reset.join(', ')}\n`)
  return exitCodes.ok
}
