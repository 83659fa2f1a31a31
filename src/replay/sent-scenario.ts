/** A scenario as it is sent to a simulator elsewhere: what its clients meet, with the bytes of its files. */
import { base64 } from '../engine/base64.ts'
import type { ScenarioReader } from '../scenario/load/reader.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { createScenarioSet } from '../scenario/load/scenario-set.ts'

/** What is read of a scenario that has been checked. */
interface Written {
  readonly steps?: unknown
  readonly rules?: readonly object[]
  readonly given?: {
    readonly files?: readonly { readonly content: { readonly file?: string } }[]
  }
}

/**
 * The object of the scenario format, without steps. The other machine does not know the name of the file,
 * which rules without an id are called by, and cannot read what lies beside it: both travel.
 */
export function sentScenario(scenario: Scenario, reader: ScenarioReader): Readonly<Record<string, unknown>> {
  const { steps: _, rules, given, ...rest } = scenario.written as Written
  const { ids } = createScenarioSet([scenario], reader).book
  return {
    ...rest,
    ...(rules === undefined ? {} : { rules: rules.map((rule, at) => ({ id: ids[at], ...rule })) }),
    ...(given === undefined ? {} : { given: { ...given, ...filesOf(given, scenario, reader) } }),
  }
}

function filesOf(
  { files }: NonNullable<Written['given']>,
  { directory }: Scenario,
  { disk, allowFiles }: ScenarioReader,
): { readonly files?: readonly object[] } {
  if (files === undefined) return {}
  return {
    files: files.map((file) => {
      const { file: name } = file.content
      if (name === undefined) return file
      const bytes = disk.readNamed(name, { directory, allowFiles })
      // It was there when the scenario was checked: if not, the simulator says that it takes no files.
      return typeof bytes === 'string' ? file : { ...file, content: { base64: base64(bytes) } }
    }),
  }
}
