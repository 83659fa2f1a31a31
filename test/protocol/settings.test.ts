import { describe, expect, it } from 'vitest'
import { settingsSchema } from '../../src/protocol/settings.ts'
import { readSettings } from '../../src/sessions/read-settings.ts'

describe('settings', () => {
  it('have every default, whatever is given of them', () => {
    expect(readSettings({ chat: { eventInterval: '1s' } })).toEqual({
      ...settingsSchema().parse({}),
      chat: { ...settingsSchema().parse({}).chat, eventInterval: 1000 },
    })
  })

  it('are not shared by simulators', () => {
    expect(readSettings({}).memory).not.toBe(readSettings({}).memory)
  })

  it('are rejected with all errors at once, beside names that no setting has', () => {
    const wrong = { chta: {}, chat: { eventInterval: 'soon' }, memory: { items: -1 } }
    for (const part of ['chta', 'chat.eventInterval', 'memory.items'])
      expect(() => readSettings(wrong)).toThrow(part)
    expect(() => readSettings([])).toThrow('The settings are invalid')
  })

  it('let a session keep at least what one submission adds', () => {
    expect(() => readSettings({ memory: { items: 3 } })).toThrow('memory.items: expected at least 4, got 3')
    expect(readSettings({ memory: { items: 4 } }).memory.items).toBe(4)
  })

  it('are at most fifty', () => {
    const leaves = (value: unknown): number =>
      value !== null && typeof value === 'object' && 'properties' in value
        ? Object.values(value.properties as object).reduce((sum: number, one) => sum + leaves(one), 0)
        : 1
    // `$schema` is for editors.
    expect(leaves(settingsSchema().toJSONSchema({ io: 'input' })) - 1).toBeLessThanOrEqual(50)
  })
})
