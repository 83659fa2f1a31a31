/** The settings of a server: flags override the config file. */

import type { SettingsInput } from '../../generated/settings-input.ts'
import { findings } from '../../protocol/findings.ts'
import { settingsSchema } from '../../protocol/settings.ts'
import { CommandError, exitCodes } from '../command.ts'
import { findConfig } from './find-config.ts'

/** The values of flags that are settings; undefined if a flag was not given. */
export interface SettingsFlags {
  readonly seed: string | undefined
  readonly clock: string | undefined
  readonly speed: unknown
  readonly start: string | undefined
  readonly publicUrl: string | undefined
  readonly control?: {
    readonly token?: string | undefined
    readonly origins?: readonly string[] | undefined
    readonly hosts?: readonly string[] | undefined
    readonly metrics?: true | undefined
  }
  readonly strict?: true | undefined
  readonly explain?: true | undefined
}

/** Merges and checks them. Throws `CommandError` that lists every mistake of the flags, or of the file. */
export async function settingsOf(
  flags: SettingsFlags,
  config: string | undefined,
  cwd: string,
): Promise<SettingsInput> {
  const clock = definedFields({ mode: flags.clock, start: flags.start, speed: flags.speed })
  const control = definedFields(flags.control ?? {})
  const fromFlags = definedFields({
    seed: flags.seed,
    clock: Object.keys(clock).length === 0 ? undefined : clock,
    publicUrl: flags.publicUrl,
    strict: flags.strict,
    explain: flags.explain,
    control: Object.keys(control).length === 0 ? undefined : control,
  })
  const result = settingsSchema.safeParse(fromFlags)
  if (!result.success) {
    const mistakes = findings(result.error, fromFlags).map(
      // Of a flag that is repeated, the message quotes the value.
      ({ field, message }) => `${flagOf[field.replace(/\[\d+\]$/, '')] ?? field}: ${message}`,
    )
    throw new CommandError(exitCodes.usage, mistakes.join('\n             '))
  }
  const path = findConfig(config, cwd)
  const fromFile =
    path === undefined ? {} : await import('./read-config.ts').then(({ readConfig }) => readConfig(path))
  // `--strict` turns strict mode on, but keeps the file's options for it.
  const strict =
    flags.strict !== undefined && typeof fromFile.strict === 'object' ? { strict: fromFile.strict } : {}
  return {
    ...fromFile,
    ...fromFlags,
    ...strict,
    clock: { ...fromFile.clock, ...clock },
    ...(fromFlags['control'] === undefined ? {} : { control: { ...fromFile.control, ...control } }),
  }
}

/** The flag of each setting, for error messages. */
const flagOf: Readonly<Record<string, string>> = {
  seed: '--seed',
  'clock.mode': '--clock',
  'clock.start': '--start',
  'clock.speed': '--speed',
  publicUrl: '--public-url',
  'control.token': '--control-token or GATEWAY_SIM_CONTROL_TOKEN',
  'control.origins': '--control-origin',
  'control.hosts': '--control-host',
}

function definedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
