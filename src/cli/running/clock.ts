/** Runs `gateway-sim clock`: shows, advances, freezes or resumes the clock of a session. */
import type { SimulatorClient } from '../../client.ts'
import type { AdvanceResult, ClockState } from '../../generated/control-types.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { asciiOnly, counted } from '../../text/printable.ts'
import { CommandError, type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { type ClockArgs, clockActions, durationOf } from '../flags.ts'
import { heldText, releaseText } from '../held-requests.ts'
import { clientOf, jsonText, requireSession, resultOf, targetOf } from './control.ts'
import { controlUrlOf, heldOf } from './held.ts'

export async function changeClock(args: ClockArgs, { stdout, env }: Io): Promise<ExitCode> {
  const request = requestOf(args)
  const target = targetOf(args, env)
  const client = clientOf(target, args.session)
  await requireSession(client, target)
  const control = controlUrlOf(target)
  if (args.action === 'advance' || args.action === 'next' || args.action === 'idle') {
    // The server would respond only once the request is released.
    const [held] = await heldOf(client, target)
    if (held !== undefined)
      throw new CommandError(
        exitCodes.failed,
        `The clock is stopped: a request is ${heldText(held)}; ${releaseText(held, control)}`,
      )
  }
  const result = await resultOf(request(client.clock), target)
  if (args.format === 'json') stdout.write(jsonText(result))
  else {
    const held = await heldOf(client, target)
    stdout.write('from' in result ? advanceText(result) : stateText(result))
    for (const one of held)
      stdout.write(`stopped by a request ${heldText(one)}; ${releaseText(one, control)}\n`)
  }
  return exitCodes.ok
}

type Clock = SimulatorClient['clock']

function requestOf({
  action,
  duration,
  speed,
}: ClockArgs): (clock: Clock) => Promise<ClockState | AdvanceResult> {
  if (action !== 'resume' && speed !== undefined) throw usageError('--speed is only valid with `resume`')
  const isKnown = action === undefined || (clockActions as readonly string[]).includes(action)
  if (isKnown && action !== 'advance' && duration !== undefined)
    throw usageError(`Unknown argument: ${duration}. Only advance takes a duration`)
  switch (action) {
    case undefined:
      return (clock) => clock.state()
    case 'advance': {
      if (duration === undefined) throw usageError('advance needs a duration: gateway-sim clock advance 10s')
      const by = durationOf('advance', duration, '10s or 5m')
      return (clock) => clock.advance({ by })
    }
    case 'next':
    case 'idle':
      return (clock) => clock.advance({ to: action })
    case 'freeze':
      return (clock) => clock.freeze()
    case 'resume':
      if (speed !== undefined && (typeof speed !== 'number' || !(speed > 0)))
        throw usageError(`--speed: expected a number above 0, got ${JSON.stringify(speed)}`)
      return (clock) => clock.resume(speed)
    default:
      throw usageError(
        `Expected one of ${clockActions.join(', ')}, got ${JSON.stringify(action)}` +
          didYouMean(action, clockActions, '', '; '),
      )
  }
}

/** `2026-01-01T00:00:00.000Z (manual)` and what is due next. */
export function stateText({ mode, speed, frozen, now, next, in: wait, pending }: ClockState): string {
  const details = [mode, ...(speed === 1 ? [] : [`speed ${speed}`]), ...(frozen ? ['frozen'] : [])]
  return lines([
    `${now} (${details.join(', ')})`,
    next === null ? 'nothing is due' : `next change: ${next} (in ${wait})`,
    ...(pending === 0 ? [] : [`${counted(pending, 'response')} waiting for the clock`]),
  ])
}

export function advanceText({ now, from, fired, more, events, next }: AdvanceResult): string {
  return lines([
    `${from} -> ${now}`,
    ...fired.map(
      ({ at, resource, id, from: before, to }) =>
        `  ${at} ${resource} ${asciiOnly(id)}: ${changeText(statusText(before), statusText(to))}`,
    ),
    ...(more === 0 ? [] : [`  and ${counted(more, 'more change')}`]),
    ...(events === 0 ? [] : [`${counted(events, 'delayed event')} sent`]),
    next === null ? 'nothing is due' : `next change: ${next}`,
  ])
}

const changeText = (before: string, after: string): string =>
  before === after ? `status still ${after}` : `${before} -> ${after}`

const statusText = (status: unknown): string => (status === null ? 'none' : asciiOnly(String(status)))

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('')
