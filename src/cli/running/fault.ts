/** Runs `gateway-sim fault`: adds an override with a fault, or lists or removes all overrides. */
import type { OverrideRequest, SimulatorClient } from '../../client.ts'
import { defined, isFields, jsonIn } from '../../engine/fields.ts'
import type { OverrideState } from '../../generated/control-types.ts'
import { asciiOnly, counted } from '../../text/printable.ts'
import { type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { countOf, durationOf, type FaultArgs, faultNames } from '../flags.ts'
import { clientOf, hasSession, jsonText, requireSession, resultOf, targetOf } from './control.ts'

export async function changeFaults(args: FaultArgs, { stdout, stderr, env }: Io): Promise<ExitCode> {
  const request = requestOf(args)
  const target = targetOf(args, env)
  const client = clientOf(target, args.session)
  const adds = args.fault !== undefined && !args.clear
  if (!adds) await requireSession(client, target)
  // A fault may be added before the first request of its session.
  const isNew = adds && !(await hasSession(client, target))
  const result = await resultOf(request(client.overrides), target)
  if (args.format === 'json') stdout.write(jsonText(result))
  else if (args.clear) stdout.write(`removed ${counted((result as unknown[]).length, 'override')}\n`)
  else {
    const states = Array.isArray(result) ? (result as OverrideState[]) : [result as OverrideState]
    stdout.write(states.length === 0 ? 'no overrides\n' : states.map(overrideText).join(''))
  }
  if (isNew) stderr.write(`gateway-sim: there was no session ${client.name}: it was created\n`)
  return exitCodes.ok
}

type Overrides = SimulatorClient['overrides']

function requestOf(args: FaultArgs): (overrides: Overrides) => Promise<unknown> {
  const { fault, list, clear, ttl } = args
  if (list && (clear || fault !== undefined))
    throw usageError('A fault, --list and --clear are mutually exclusive')
  const times = countOf('--times', args.times)
  const nth = countOf('--nth', args.nth)
  const operation = args.operation.length === 0 ? undefined : [...args.operation]
  if ((list || clear) && [operation, times, nth, ttl].some((given) => given !== undefined))
    throw usageError('--operation, --nth, --times and --ttl need a fault')
  if (list) return (overrides) => overrides.list()
  if (clear)
    return async (overrides) => {
      if (fault !== undefined) return [await overrides.remove(fault)]
      const removed = await overrides.list()
      await overrides.clear()
      return removed
    }
  if (fault === undefined) throw usageError(`Expected --list, --clear or a fault: ${faultNames.join(', ')}`)
  durationOf('--ttl', ttl, '30s or 5m')
  const override = { when: defined({ operation, nth }), ...defined({ times, ttl }), fault: faultOf(fault) }
  return (overrides) => overrides.add(override as OverrideRequest)
}

/** A name, or the JSON of a fault with options. */
function faultOf(written: string): unknown {
  if (!written.trimStart().startsWith('{')) return written
  const fault = jsonIn(written)
  if (!isFields(fault)) throw usageError(`Expected a fault as JSON, got ${written}`)
  return fault
}

/** `override-1: fault disconnect; operation chat.create; answered 0, 1 left`. */
export function overrideText({ id, when, then, answered, left, expires, live }: OverrideState): string {
  const fields = (of: OverrideState['when']): string[] =>
    Object.entries(of).map(([name, value]) => `${name} ${valueText(value)}`)
  const use = `answered ${answered}${left === null ? '' : `, ${left} left`}`
  const end = expires === null ? [] : [`until ${expires}`]
  const words = [...fields(then), ...fields(when), use, ...end, ...(live ? [] : ['over'])]
  return `${asciiOnly(id)}: ${asciiOnly(words.join('; '))}\n`
}

function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
