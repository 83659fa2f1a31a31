/** Runs `gateway-sim explain-call`: asks a running simulator why a call got its response. */
import { ControlError, connect } from '../../client.ts'
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.ts'
import { type ExplainCallArgs, simulatorUrlOf } from '../flags.ts'

export async function explainCall(
  { id, baseUrl, controlToken, session, controlPrefix, format }: ExplainCallArgs,
  { stdout, env }: Io,
): Promise<ExitCode> {
  const token = controlToken ?? env['GATEWAY_SIM_CONTROL_TOKEN']
  const simulator = connect(simulatorUrlOf({ baseUrl }, env), { session, token, prefix: controlPrefix })
  const explanation = await simulator.explainCall(id).catch((error: unknown) => {
    if (error instanceof ControlError) throw new CommandError(exitCodes.failed, error.message)
    throw error
  })
  stdout.write(format === 'json' ? `${JSON.stringify(explanation, null, 2)}\n` : `${explanation.text}\n`)
  return exitCodes.ok
}
