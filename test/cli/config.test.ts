import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as yaml from 'yaml'
import { findSettingsFile, readSettingsFile } from '../../src/cli/settings-file.ts'
import { settingsSchema } from '../../src/protocol/settings.ts'
import { readSettings } from '../../src/scenario/load/read-settings.ts'
import { readYaml } from '../../src/scenario/load/read-yaml.ts'
import { samplesOf } from '../_samples.ts'
import { directoryWith, run, serve } from './_io.ts'

/** The errors of a text, as `line:column message`. */
async function errors(text: string): Promise<string[]> {
  const { errors: found } = readYaml(yaml, text, settingsSchema())
  return found.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

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
    expect(await readSettingsFile({ path: `${files}/a.yaml`, shown: 'a.yaml' })).toEqual(expected)
    expect(await readSettingsFile({ path: `${files}/a.json`, shown: 'a.json' })).toEqual(expected)
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

describe('an error in a config file', () => {
  it('can be a trailing comma in JSON', async () => {
    const files = directoryWith({ 'a.json': '{"seed":"fox",}' })
    await expect(readSettingsFile({ path: `${files}/a.json`, shown: 'a.json' })).rejects.toThrow(
      'a.json:1:14: JSON does not allow a comma after the last value: remove the comma',
    )
  })

  it('is reported with its place, the value, the expected type and the nearest key; all in one run, in order', async () => {
    const text = `seeed: fox
clock:
  mode: reel
  speeed: 2
  start: yesterday
keys:
  sk-a.b: { model: [x] }
  sk-c: { models: [1] }
limits: { activeImageJobs: 0, json_bytes: 5 }
chat: [1]
imageJobs:
  duration: soon
seed: ''
publicUrl: gateway.example
`
    expect(await errors(text)).toEqual([
      '1:1 unknown key "seeed": did you mean seed?',
      '3:9 clock.mode: expected one of "real", "manual", "auto", got "reel"; did you mean real?',
      '4:3 unknown key "speeed": did you mean speed?',
      '5:10 clock.start: expected an ISO 8601 timestamp such as 2026-01-01T00:00:00Z, got "yesterday"',
      '7:13 unknown key "model": did you mean models?',
      '8:20 keys.sk-c.models[0]: expected a string, got 1',
      '9:28 limits.activeImageJobs: expected at least 1, got 0',
      '9:31 unknown key "json_bytes": did you mean jsonBytes?',
      '10:7 chat: expected an object, got an array of 1',
      '12:13 imageJobs.duration: expected a duration such as 5s, 350ms or 1h30m, got "soon"',
      '13:7 seed: expected at least 1 character, got an empty string',
      '14:12 publicUrl: expected a URL such as https://gateway.example, got "gateway.example"',
    ])
  })

  it('lists the valid keys when none is similar', async () => {
    expect(await errors('chat:\n  wibble: 1\n')).toEqual([
      '2:3 unknown key "wibble": expected one of unknownParameters, reasoningModels, firstEventAfter, eventInterval',
    ])
  })

  it('is found through an anchor, and at the parent of a missing value', async () => {
    expect(await errors('models:\n  chat: &ids [1]\n  videos: *ids\n')).toEqual([
      '2:15 models.chat[0]: expected a string, got 1',
      '2:15 models.videos[0]: expected a string, got 1',
    ])
    expect(await errors('seed:\n')).toEqual([
      expect.stringMatching(/^1:\d+ seed: expected a string, got null$/),
    ])
  })

  it.each([
    ['seed: [', '1:8', 'an earlier [ has no closing ]'],
    ['seed: a\nseed: b\nclock: 1\n', '2:1', 'duplicate key'],
    ['seed: !made-up x', '1:7', 'Unresolved tag'],
    ['seed: *nobody', '1:7', 'no anchor &nobody precedes this alias'],
    ['- 1', '1:1', 'expected an object, got an array of 1'],
    ['just words', '1:1', 'expected an object, got "just words"'],
    ['a: &a [*a]', '1:8', 'is nested more than 200 levels deep'],
    ['seed: a\n---\nseed: b\n', '2:1', 'a second document starts here: expected one document per file'],
    ['seed: 7', '1:7', 'seed: expected a string, got 7'],
    ['keys: { "": {} }', '1:9', 'keys'],
    ['__proto__: { seed: 1 }', '1:1', 'unknown key "__proto__"'],
  ])('is rejected without a crash: %j', async (text, place, says) => {
    const found = await errors(text)
    expect(found.join('\n')).toContain(says)
    expect(
      found.some((line) => line.startsWith(`${place} `)),
      found.join('\n'),
    ).toBe(true)
  })

  it('is shown with file, place and source line', async () => {
    const files = directoryWith({ 'x.yaml': 'clock:\n    mode: reel\n' })
    await expect(readSettingsFile({ path: `${files}/x.yaml`, shown: 'conf/x.yaml' })).rejects.toMatchObject({
      exitCode: 3,
      message:
        '1 error in conf/x.yaml:\nconf/x.yaml:2:11: clock.mode: expected one of "real", "manual", "auto", got "reel"; did you mean real?\n    2 |     mode: reel\n      |           ^',
    })
  })
})

describe('an unreadable config file', () => {
  it.each([
    ['nope.yaml', 'file not found'],
    ['.', 'it is a directory'],
    ['latin1.yaml', 'it is not UTF-8 text'],
  ])('is rejected: %s', async (name, says) => {
    const files = directoryWith({})
    writeFileSync(`${files}/latin1.yaml`, Buffer.from([0x73, 0x3a, 0x20, 0xe9, 0x0a]))
    await expect(readSettingsFile({ path: `${files}/${name}`, shown: name })).rejects.toMatchObject({
      exitCode: 3,
      message: `The settings file ${name} cannot be read: ${says}.`,
    })
  })
})

describe('the location of the config file', () => {
  it.each(['gateway-sim.config.yaml', 'gateway-sim.config.yml', 'gateway-sim.config.json'])(
    '%s in the current folder',
    (name) => {
      const cwd = directoryWith({ [name]: '{}' })
      expect(findSettingsFile(undefined, cwd)).toEqual({ path: `${cwd}/${name}`, shown: name })
    },
  )

  it('is the one given by --config, whatever the folder contains', () => {
    const cwd = directoryWith({ 'gateway-sim.config.yaml': '{}', 'gateway-sim.config.json': '{}' })
    expect(findSettingsFile('ci/sim.yaml', cwd)).toEqual({ path: `${cwd}/ci/sim.yaml`, shown: 'ci/sim.yaml' })
  })

  it('two in one folder are an error', () => {
    const cwd = directoryWith({ 'gateway-sim.config.yaml': '{}', 'gateway-sim.config.json': '{}' })
    expect(() => findSettingsFile(undefined, cwd)).toThrow(
      'gateway-sim.config.yaml and gateway-sim.config.json: keep one',
    )
  })
})

const story = `title: One key
rules:
  - { id: hi, when: { operation: chat.create, key: sk-alice }, then: { text: hi } }
steps:
  - call: chat.create
    with: { model: gpt-4o, messages: [{ role: user, content: Hello }] }
    expect: { body: { choices: [{ message: { content: hi } }] } }
`

describe('the settings file in the current folder', () => {
  const valid = { 'gateway-sim.config.yaml': 'keys: { sk-alice: {} }\n', 'a.yaml': story }
  const broken = { ...valid, 'gateway-sim.config.yaml': 'clock: { mode: reel }\n' }

  it('is named when a server starts, unless --quiet is set', async () => {
    const cwd = directoryWith(valid)
    const pretty = await serve([], { cwd })
    expect(pretty.stderr.text).toMatch(/^gateway-sim settings: gateway-sim\.config\.yaml\n/)
    const json = await serve(['--format', 'json'], { cwd })
    expect(json.stderr.text).toMatch(/^\{"event":"settings","file":"gateway-sim\.config\.yaml"\}\n/)
    expect((await serve(['--quiet'], { cwd })).stderr.text).toBe('')
  })

  it.each([[['a.yaml']], [['.']], [['gateway-sim.config.yaml', 'a.yaml']]])(
    'is checked by validate %j, which does not treat it as a scenario',
    async (words) => {
      expect(await run(['validate', ...words], { cwd: directoryWith(valid) })).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^2 files \(1 scenario and settings\) valid\n$/) as string,
      })
      const { code, stdout } = await run(['validate', ...words], { cwd: directoryWith(broken) })
      expect({ code, stdout }).toMatchObject({
        code: 3,
        stdout: expect.stringContaining(
          'gateway-sim.config.yaml:1:16: clock.mode: expected one of "real", "manual", "auto", got "reel"',
        ) as string,
      })
      expect(stdout).toContain('1 error in 1 of 2 files (1 scenario and settings)')
    },
  )

  it('is the one of --config for validate, and its settings apply to the scenarios', async () => {
    const given = '{ id: video_1 }, { id: video_2 }'
    const cwd = directoryWith({
      'small.yaml': 'memory: { items: 1 }\n',
      'b.yaml': `title: Two\ngiven: { videos: [${given}] }\n`,
    })
    expect((await run(['validate', 'b.yaml'], { cwd })).code).toBe(0)
    const { code, stdout } = await run(['validate', 'b.yaml', '--config', 'small.yaml'], { cwd })
    expect({ code, stdout }).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('keeps at most 1') as string,
    })
  })

  it('is used by replay, with its first key, and is named in the output', async () => {
    expect(await run(['replay', '.'], { cwd: directoryWith(valid) })).toEqual({
      code: 0,
      stdout: expect.stringContaining('1 of 1 steps passed') as string,
      stderr: 'gateway-sim settings: gateway-sim.config.yaml\n',
    })
    expect((await run(['replay', 'a.yaml'], { cwd: directoryWith(broken) })).code).toBe(3)
  })

  it('is not a scenario in a folder of scenarios', async () => {
    const cwd = directoryWith({ ...valid, 'a.yaml': story.replace(', key: sk-alice', '') })
    expect((await serve(['--scenario', '.'], { cwd })).url).toContain('http')
  })

  it('is watched: a valid change logs what needs a restart, an invalid one logs its errors', async () => {
    const cwd = directoryWith(valid)
    const { stderr } = await serve(['--watch'], { cwd })
    writeFileSync(`${cwd}/gateway-sim.config.yaml`, 'keys: { sk-bob: {} }\nseed: fox\n')
    await stderr.until(
      /warning: gateway-sim\.config\.yaml has changed \(keys, seed\): restart the server to apply the change\n/,
    )
    writeFileSync(`${cwd}/gateway-sim.config.yaml`, broken['gateway-sim.config.yaml'])
    await stderr.until(/warning: 1 error in gateway-sim\.config\.yaml[^]*The current settings stay/)
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
