/** Runs `gateway-sim reset`. */
import { escapeControls } from '../../text/printable.ts'
import { type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import type { ResetArgs } from '../flags.ts'
import { clientOf, jsonText, requireSession, resultOf, targetOf } from './control.ts'
import { allStopsOf, controlUrlOf } from './held.ts'

export async function resetSession(args: ResetArgs, { stdout, stderr, env }: Io): Promise<ExitCode> {
  const { all, session, format } = args
  if (all && session !== undefined) throw usageError('--all and --session are mutually exclusive')
  const target = targetOf(args, env)
  const client = clientOf(target, session)
  if (!all) await requireSession(client, target)
  const names = all ? (await resultOf(client.sessions(), target)).map(({ name }) => name) : [client.name]
  for (const name of names) await resultOf(clientOf(target, name).reset(), target)
  stdout.write(format === 'json' ? jsonText({ reset: names }) : `reset: ${names.join(', ')}\n`)
  for (const { id, operation, left, session: name } of (await allStopsOf(client, target)).breakpoints)
    if (left !== 0 && names.includes(name)) {
      const remedy = `remove it with DELETE ${controlUrlOf(target)}/breakpoints/${id}`
      const text = `${id} (${operation}, session ${name}) is still active; ${remedy}`
      stderr.write(`gateway-sim: ${escapeControls(text)}\n`)
    }
  return exitCodes.ok
}
