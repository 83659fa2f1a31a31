/** The options of a simulator, and what they mean together with its scenarios and settings. */

import type { ClockMode } from '../engine/clock.ts'
import { isFields } from '../engine/fields.ts'
import { parseInstant } from '../engine/instant.ts'
import type { JournalEntry } from '../engine/journal-entry.ts'
import type { SettingsInput } from '../generated/settings-input.ts'
import type { Settings } from '../protocol/settings.ts'
import { checkOptions, readSettings } from '../scenario/load/read-settings.ts'
import type { ScenarioReader } from '../scenario/load/reader.ts'
import {
  createScenarioSet,
  type ScenarioSet,
  type ScenarioSource,
  settingsOf,
} from '../scenario/load/scenario-set.ts'
import type { OnMiss, Recordings } from './recorded-calls.ts'

export interface SimulatorOptions {
  /** The seed of all randomness. Default: `settings.seed`. */
  readonly seed?: string
  /**
   * What moves virtual time: the wall clock (`real`), the test (`manual`), or each poll for the resource it
   * reads (`auto`). Default: `settings.clock.mode`, or `auto`.
   */
  readonly clock?: ClockMode
  /** Virtual time at the start: ISO 8601 with its zone, or milliseconds since the epoch. */
  readonly start?: string | number
  /** How many times faster than the wall clock a `real` clock runs. */
  readonly speed?: number
  /** Settings of the simulated gateway, as in `gateway-sim.config.yaml`. */
  readonly settings?: SettingsInput
  /**
   * What the gateway does instead of its default behaviour: file paths, objects of the scenario format, or
   * results of `loadScenario`. Several can be combined.
   */
  readonly scenarios?: readonly ScenarioSource[]
  /**
   * Folders whose files scenarios may name with `file:`, whoever brings the scenarios from disk; otherwise
   * only the folder of the scenario.
   */
  readonly allowFiles?: readonly string[]
  /** What `loadRecordings` of `gateway-sim/node` has read: such calls get their recorded replies. */
  readonly recordings?: Recordings
  /**
   * What becomes of calls that were not recorded: they are simulated (the default), or refused with the
   * recording that is nearest.
   */
  readonly onMiss?: OnMiss
  /** Refuses calls that create something and match no rule. Default: `settings.strict`. */
  readonly strict?: SettingsInput['strict']
  /** The base address of links in replies. Default: the address that the call was sent to. */
  readonly publicUrl?: string
  /** Checks every reply against its schema; a mismatch is a bug of the simulator and answers 500. */
  readonly selfCheck?: boolean
  /**
   * Receives warnings: a client waits on a clock that nobody moves, or the simulator has a bug. Default:
   * written to standard error.
   */
  readonly onWarning?: (message: string) => void
  /**
   * Called for every call of every session when it is journaled, before its reply is written. Must be fast
   * and must not throw.
   */
  readonly onCall?: (entry: JournalEntry) => void
  /** The wall clock in milliseconds, used for a `real` clock and for `realAt` in the journal. */
  readonly wallClock?: () => number
}

/** What a simulator is made from, checked and with its defaults. @internal */
export interface SimulatorConfig {
  /** Reads scenarios, with the files that they may name. */
  readonly reader: ScenarioReader
  readonly settings: Settings
  /** The settings as they were written, those of the scenarios included. */
  readonly written: unknown
  readonly script: ScenarioSet | undefined
  readonly clock: { readonly mode: ClockMode; readonly start: number | undefined; readonly speed: number }
  readonly recordings: Recordings | undefined
  readonly onMiss: OnMiss
  readonly selfCheck: boolean
  readonly warn: (message: string) => void
  readonly onCall: SimulatorOptions['onCall']
  readonly wall: () => number
}

/** Throws `ConfigError` or `ScenarioError` for what is wrong, every mistake named. @internal */
export function readOptions(options: SimulatorOptions, common: ScenarioReader): SimulatorConfig {
  checkOptions(options)
  const { scenarios = [], allowFiles } = options
  const reader = allowFiles === undefined ? common : { ...common, allowFiles }
  const script = scenarios.length === 0 ? undefined : createScenarioSet(scenarios, reader)
  const written = merged(script === undefined ? {} : settingsOf(script.composed), options.settings ?? {})
  const settings = withOptions(readSettings(written), options)
  script?.checkAgainst(settings)
  return {
    reader,
    settings,
    written,
    script,
    clock: {
      mode: options.clock ?? settings.clock.mode ?? 'auto',
      // It has been checked: what cannot be read was not given.
      start: parseInstant(options.start ?? settings.clock.start),
      speed: options.speed ?? settings.clock.speed,
    },
    recordings: options.recordings,
    onMiss: options.onMiss ?? 'simulate',
    selfCheck: options.selfCheck ?? false,
    warn: options.onWarning ?? ((message) => console.warn(`gateway-sim: ${message}`)),
    onCall: options.onCall,
    wall: options.wallClock ?? Date.now,
  }
}

/**
 * Settings over those of scenarios: what a config file or an option says of a key wins, and the rest stays.
 */
function merged(scenario: SettingsInput, given: unknown): unknown {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return given
  const both: Record<string, unknown> = { ...scenario, ...given }
  for (const [name, value] of Object.entries(scenario)) {
    const own = (given as Record<string, unknown>)[name]
    if (isFields(value) && isFields(own))
      both[name] = name === 'clock' ? { ...value, ...own } : merged(own as SettingsInput, value)
  }
  return both
}

function withOptions(settings: Settings, options: SimulatorOptions): Settings {
  const publicUrl = options.publicUrl ?? settings.publicUrl
  return {
    ...settings,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.strict === undefined ? {} : { strict: options.strict }),
    // Paths begin with a slash of their own.
    ...(publicUrl === undefined ? {} : { publicUrl: publicUrl.replace(/\/+$/, '') }),
  }
}
