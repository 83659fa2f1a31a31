/** Runs `gateway-sim fault`: adds an override with a fault, or lists or removes all overrides. */
import { defined, isFields, jsonIn } from '../../engine/fields.ts'
import { type ExitCode, type Io, usageError } from '../command.ts'
import { countOf, durationOf, type FaultArgs, faultNames } from '../flags.ts'
import { type ControlCall, clientOf, hasSession, runControl, targetOf } from './control.ts'

export async function changeFaults(args: FaultArgs, io: Io): Promise<ExitCode> {
  const call = callOf(args)
  if (call.creates !== true) return runControl(args, io, call)
  // A fault may be added before the first request of its session.
  const target = targetOf(args, io.env)
  const client = clientOf(target, args.session)
  const isNew = !(await hasSession(client, target))
  const code = await runControl(args, io, call)
  if (isNew) io.stderr.write(`gateway-sim: there was no session ${client.name}: it was created\n`)
  return code
}

function callOf(args: FaultArgs): ControlCall {
  const { fault, list, clear, ttl } = args
  if (list && (clear || fault !== undefined))
    throw usageError('A fault, --list and --clear are mutually exclusive')
  const times = countOf('--times', args.times)
  const nth = countOf('--nth', args.nth)
  const operation = args.operation.length === 0 ? undefined : [...args.operation]
  if ((list || clear) && [operation, times, nth, ttl].some((given) => given !== undefined))
    throw usageError('--operation, --nth, --times and --ttl need a fault')
  if (list) return { name: 'overrides.list', given: [] }
  if (clear && fault !== undefined) return { name: 'overrides.remove', given: [fault] }
  if (clear) return { name: 'overrides.clear', given: [] }
  if (fault === undefined) throw usageError(`Expected --list, --clear or a fault: ${faultNames.join(', ')}`)
  durationOf('--ttl', ttl, '30s or 5m')
  const override = { when: defined({ operation, nth }), ...defined({ times, ttl }), fault: faultOf(fault) }
  return { name: 'overrides.add', given: [override], creates: true }
}

/** A name, or the JSON of a fault with options. */
function faultOf(written: string): unknown {
  if (!written.trimStart().startsWith('{')) return written
  const fault = jsonIn(written)
  if (!isFields(fault)) throw usageError(`Expected a fault as JSON, got ${written}`)
  return fault
}
