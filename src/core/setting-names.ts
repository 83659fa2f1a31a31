/** The names in settings that only the whole simulator knows: the kinds of findings. */
import { findingCodes } from '../judges/codes.ts'
import { ConfigError } from '../protocol/findings.ts'
import { didYouMean } from '../protocol/nearest-word.ts'
import type { Settings } from '../protocol/settings.ts'
import { fieldPath, show } from '../protocol/wording.ts'

type NamingSettings = Pick<Settings, 'clientReport'>

/** The names that do not exist. */
export function wrongNames({ clientReport: { off } }: NamingSettings) {
  const ids: readonly string[] = findingCodes
  return off.flatMap((id, index) => {
    if (ids.includes(id)) return []
    const meant = didYouMean(id, ids, ` (${ids.join(', ')})`, '; ')
    return [
      { path: ['clientReport', 'off', index], message: `expected a finding id, got ${show(id)}${meant}` },
    ]
  })
}

/** Throws `ConfigError` for names that do not exist. */
export function checkNames(settings: NamingSettings): void {
  const wrong = wrongNames(settings)
  const findings = wrong.map(({ path, message }) => ({ field: fieldPath(path), message }))
  if (wrong.length > 0) throw new ConfigError('The settings are invalid', findings)
}
