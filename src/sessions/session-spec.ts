/** What a session is made of: what it shares with the others, and what it was asked for with. */
import type { Clock, ClockMode } from '../engine/clock.ts'
import type { JournaledSandbox } from '../exchange/journal.ts'
import type { Settings } from '../protocol/settings.ts'
import type { Directing } from '../scenario/director.ts'
import type { ScenarioReader } from '../scenario/load/scenario.ts'
import type { ScenarioSet } from '../scenario/load/scenario-set.ts'

/** What the sessions of a simulator share. */
export interface SessionContext {
  readonly settings: Settings
  /** The settings as written, including those of the simulator's scenarios. */
  readonly written: unknown
  readonly clock: { readonly mode: ClockMode; readonly start: number | undefined; readonly speed: number }
  readonly wall: () => number
  readonly reader: ScenarioReader
  readonly directing: Directing
  /** The scenarios of the simulator, as they are in use now. */
  script(): ScenarioSet | undefined
  /** Moves a clock of mode `real`. */
  drive(clock: Clock): void
  /** Called with each new sandbox. */
  begun(sandbox: JournaledSandbox): void
  /** Called before a sandbox is discarded: its session is deleted or reset. */
  ended(sandbox: JournaledSandbox): void
  /** Called for each session that is evicted, and for each item that is evicted in it. */
  evicted(session: string): void
}

/** The options of a session; the default of each is that of the simulator. */
export interface SessionSpec {
  readonly seed?: string | undefined
  readonly clock?: ClockMode | undefined
  /** Virtual milliseconds since the epoch. */
  readonly start?: number | undefined
  readonly speed?: number | undefined
  readonly scenarios?: ScenarioSet | undefined
  /** False if the scenarios of the simulator do not apply. */
  readonly inheritScenarios?: boolean | undefined
}
