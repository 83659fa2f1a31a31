/** The settings of one `serve`: those of the flags over those of the config file. */

import { findings } from '../../protocol/findings.ts'
import { settingsSchema } from '../../protocol/settings.ts'
import type { SettingsInput } from '../../protocol/settings-input.ts'
import { CommandError, exitCodes } from '../command.ts'
import { findConfig } from './find-config.ts'

/** The flags that are settings, as they were written; undefined where a flag was not given. */
export interface SettingsFlags {
  readonly seed: string | undefined
  readonly clock: string | undefined
  readonly speed: unknown
  readonly start: string | undefined
  readonly publicUrl: string | undefined
  readonly controlToken?: string | undefined
  /** Undefined where the flag was not given, which leaves it to the file. */
  readonly strict?: true | undefined
  readonly explain?: true | undefined
}

/**
 * Settings that the schema accepts. Throws `CommandError` with every mistake of the flags, or every one of
 * the file.
 */
export async function settingsOf(
  flags: SettingsFlags,
  config: string | undefined,
  cwd: string,
): Promise<SettingsInput> {
  const clock = given({ mode: flags.clock, start: flags.start, speed: flags.speed })
  const flagged = given({
    seed: flags.seed,
    clock: Object.keys(clock).length === 0 ? undefined : clock,
    publicUrl: flags.publicUrl,
    strict: flags.strict,
    explain: flags.explain,
    control: flags.controlToken === undefined ? undefined : { token: flags.controlToken },
  })
  const result = settingsSchema.safeParse(flagged)
  if (!result.success) {
    const mistakes = findings(result.error, flagged).map(
      ({ field, message }) => `${flagOf[field] ?? field}: ${message}`,
    )
    throw new CommandError(exitCodes.usage, mistakes.join('\n             '))
  }
  const path = findConfig(config, cwd)
  const filed =
    path === undefined ? {} : await import('./read-config.ts').then(({ readConfig }) => readConfig(path))
  // The flag asks for strictness; what the file takes out of it stays out.
  const strict =
    flags.strict !== undefined && typeof filed.strict === 'object' ? { strict: filed.strict } : {}
  const control =
    flags.controlToken === undefined ? {} : { control: { ...filed.control, token: flags.controlToken } }
  return { ...filed, ...flagged, ...strict, ...control, clock: { ...filed.clock, ...clock } }
}

/** Where a setting that is wrong came from. */
const flagOf: Readonly<Record<string, string>> = {
  seed: '--seed',
  'clock.mode': '--clock',
  'clock.start': '--start',
  'clock.speed': '--speed',
  publicUrl: '--public-url',
  'control.token': '--control-token',
}

function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
