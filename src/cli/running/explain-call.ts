/** Runs `gateway-sim explain-call`: asks a running simulator why a call got its reply. */
import { ControlError, connect } from '../../client.ts'
import { CommandError, type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { defaultUrl, type ExplainCallArgs } from '../flags.ts'

export async function explainCall(
  { id, url: given, token: flag, session, controlPrefix, json }: ExplainCallArgs,
  { stdout, env }: Io,
): Promise<ExitCode> {
  const url = given ?? env['GATEWAY_SIM_URL'] ?? defaultUrl
  if (!URL.canParse(url))
    throw usageError(`--url: expected an address such as ${defaultUrl}, got ${JSON.stringify(url)}`)
  const token = flag ?? env['GATEWAY_SIM_CONTROL_TOKEN']
  const simulator = connect(url, { session, token, prefix: controlPrefix })
  const explanation = await simulator.explainCall(id).catch((error: unknown) => {
    if (error instanceof ControlError) throw new CommandError(exitCodes.failed, error.message)
    throw error
  })
  stdout.write(json ? `${JSON.stringify(explanation, null, 2)}\n` : `${explanation.text}\n`)
  return exitCodes.ok
}
