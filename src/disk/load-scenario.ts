/** `loadScenario`, and the reader that it shares with simulators. */
import { createSimulatedApi, type SimulatedApi } from '../core/simulator-options.ts'
import { serviceGroups } from '../endpoints/registry.ts'
import { lazy } from '../engine/fields.ts'
import { type Scenario, scenarioOf, textOf } from '../scenario/load/scenario.ts'
import { disk, nodeModule, unreadable } from './disk.ts'

/** The operations of the gateway, and the files of this machine. @internal */
export const gatewayApi: () => SimulatedApi = lazy(() => createSimulatedApi(serviceGroups, disk))

/**
 * Reads a scenario file (YAML or JSON). Throws `ScenarioError` when the file does not exist or is invalid,
 * listing every error with its line and column.
 *
 * @example
 * const sim = createSimulator({ scenarios: [await loadScenario('scenarios/overloaded.yaml')] })
 */
export async function loadScenario(file: string | URL): Promise<Scenario> {
  const { readFile } = nodeModule<typeof import('node:fs/promises')>('node:fs/promises', String(file))
  const { fileURLToPath } = nodeModule<typeof import('node:url')>('node:url', String(file))
  const { dirname } = nodeModule<typeof import('node:path')>('node:path', String(file))
  const path = file instanceof URL ? fileURLToPath(file) : file
  let bytes: Uint8Array
  try {
    bytes = await readFile(path)
  } catch (error) {
    throw unreadable(path, error)
  }
  return scenarioOf(textOf(bytes, path), path, dirname(path), await import('yaml'), gatewayApi().reader)
}
