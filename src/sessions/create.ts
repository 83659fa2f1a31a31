/** What a session is at its beginning, from what was asked for and what the simulator is. */
import { type Clock, type ClockMode, defaultStart } from '../engine/clock.ts'
import { parseTimestamp } from '../engine/duration.ts'
import { defined } from '../engine/fields.ts'
import { createSandbox } from '../engine/sandbox.ts'
import { Journal, type JournaledSandbox } from '../exchange/journal.ts'
import type { SettingsInput } from '../generated/settings-types.ts'
import type { Settings } from '../protocol/settings.ts'
import type { Directing } from '../scenario/director.ts'
import type { ScenarioReader } from '../scenario/load/scenario.ts'
import { type ScenarioSet, settingsOf } from '../scenario/load/scenario-set.ts'
import { readSettings } from './read-settings.ts'
import { SessionRules } from './rules.ts'
import type { SessionParts, SessionSpec, SessionsOptions } from './sessions.ts'

/** What sessions share. */
export interface SessionMakerParts {
  readonly settings: Settings
  /** The settings as they were written, scenarios of the simulator included. */
  readonly written: unknown
  readonly clock: { readonly mode: ClockMode; readonly start: number | undefined; readonly speed: number }
  readonly wall: () => number
  /** Moves a clock of mode `real`. */
  drive(clock: Clock): void
  /** The scenarios of the simulator, as they are in use now. */
  script(): ScenarioSet | undefined
  readonly directing: Directing
  readonly reader: ScenarioReader
  /** Sees each sandbox at its beginning. */
  watch(sandbox: JournaledSandbox): void
  /** Called for each value that had to go in any session. */
  evicted(session: string): void
}

/** Makes sessions. Throws `ConfigError` where the scenarios of one ask for settings that cannot be. */
export function createSessionMaker(parts: SessionMakerParts): SessionsOptions['make'] {
  const { settings: common, clock, wall, script } = parts
  return (name, tag, spec: SessionSpec = {}, total): SessionParts => {
    const own = spec.scenarios
    const settings = own === undefined ? common : settingsWith(common, parts.written, own)
    own?.checkAgainst(settings)
    const mode = spec.clock ?? own?.composed.clock.mode ?? clock.mode
    const start = spec.start ?? parseTimestamp(own?.composed.clock.start) ?? clock.start
    const bare = createSandbox({
      name,
      tag,
      seed: spec.seed ?? own?.composed.seed ?? settings.seed,
      clock: {
        mode,
        start: start ?? (mode === 'real' ? wall() : defaultStart),
        speed: spec.speed ?? own?.composed.clock.speed ?? clock.speed,
        wall,
      },
      memory: {
        count: settings.memory.items,
        size: settings.memory.bytes,
        onEvict: () => parts.evicted(name),
        total,
      },
    })
    const sandbox = Object.assign(bare, { journal: new Journal(bare.memory) })
    parts.watch(sandbox)
    if (mode === 'real') parts.drive(sandbox.clock)
    const inherits = spec.inheritScenarios !== false
    if (inherits) script()?.begin(sandbox, settings)
    own?.begin(sandbox, settings)
    const rules = new SessionRules({
      first: own,
      directing: parts.directing,
      reader: parts.reader,
      inherits,
      shared: script,
    })
    return { sandbox, rules, settings: settings === common ? undefined : settings }
  }
}

/** The simulator's settings with the keys, models and limits of a session's own scenarios over them. */
function settingsWith(common: Settings, written: unknown, { composed }: ScenarioSet): Settings {
  const { seed: _, clock: __, ...over } = settingsOf(composed) as Record<string, unknown>
  if (Object.keys(over).length === 0) return common
  const base = (written ?? {}) as Record<string, unknown>
  const both: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(over))
    both[name] = { ...(base[name] as object | undefined), ...(value as object) }
  // Options of the simulator are in no scenario text.
  const { seed, strict, publicUrl } = common
  return { ...readSettings(both as SettingsInput), seed, strict, ...defined({ publicUrl }) }
}
