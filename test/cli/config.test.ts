/** Settings files: empty ones, anchors, and the example of the docs; their transcript has the rest. */
import { describe, expect, it } from 'vitest'
import * as yaml from 'yaml'
import { usedSettings } from '../../src/cli/settings-file.ts'
import { settingsSchema } from '../../src/protocol/settings.ts'
import { readYaml } from '../../src/scenario/load/read-yaml.ts'
import { readSettings } from '../../src/sessions/read-settings.ts'
import { samplesOf } from '../_samples.ts'
import { directoryWith } from './_io.ts'

describe('a config file', () => {
  it('is YAML or JSON and provides exactly its content', async () => {
    const files = directoryWith({
      'a.yaml': 'seed: fox\nclock:\n  mode: manual\n  start: 2026-03-01T00:00:00Z\nkeys:\n  sk-alice: {}\n',
      'a.json':
        '{\n\t"seed": "fox",\n\t"clock": { "mode": "manual", "start": "2026-03-01T00:00:00Z" },\n\t"keys": { "sk-alice": {} }\n}\n',
    })
    const expected = {
      seed: 'fox',
      clock: { mode: 'manual', start: '2026-03-01T00:00:00Z' },
      keys: { 'sk-alice': {} },
    }
    expect((await usedSettings('a.yaml', files)).settings).toEqual(expected)
    expect((await usedSettings('a.json', files)).settings).toEqual(expected)
  })

  it.each(['', '# nothing yet\n', '---\n', '\u{FEFF}{}', 'null'])('may be empty: %j', async (text) => {
    expect(readYaml(yaml, text, settingsSchema())).toEqual({ value: {}, errors: [] })
  })

  it('may use anchors, and may name its schema for editors', async () => {
    const text = '$schema: ../schema/config.schema.json\nmodels:\n  chat: &all [gpt-4o]\n  videos: *all\n'
    expect(readYaml(yaml, text, settingsSchema())).toMatchObject({
      errors: [],
      value: { models: { chat: ['gpt-4o'], videos: ['gpt-4o'] } },
    })
  })
})

describe('docs/ci/shared-server.md', () => {
  it('has an example of gateway-sim.config.yaml that works', () => {
    const example = samplesOf('docs/ci/shared-server.md').find(({ text }) =>
      text.startsWith('# gateway-sim.config'),
    )
    const { value, errors: found } = readYaml(yaml, example?.text ?? '?', settingsSchema())
    expect(found).toEqual([])
    expect(() => readSettings(value)).not.toThrow()
  })
})
