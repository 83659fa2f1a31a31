/** The controls of a session in this process, made from the table. */
import type { ClockMode } from '../../engine/clock.ts'
import { SimulatorClosedError, throwingConfigErrors } from '../session-errors.ts'
import { implementations } from './all.ts'
import {
  at,
  type ControlContext,
  type ControlParts,
  type Implementation,
  type LocalControls,
  mapControls,
} from './control.ts'
import { controls } from './table.ts'

type TableControls = LocalControls<typeof controls>

/** The clock of a session. */
export interface SimulatorClock extends LocalControls<typeof controls.clock> {
  readonly mode: ClockMode
}

/** What sessions of the library need: they outlive their simulator. @internal */
export interface ClosingParts extends ControlParts {
  readonly isClosed: boolean
}

/** The controls of a session. */
export interface SessionControls extends Omit<TableControls, 'clock'> {
  readonly clock: SimulatorClock
}

/** The controls of a session, looked up by name at each use, so that a deleted one says so. @internal */
export function sessionControls(name: string, parts: ClosingParts): SessionControls {
  const context = contextOf(name, parts)
  const local = localControls(context, controls, implementations) as unknown as TableControls
  const clock = Object.defineProperty(local.clock, 'mode', {
    get: () => context().session.sandbox.clock.mode,
    enumerable: true,
  }) as SimulatorClock
  return { ...local, clock }
}

/** Finds the session of a name, at each use. @internal */
export function contextOf(name: string, parts: ClosingParts): () => ControlContext {
  return () => {
    if (parts.isClosed) throw new SimulatorClosedError()
    return { session: parts.sessions.get(name), parts, caller: 'library' }
  }
}

/** The functions of a table of controls. @internal */
export function localControls(context: () => ControlContext, table: object, implemented: object) {
  return mapControls(table, (_control, place) => {
    const { act } = at(implemented, place) as Implementation
    return (...args) => throwingConfigErrors(() => act(context(), ...args))
  })
}
