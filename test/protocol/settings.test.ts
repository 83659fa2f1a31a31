/** Settings are read without the schema of those that nobody sets: with the same result. */
import { expect, it } from 'vitest'
import { settingsSchema } from '../../src/protocol/settings.ts'
import { readSettings } from '../../src/scenario/load/read-settings.ts'

it('what is left out has the defaults of the schema', () => {
  for (const input of [
    {},
    { clock: { mode: 'manual' } },
    { seed: 'x', chat: { eventInterval: '5ms' }, limits: { jsonBytes: 2000 }, keys: { 'sk-a': {} } },
    { videos: {}, publicUrl: 'http://gateway.test', strict: true, models: { chat: ['a*'] } },
  ])
    expect(readSettings(input)).toEqual(settingsSchema().parse(input))
})

it('no simulator shares its settings with another', () => {
  expect(readSettings({}).memory).not.toBe(readSettings({}).memory)
})

it('errors in several parts are named at once, beside names that no setting has', () => {
  const wrong = { chta: {}, chat: { eventInterval: 'soon' }, memory: { files: -1 } }
  for (const part of ['chta', 'chat.eventInterval', 'memory.files'])
    expect(() => readSettings(wrong)).toThrow(part)
  expect(() => readSettings([])).toThrow('The settings are invalid')
})
