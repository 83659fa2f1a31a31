/**
 * Scenarios as tests name them, made ready for a simulator in this process or for one on a server, which sees
 * none of the files here.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ScenarioInput } from '../generated/scenario-input.ts'
import { Scenario } from '../scenario/load/scenario.ts'
import type { ScenarioSource } from '../scenario/load/scenario-set.ts'
import { ScenarioError } from '../scenario/scenario-error.ts'
import type { ScenarioText } from '../sessions/options.ts'
import type { TestScenario } from './test-session.ts'

/** For a simulator in this process. */
export function asSource(scenario: TestScenario): ScenarioSource | ScenarioText {
  return scenario instanceof URL ? fileURLToPath(scenario) : scenario
}

/**
 * For a server. Throws `ScenarioError` for a file that cannot be read, and for what can only be handed over
 * in this process.
 */
export function asSent(scenario: TestScenario): ScenarioInput | ScenarioText {
  const source = asSource(scenario)
  if (source instanceof Scenario)
    throw new ScenarioError(
      [
        `${source.name}: a scenario read by loadScenario cannot be sent to a server (GATEWAY_SIM_URL is`,
        'set): give its path or a URL',
      ].join(' '),
    )
  if (typeof source !== 'string') return source
  try {
    return { text: readFileSync(source, 'utf8'), name: source }
  } catch (error) {
    throw new ScenarioError(`${source}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
