/** What reading scenarios needs from the rest of the simulator. */
import { lazy } from '../../engine/fields.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import type { ContentSpec } from '../format/given.ts'
import { type ScenarioSchema, scenarioSchema } from '../format/scenario.ts'
import type { Yaml } from './read-yaml.ts'

export interface ScenarioReader {
  readonly vocabulary: Vocabulary
  /** Made when it is first asked for: compiling it takes zod some time. */
  schema(): ScenarioSchema
  readonly disk: Disk
  /** Folders whose files every scenario may name, beside those of its own. */
  readonly allowFiles: readonly string[]
}

/** Where the files lie that a scenario may name. */
export interface FileFolders {
  /** The one that names are relative to: of the scenario, else the working directory. */
  readonly directory: string | undefined
  readonly allowFiles: readonly string[]
}

/** The files that can be read here; an entry that knows the platform hands it in. */
export interface Disk {
  /** A file, and the directory it is in. Throws `ScenarioError`, also where there are no files. */
  readFile(path: string): { readonly bytes: Uint8Array; readonly directory: string }
  /** The parser of YAML; undefined where it cannot be loaded without waiting. */
  yaml(): Yaml | undefined
  /** The bytes of a file that a scenario names, or why there are none. */
  readNamed(name: string, folders: FileFolders): Uint8Array | string
  /** The bytes that a scenario gives, or why there are none; `seed` tells generated images apart. */
  readContent(content: ContentSpec, seed: string, folders: FileFolders): HeldBytes | string
}

/** A reader of scenarios about these operations. */
export function createReader(vocabulary: Vocabulary, disk: Disk): ScenarioReader {
  return { vocabulary, schema: lazy(() => scenarioSchema(vocabulary)), disk, allowFiles: [] }
}
