/** The beginning of a session: its sandbox, rules and settings. */
import { defaultStart } from '../engine/clock.ts'
import { parseTimestamp } from '../engine/duration.ts'
import { defined } from '../engine/fields.ts'
import { createSandbox } from '../engine/sandbox.ts'
import { Journal, type JournaledSandbox } from '../exchange/journal.ts'
import type { Settings } from '../protocol/settings.ts'
import { type ScenarioSet, settingsOf } from '../scenario/load/scenario-set.ts'
import { mergedSettings, readSettings } from './read-settings.ts'
import { SessionRules } from './rules.ts'
import type { SessionContext, SessionSpec } from './session-spec.ts'

/** What a session is at its beginning. */
export interface SessionParts {
  sandbox: JournaledSandbox
  rules: SessionRules
  /** Set if its scenarios have keys, models or limits. */
  readonly settings: Settings | undefined
}

/**
 * Creates the parts of a session; `total` counts what all sessions keep.
 * Throws `ConfigError` if its scenarios have impossible settings.
 */
export function createSession(
  context: SessionContext,
  { name, tag }: { readonly name: string; readonly tag: string },
  spec: SessionSpec,
  total: { size: number },
): SessionParts {
  const { settings: common, clock, wall } = context
  const own = spec.scenarios
  const settings = own === undefined ? common : settingsWith(common, context.written, own)
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
      onEvict: () => context.evicted(name),
      total,
    },
  })
  const sandbox = Object.assign(bare, { journal: new Journal(bare.memory) })
  context.begun(sandbox)
  if (mode === 'real') context.drive(sandbox.clock)
  const rules = new SessionRules(context, spec)
  rules.shared?.begin(sandbox, settings)
  own?.begin(sandbox, settings)
  return { sandbox, rules, settings: settings === common ? undefined : settings }
}

/** The simulator's settings with the keys, models and limits of a session's own scenarios over them. */
function settingsWith(common: Settings, written: unknown, { composed }: ScenarioSet): Settings {
  const { seed: _, clock: __, ...over } = settingsOf(composed)
  if (Object.keys(over).length === 0) return common
  // Options of the simulator are in no scenario text.
  const { seed, strict, publicUrl } = common
  return { ...readSettings(mergedSettings(written ?? {}, over)), seed, strict, ...defined({ publicUrl }) }
}
