/** What simulators of the same operations share: reading scenarios and verifying calls. */
import type { EndpointGroup } from '../protocol/endpoint.ts'
import { createVocabulary } from '../protocol/operations.ts'
import { createReader, type Disk, type ScenarioReader } from '../scenario/load/reader.ts'
import { createVerifier, type Verifier } from '../verify/verify.ts'

export interface SimulatedApi {
  readonly groups: readonly EndpointGroup[]
  readonly reader: ScenarioReader
  readonly verifier: Verifier
}

/** The schemas are compiled when they are first needed, and once for all simulators that share them. */
export function createSimulatedApi(groups: readonly EndpointGroup[], disk: Disk): SimulatedApi {
  const vocabulary = createVocabulary(groups)
  return { groups, reader: createReader(vocabulary, disk), verifier: createVerifier(vocabulary) }
}
