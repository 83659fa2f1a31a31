/** Scenarios as a client sends them: a server reads no files, therefore the client does. */
import type { ScenarioInput } from '../../generated/scenario-types.ts'
import { ScenarioError } from '../../scenario/scenario-error.ts'
import type { ScenarioText } from '../options.ts'

/** A path, an object of the scenario format, or its text. */
export type SentScenario = string | ScenarioInput | ScenarioText

/** The scenario with the text of its file. Throws `ScenarioError` if the file cannot be read. @internal */
export function withText(source: SentScenario): ScenarioInput | ScenarioText {
  if (typeof source !== 'string') return source
  // Not imported: a bundler for browsers must not resolve it.
  const fs = globalThis.process?.getBuiltinModule?.('node:fs')
  if (fs === undefined)
    throw new ScenarioError(
      `The scenario ${JSON.stringify(source)} cannot be read: no file system is available. Pass the ` +
        'scenario as an object or as { text }.',
    )
  try {
    return { text: fs.readFileSync(source, 'utf8'), name: source.slice(-maxName) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new ScenarioError(`${source}: ${code === 'ENOENT' ? 'file not found' : message}`)
  }
}

/** The longest name that the control API accepts. */
const maxName = 200
