/** Scenario files and settings: as text with letters and lines changed, and as values with places changed. */
import { mutatedJson, mutatedYaml } from './mutate.ts'
import type { Random } from './random.ts'
import type { JsonSchema, Seeds } from './seeds.ts'
import { bytesOf, type CallStep, type FileStep, type SettingsStep } from './steps.ts'

const post = (operation: string, path: string, json: string): CallStep => ({
  kind: 'call',
  operation,
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: bytesOf(json.toWellFormed()),
})

/** A scenario, loaded into the session or given to a new one. */
export function scenario(random: Random, seeds: Seeds): CallStep {
  const { text, value } = random.pick(seeds.scenarios)
  const values = seeds.scenarios.map((other) => other.value)
  if (random.chance(0.5)) {
    const changed = random.chance(0.8)
      ? mutatedYaml(
          random,
          text,
          seeds.scenarios.map((other) => other.text),
        )
      : text
    return post('sim.addScenario', '/__sim/scenarios', JSON.stringify({ text: changed }))
  }
  const json = random.chance(0.8) ? mutatedJson(random, value, values) : JSON.stringify(value)
  return random.chance(0.3)
    ? post('sim.createSession', '/__sim/sessions', `{"scenarios":[${json}]}`)
    : post('sim.addScenario', '/__sim/scenarios', json)
}

/** Settings with one to four keys, each near what it may be. */
export function settings(random: Random, seeds: Seeds): SettingsStep {
  const value: Record<string, unknown> = {}
  for (let left = 1 + random.below(4); left > 0; left--) {
    const [path, schema] = random.pick(seeds.settings)
    put(value, path, settingOf(random, schema))
  }
  const json = random.chance(0.5) ? mutatedJson(random, value, seeds.bodies) : JSON.stringify(value)
  return { kind: 'settings', operation: 'settings', json }
}

/** A file for `validate`, or for `--config`. */
export function file(random: Random, seeds: Seeds): FileStep {
  if (random.chance(0.5)) {
    const texts = seeds.scenarios.map(({ text }) => text)
    return { kind: 'file', operation: 'validate', text: mutatedYaml(random, random.pick(texts), texts) }
  }
  return {
    kind: 'file',
    operation: 'config',
    text: mutatedYaml(random, settings(random, seeds).json, ['clock: { mode: auto }']),
  }
}

function put(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) into[name] = value
  else put((into[name] = isRecord(into[name]) ? into[name] : {}), rest, value)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function settingOf(random: Random, { enum: words, type, default: usual }: JsonSchema): unknown {
  if (words !== undefined) return random.pick(words)
  if (usual !== undefined && random.chance(0.4)) return usual
  if (type === 'boolean') return random.chance(0.5)
  if (type === 'number' || type === 'integer')
    return random.pick([0, 1, 2, 7, 1000, 1e6, 2 ** 31, 2 ** 53, -1, 0.5])
  if (type === 'array') return random.pick([[], ['a'], [1, 2]])
  if (type === 'object') return random.pick([{}, { a: 1 }, { a: {} }])
  return random.pick(['a', '1m', '5s', '2026-01-01T00:00:00Z', 'http://127.0.0.1', '/x', ''])
}
