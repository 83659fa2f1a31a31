/** The options of a simulator, merged with its scenarios and settings. */
import * as z from 'zod'
import type { ClockMode } from '../engine/clock.ts'
import { parseTimestamp } from '../engine/duration.ts'
import { defined, lazy } from '../engine/fields.ts'
import type { JournalEntry } from '../exchange/exchange.ts'
import type { SettingsInput } from '../generated/settings-types.ts'
import { unknownFindingCodes } from '../judges/codes.ts'
import type { EndpointGroup } from '../protocol/endpoint.ts'
import { ConfigError } from '../protocol/field-errors.ts'
import { createVocabulary } from '../protocol/operations.ts'
import { createRouter, type Router } from '../protocol/router.ts'
import { type Settings, settingsParts } from '../protocol/settings.ts'
import { fieldPath } from '../protocol/wording.ts'
import { createReader, type Disk, type ScenarioReader } from '../scenario/load/scenario.ts'
import {
  createScenarioSet,
  type ScenarioSet,
  type ScenarioSource,
  settingsOf,
} from '../scenario/load/scenario-set.ts'
import { givenScenarios, worldSettings } from '../sessions/options.ts'
import { checked, mergedSettings, readSettings } from '../sessions/read-settings.ts'
import { createVerifier, type Verifier } from '../verify/verify.ts'

export interface SimulatorOptions {
  /** The seed of all randomness. Default: `settings.seed`. */
  readonly seed?: string
  /**
   * The clock mode. Virtual time advances with the wall clock (`real`), when the test advances it (`manual`),
   * or when a job is polled, for that job only (`auto`). Default: `settings.clock.mode`, or `auto`.
   */
  readonly clock?: ClockMode
  /**
   * Virtual time at the start: ISO 8601 with a time zone, or milliseconds since the epoch. Default:
   * 2026-01-01; with a `real` clock, now.
   */
  readonly start?: string | number
  /**
   * Speed of a `real` clock relative to the wall clock: with 60, a minute of virtual time passes each second.
   * Default: 1.
   */
  readonly speed?: number
  /** Settings of the simulated gateway, as in `gateway-sim.config.yaml`. */
  readonly settings?: SettingsInput
  /**
   * Scenarios: file paths, objects of the scenario format, or results of `loadScenario` or
   * `loadRecordings`. Several can be
   * combined.
   */
  readonly scenarios?: readonly ScenarioSource[]
  /** Folders that scenarios may load files from (`file:`), in addition to the scenario's own folder. */
  readonly allowFiles?: readonly string[]
  /**
   * Rejects requests that match no rule, if they generate content or create a job or an upload URL. Default:
   * `settings.strict`.
   */
  readonly strict?: SettingsInput['strict']
  /** The base URL of links in responses. Default: the base URL of the request. */
  readonly publicUrl?: string | undefined
  /** Checks every response against its schema; a mismatch is a bug and returns 500. Default: false. */
  readonly selfCheck?: boolean
  /** Receives warnings, such as those about stalled clocks and internal errors. Default: writes to stderr. */
  readonly onWarning?: (message: string) => void
  /**
   * Called for every request of every session when it is added to the journal, before its response is
   * written. The entry shows the response as it is sent. Must be fast and must not throw.
   */
  readonly onCall?: ((entry: JournalEntry) => void) | undefined
  /** The wall clock in milliseconds, for a `real` clock and `realAt` in the journal. Default: `Date.now`. */
  readonly wallClock?: () => number
}

const optionsSchema = lazy(() => {
  const { strict, publicUrl } = settingsParts()
  const asFunction = z.custom((value) => typeof value === 'function', 'expected a function').optional()
  return z.strictObject({
    ...worldSettings(),
    settings: z.unknown().optional(),
    scenarios: givenScenarios('a path, a scenario object, or the result of loadScenario'),
    allowFiles: z.array(z.string().min(1)).optional(),
    strict: strict.unwrap().optional(),
    publicUrl,
    selfCheck: z.boolean().optional(),
    onWarning: asFunction,
    onCall: asFunction,
    wallClock: asFunction,
  })
})

/** The checked options of a simulator, with defaults. @internal */
export interface SimulatorConfig {
  /** Reads scenarios and the files they may load. */
  readonly reader: ScenarioReader
  readonly settings: Settings
  /** The settings as written, including those of the scenarios. */
  readonly written: unknown
  readonly script: ScenarioSet | undefined
  readonly clock: { readonly mode: ClockMode; readonly start: number | undefined; readonly speed: number }
  readonly selfCheck: boolean
  readonly warn: (message: string) => void
  readonly onCall: SimulatorOptions['onCall']
  readonly wall: () => number
}

/** Throws `ConfigError` or `ScenarioError` that lists every error. @internal */
export function readOptions(options: SimulatorOptions, common: ScenarioReader): SimulatorConfig {
  // Many callers have no compiler that finds errors.
  checked('The options of createSimulator are invalid', optionsSchema(), options)
  const { scenarios = [], allowFiles } = options
  const reader = allowFiles === undefined ? common : { ...common, allowFiles }
  const script = scenarios.length === 0 ? undefined : createScenarioSet(scenarios, reader)
  const written = mergedSettings(
    script === undefined ? {} : settingsOf(script.composed),
    options.settings ?? {},
  )
  const settings = withOptions(readSettings(written), options)
  const wrong = unknownFindingCodes(settings.clientReport.off)
  if (wrong.length > 0)
    throw new ConfigError(
      'The settings are invalid',
      wrong.map(({ path, message }) => ({ field: fieldPath(path), message })),
    )
  script?.checkAgainst(settings)
  return {
    reader,
    settings,
    written,
    script,
    clock: {
      mode: options.clock ?? settings.clock.mode ?? 'auto',
      // It has been checked, so undefined means absent.
      start: parseTimestamp(options.start ?? settings.clock.start),
      speed: options.speed ?? settings.clock.speed,
    },
    selfCheck: options.selfCheck ?? false,
    warn: options.onWarning ?? ((message) => console.warn(`gateway-sim: ${message}`)),
    onCall: options.onCall,
    wall: options.wallClock ?? Date.now,
  }
}

function withOptions(settings: Settings, options: SimulatorOptions): Settings {
  // Paths already start with a slash.
  const publicUrl = (options.publicUrl ?? settings.publicUrl)?.replace(/\/+$/, '')
  return { ...settings, ...defined({ seed: options.seed, strict: options.strict, publicUrl }) }
}

/** Shared by simulators with the same operations: routes, scenario reader and verifier. */
export interface SimulatedApi {
  readonly router: () => Router
  readonly reader: ScenarioReader
  readonly verifier: Verifier
}

/** Schemas are compiled on first use, once for all simulators that share them. */
export function createSimulatedApi(groups: readonly EndpointGroup[], disk: Disk): SimulatedApi {
  const vocabulary = createVocabulary(groups)
  return {
    router: lazy(() => createRouter(groups)),
    reader: createReader(vocabulary, disk),
    verifier: createVerifier(vocabulary),
  }
}
