/** A scenario as it is sent to a simulator elsewhere: what its clients meet, with the bytes of its files. */
import { base64 } from '../engine/base64.ts'
import type { ScenarioReader } from '../scenario/load/reader.ts'
import type { Scenario } from '../scenario/load/scenario.ts'

/** What is read of a scenario that has been checked. */
interface Written {
  readonly steps?: unknown
  readonly given?: {
    readonly files?: readonly { readonly content: { readonly file?: string } }[]
  }
}

/** The object of the scenario format, without steps. The other machine cannot read files: they travel. */
export function sentScenario(
  { written, directory }: Scenario,
  { disk, allowFiles }: Pick<ScenarioReader, 'disk' | 'allowFiles'>,
): Readonly<Record<string, unknown>> {
  const { steps: _, given, ...rest } = written as Written
  if (given?.files === undefined) return { ...rest, ...(given === undefined ? {} : { given }) }
  const files = given.files.map((file) => {
    const { file: name } = file.content
    if (name === undefined) return file
    const bytes = disk.readNamed(name, { directory, allowFiles })
    // It was there when the scenario was checked: if not, the simulator says that it takes no files.
    return typeof bytes === 'string' ? file : { ...file, content: { base64: base64(bytes) } }
  })
  return { ...rest, given: { ...given, files } }
}
