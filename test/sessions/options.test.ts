/**
 * What `createSimulator` is given: errors are named before anything starts, as those of a config file are.
 */
import { describe, expect, it } from 'vitest'
import { ConfigError, type SimulatorOptions } from '../../src/index.ts'
import { simulator } from '../_setup.ts'

function rejectionOf(options: unknown): string {
  try {
    simulator(options as SimulatorOptions)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'nothing was rejected'
}

describe('options reject', () => {
  const timestamp =
    'expected an ISO 8601 timestamp with a time zone, such as 2026-01-01T00:00:00Z, or milliseconds ' +
    'since the epoch'

  it.each([
    ['a misspelled option', { sed: 'x' }, ['sed: unknown key "sed": did you mean seed?']],
    [
      'a setting as an option',
      { limits: {} },
      [
        'limits: unknown key "limits": expected one of seed, clock, start, speed, settings, scenarios, ' +
          'allowFiles, strict, publicUrl, selfCheck, onWarning, onCall, wallClock',
      ],
    ],
    ['an unknown clock', { clock: 'fast' }, ['clock: expected one of "real", "manual", "auto", got "fast"']],
    [
      'a misspelled clock',
      { clock: 'reel' },
      ['clock: expected one of "real", "manual", "auto", got "reel"; did you mean real?'],
    ],
    ['a seed that is a number', { seed: 5 }, ['seed: expected a string, got 5']],
    ['an empty seed', { seed: '' }, ['seed: expected at least 1 character, got an empty string']],
    ['a clock that runs backwards', { clock: 'real', speed: -1 }, ['speed: expected more than 0, got -1']],
    [
      'a URL without a scheme',
      { publicUrl: 'gateway.example' },
      ['publicUrl: expected a URL such as https://gateway.example, got "gateway.example"'],
    ],
    [
      'a start without a zone: it would depend on the machine',
      { start: '2026-01-01T00:00:00' },
      [`start: ${timestamp}, got "2026-01-01T00:00:00"`],
    ],
    ['a start that is not a time', { start: 'yesterday' }, [`start: ${timestamp}, got "yesterday"`]],
    ['a start after the last date', { start: 1e20 }, [`start: ${timestamp}, got 100000000000000000000`]],
    ['a start before the first date', { start: -1e20 }, [`start: ${timestamp}, got -100000000000000000000`]],
    ['an invalid listener', { onWarning: 'stderr' }, ['onWarning: expected a function, got "stderr"']],
    [
      'two errors together',
      { clokc: 'auto', seed: 5 },
      ['seed: expected a string, got 5', 'clokc: unknown key "clokc": did you mean clock?'],
    ],
  ])('%s', (_, options, errors) => {
    expect(rejectionOf(options)).toBe(
      ['The options of createSimulator are invalid:', ...errors.map((error) => `  ${error}`)].join('\n'),
    )
  })

  it.each([
    ['a misspelled setting', { seeed: 'x' }, 'seeed: unknown key "seeed": did you mean seed?'],
    [
      'a misspelled nested setting',
      { clock: { speeed: 2 } },
      'clock.speeed: unknown key "speeed": did you mean speed?',
    ],
    [
      'a misspelled mode',
      { clock: { mode: 'reel' } },
      'clock.mode: expected one of "real", "manual", "auto", got "reel"; did you mean real?',
    ],
    ['invalid settings', 'auto', '(top level): expected an object, got "auto"'],
  ])('%s', (_, settings, error) => {
    expect(rejectionOf({ settings })).toBe(`The settings are invalid:\n  ${error}`)
  })

  it('an advance by zero, with what to write', () => {
    expect(() => simulator().clock.advance(null as never)).toThrow(
      '`by`: expected a duration such as 5s, 350ms or 1h30m, got null.',
    )
  })
})

describe('options accept', () => {
  it.each([
    ['a time with a zone', '2026-03-01T12:00:00+02:00', '2026-03-01T10:00:00.000Z'],
    ['a date', '2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['milliseconds since the epoch', Date.UTC(2026, 2, 1), '2026-03-01T00:00:00.000Z'],
    ['no start', undefined, '2026-01-01T00:00:00.000Z'],
  ])('%s as the start', (_, start, now) => {
    expect(new Date(simulator({ ...(start === undefined ? {} : { start }) }).clock.now()).toISOString()).toBe(
      now,
    )
  })

  it('undefined options like absent ones', () => {
    const none = {
      seed: undefined,
      start: undefined,
      speed: undefined,
      settings: undefined,
      publicUrl: undefined,
    } as unknown as SimulatorOptions
    expect(simulator(none).clock.now()).toBe(simulator().clock.now())
  })

  it("the start of the settings, and the option's start above it", () => {
    const settings = { clock: { start: '2026-05-01T00:00:00Z' } }
    expect([
      simulator({ settings }).clock.now(),
      simulator({ settings, start: '2026-06-01' }).clock.now(),
    ]).toEqual([Date.UTC(2026, 4, 1), Date.UTC(2026, 5, 1)])
  })
})
