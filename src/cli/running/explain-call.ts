/** Runs `gateway-sim explain-call`: asks a running simulator why a call got its response. */
import { type ExitCode, exitCodes, type Io } from '../command.ts'
import type { ExplainCallArgs } from '../flags.ts'
import { clientOf, jsonText, requireSession, resultOf, targetOf } from './control.ts'
import { explanationText } from './journal.ts'

export async function explainRequest(args: ExplainCallArgs, { stdout, env }: Io): Promise<ExitCode> {
  const target = targetOf(args, env)
  const client = clientOf(target, args.session)
  await requireSession(client, target)
  const explanation = await resultOf(client.explainRequest(args.id), target)
  stdout.write(args.format === 'json' ? jsonText(explanation) : `${explanationText(explanation)}\n`)
  return exitCodes.ok
}
