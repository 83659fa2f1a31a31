/** The names in settings that only the whole simulator knows: operations, and kinds of findings. */
import { findingCodes } from '../judges/codes.ts'
import { ConfigError } from '../protocol/findings.ts'
import { didYouMean } from '../protocol/nearest-word.ts'
import type { Settings } from '../protocol/settings.ts'
import { fieldPath, show } from '../protocol/wording.ts'
import { matchesOperation } from '../scenario/compile/select.ts'

type NamingSettings = Pick<Settings, 'clientReport' | 'strict'>

/** The names that do not exist. */
export function wrongNames({ clientReport: { off }, strict }: NamingSettings, operations: readonly string[]) {
  const ids: readonly string[] = findingCodes
  const exempt = typeof strict === 'boolean' ? [] : strict.except
  const wrong = (
    path: readonly (string | number)[],
    name: string,
    what: string,
    known: readonly string[],
  ) => ({
    path,
    message: `expected ${what}, got ${show(name)}${didYouMean(name, known, ` (${known.join(', ')})`, '; ')}`,
  })
  return [
    ...off.map((id, index) =>
      ids.includes(id) ? undefined : wrong(['clientReport', 'off', index], id, 'a finding id', ids),
    ),
    ...exempt.map((pattern, index) =>
      operations.some((operation) => matchesOperation(pattern, operation))
        ? undefined
        : wrong(['strict', 'except', index], pattern, 'an operation', operations),
    ),
  ].filter((one) => one !== undefined)
}

/** Throws `ConfigError` for names that do not exist. */
export function checkNames(settings: NamingSettings, operations: readonly string[]): void {
  const wrong = wrongNames(settings, operations)
  const findings = wrong.map(({ path, message }) => ({ field: fieldPath(path), message }))
  if (wrong.length > 0) throw new ConfigError('The settings are invalid', findings)
}
