/** Runs `gateway-sim clock`: shows, advances, freezes or resumes the clock of a session. */
import type { SimulatorClient } from '../../client.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { CommandError, type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { type ClockArgs, clockActions, durationOf } from '../flags.ts'
import { heldText, releaseText } from '../held-requests.ts'
import { type ControlCall, clientOf, runControl, targetOf } from './control.ts'

export async function changeClock(args: ClockArgs, io: Io): Promise<ExitCode> {
  const call = callOf(args)
  const target = targetOf(args, io.env)
  const held = await heldIn(clientOf(target, args.session))
  if (held === undefined) return runControl(args, io, call)
  const control = `${target.url.replace(/\/s\/[^/]+$/, '')}${controlPrefix}`
  const why = `a request is ${heldText(held)}; ${releaseText(held, control)}`
  // The server would respond only once the request is released.
  if (call.name === 'clock.advance') throw new CommandError(exitCodes.failed, `The clock is stopped: ${why}`)
  io.stderr.write(`gateway-sim: the clock is stopped: ${why}\n`)
  return runControl(args, io, call)
}

function callOf({ action, duration, speed }: ClockArgs): ControlCall {
  if (action !== 'resume' && speed !== undefined) throw usageError('--speed is only valid with `resume`')
  const isKnown = action === undefined || (clockActions as readonly string[]).includes(action)
  if (isKnown && action !== 'advance' && duration !== undefined)
    throw usageError(`Unknown argument: ${duration}. Only advance takes a duration`)
  switch (action) {
    case undefined:
      return { name: 'clock.state', given: [] }
    case 'advance':
      if (duration === undefined) throw usageError('advance needs a duration: gateway-sim clock advance 10s')
      return { name: 'clock.advance', given: [durationOf('advance', duration, '10s or 5m')] }
    case 'next':
    case 'idle':
      return { name: 'clock.advance', given: [{ to: action }] }
    case 'freeze':
      return { name: 'clock.freeze', given: [] }
    case 'resume':
      if (speed !== undefined && (typeof speed !== 'number' || !(speed > 0)))
        throw usageError(`--speed: expected a number above 0, got ${JSON.stringify(speed)}`)
      return { name: 'clock.resume', given: [speed] }
    default:
      throw usageError(
        `Expected one of ${clockActions.join(', ')}, got ${JSON.stringify(action)}` +
          didYouMean(action, clockActions, '', '; '),
      )
  }
}

/** The first request of a session that is held; none of a server that does not list them. */
async function heldIn({ name, breakpoints }: SimulatorClient) {
  const { held } = await breakpoints.list().catch(() => ({ held: [] }))
  return held.find((one) => one.session === name && !one.clientLeft)
}
