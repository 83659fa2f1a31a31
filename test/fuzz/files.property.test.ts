/** Settings and files that nobody should write: each is used, or rejected with a reason. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSimulator, type SettingsInput } from '../../src/index.ts'
import { runs, timeout } from '../_counts.ts'
import { post, simulator } from '../_setup.ts'
import { emptyDirectory, run } from '../cli/_io.ts'
import { changedJson, changedYaml } from './_mutations.ts'
import { type JsonSchema, seedsOf } from './_seeds.ts'

const seeds = await seedsOf(simulator())

/** A value near what a setting may be. */
function settingOf({ enum: words, type, default: usual }: JsonSchema): fc.Arbitrary<unknown> {
  if (words !== undefined) return fc.constantFrom(...words)
  const values: Readonly<Record<string, readonly unknown[]>> = {
    boolean: [true, false],
    number: [0, 1, 2, 7, 1000, 1e6, 2 ** 31, 2 ** 53, -1, 0.5],
    array: [[], ['a'], [1, 2]],
    object: [{}, { a: 1 }, { a: {} }],
    string: ['a', '1m', '5s', '2026-01-01T00:00:00Z', 'http://127.0.0.1', '/x', ''],
  }
  const others = values[type === 'integer' ? 'number' : (type ?? 'string')] ?? []
  return fc.constantFrom(...others, ...(usual === undefined ? [] : [usual]))
}

const setting = fc
  .constantFrom(...seeds.settings)
  .chain(([path, schema]) => settingOf(schema).map((value) => ({ path, value })))
const settings = fc.array(setting, { minLength: 1, maxLength: 4, size: 'max' }).map((list) => {
  const whole: Record<string, unknown> = {}
  for (const { path, value } of list) put(whole, path, value)
  return whole
})
const settingsText = fc.oneof(
  settings.map((one) => JSON.stringify(one)),
  changedJson(settings, seeds.bodies),
)

function put(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) into[name] = value
  else put((into[name] = isRecord(into[name]) ? into[name] : {}), rest, value)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

it('settings are used, or rejected with reasons', { timeout }, async () => {
  const property = fc.asyncProperty(settingsText, async (text) => {
    let given: SettingsInput
    try {
      given = JSON.parse(text) as SettingsInput
    } catch {
      return
    }
    let sim: ReturnType<typeof createSimulator>
    try {
      sim = createSimulator({ settings: given, onWarning() {} })
    } catch (error) {
      expect(error).toMatchObject({ name: 'ConfigError', message: expect.stringMatching(/.{20}/) })
      return
    }
    const response = await post(sim, '/v1/videos', { model: 'video-1', prompt: 'a fox' })
    expect(response.status).toBeLessThan(500)
    await sim.close()
  })
  await fc.assert(property, runs(1000))
})

const scenario = fc.record({
  name: fc.constant('scenario.yaml'),
  text: changedYaml(seeds.scenarios.map(({ text }) => text)),
})
const config = fc.record({
  name: fc.constant('gateway-sim.config.yaml'),
  text: settingsText.chain((text) => changedYaml([text, 'clock: { mode: auto }'])),
})

it('a command reads a file, or says what is wrong with it', { timeout }, async () => {
  const good = 'title: Nothing happens\nrules: []\n'
  const property = fc.asyncProperty(fc.oneof(scenario, config), async ({ name, text }) => {
    const cwd = emptyDirectory()
    writeFileSync(join(cwd, 'scenario.yaml'), good)
    writeFileSync(join(cwd, name), text)
    const { code, stdout, stderr } = await run(['validate', 'scenario.yaml'], { cwd })
    expect(code).toBeLessThanOrEqual(3)
    expect(stdout + stderr).not.toMatch(/^ {4}at .*:\d+:\d+|node:internal|is a bug/m)
    expect(stdout + stderr).not.toBe('')
  })
  await fc.assert(property, runs(400))
})
