/** What reading scenarios needs from the rest of the simulator. */
import { lazy } from '../../engine/lazy.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import type { ContentSpec } from '../format/given.ts'
import { type ScenarioSchema, scenarioSchema } from '../format/scenario.ts'
import type { Yaml } from './read-nodes.ts'

export interface ScenarioReader {
  readonly vocabulary: Vocabulary
  /** Made when it is first asked for: compiling it takes zod some time. */
  schema(): ScenarioSchema
  readonly disk: Disk
}

/** The files that can be read here; an entry that knows the platform hands it in. */
export interface Disk {
  /** A file, and the directory it is in. Throws `ScenarioError`, also where there are no files. */
  readFile(path: string): { readonly bytes: Uint8Array; readonly directory: string }
  /** The parser of YAML; undefined where it cannot be loaded without waiting. */
  yaml(): Yaml | undefined
  /**
   * The bytes that a scenario gives, or why there are none. Names of files are relative to the directory of
   * the scenario, else to the working directory; `seed` tells generated images apart.
   */
  readContent(content: ContentSpec, seed: string, directory: string | undefined): HeldBytes | string
}

/** A reader of scenarios about these operations. */
export function createReader(vocabulary: Vocabulary, disk: Disk): ScenarioReader {
  return { vocabulary, schema: lazy(() => scenarioSchema(vocabulary)), disk }
}
