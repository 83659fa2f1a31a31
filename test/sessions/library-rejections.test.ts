/** What the functions of a session throw for what they cannot do. */
import { expect, it } from 'vitest'
import { ConfigError, type Simulator } from '../../src/index.ts'
import { simulator } from '../_setup.ts'

it.each<readonly [string, (sim: Simulator) => unknown, string]>([
  [
    'a duration without its name',
    (sim) => sim.clock.advance('5 s' as never),
    'expected a duration such as 5s',
  ],
  ['an unknown fault', (sim) => sim.overrides.add({ fault: 'explode' as never }), 'explode'],
  [
    'an unknown override',
    (sim) => sim.overrides.remove('nope'),
    'list the ids with overrides.list() (GET /__sim/overrides)',
  ],
  ['an unknown request', (sim) => sim.explainRequest('nope'), 'There is no request'],
  [
    'an unknown job',
    (sim) => sim.jobs.get('nope'),
    'list the existing ids with jobs.list() (GET /__sim/jobs)',
  ],
  [
    'a used name',
    (sim) => [sim.createSession({ name: 'a' }), sim.createSession({ name: 'a' })],
    'The session "a" already exists',
  ],
])('%s is a ConfigError', (_, act, words) => {
  const sim = simulator()
  try {
    act(sim)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).message).toContain(words)
    expect((error as ConfigError).errors).not.toHaveLength(0)
    return
  }
  expect.unreachable('nothing was thrown')
})
