/** Settings from a plain object, with every mistake named at once. Knows nothing of files. */
import { settingsSchema, type Settings } from './protocol/settings.ts'
import { findings, type Finding } from './protocol/wording.ts'

/** The script is wrong: settings or a scenario cannot be used. Nothing starts. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly findings: readonly Finding[]

  constructor(message: string, found: readonly Finding[] = []) {
    super(message)
    this.findings = found
  }
}

/** The settings with defaults. Throws `ScenarioError` with one finding per mistake. @internal */
export function readSettings(input: unknown): Settings {
  const result = settingsSchema.safeParse(input)
  if (result.success) return result.data
  const found = findings(result.error, input)
  throw new ScenarioError(`The settings are wrong:\n${found.map(({ field, message }) => `  ${field === '' ? '(top level)' : field}: ${message}`).join('\n')}`, found)
}
