/** Runs `gateway-sim reset`. */
import { type ExitCode, exitCodes, type Io } from '../command.ts'
import type { ResetArgs } from '../flags.ts'
import { clientOf, jsonText, requireSession, resultOf, targetOf } from './control.ts'

export async function resetSession(args: ResetArgs, { stdout, env }: Io): Promise<ExitCode> {
  const { all, session, format } = args
  const target = targetOf(args, env)
  const client = clientOf(target, session)
  if (!all) await requireSession(client, target)
  const names = all ? (await resultOf(client.sessions(), target)).map(({ name }) => name) : [client.name]
  for (const name of names) await resultOf(clientOf(target, name).reset(), target)
  const result = { reset: names }
  stdout.write(format === 'json' ? jsonText(result) : `reset: ${result.reset.join(', ')}\n`)
  return exitCodes.ok
}
