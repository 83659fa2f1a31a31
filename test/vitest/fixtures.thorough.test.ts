/**
 * `gateway-sim/vitest` as projects meet it: vitest runs small projects whose tests must pass, or fail with
 * these words.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/node.ts'
import type { SavedTrace } from '../../src/trace/trace.ts'
import { root } from '../_built.ts'
import { simulator } from '../_setup.ts'
import { emptyDirectory } from '../cli/_io.ts'
import { runProject } from './_project.ts'

const projects = join(import.meta.dirname, 'projects')

/** What must not be there: tests that failed, with what they were told. */
const failed = (ended: Record<string, string[]>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(ended).filter(([, told]) => told.length > 0))

const traceIn = (page: string): SavedTrace => {
  const [, json = ''] = /id="trace">([^<]*)</.exec(readFileSync(page, 'utf8')) ?? []
  return JSON.parse(json) as SavedTrace
}

describe('tests of a project', () => {
  it('pass with a simulator in-process', async () => {
    const ended = await runProject(projects, { include: ['passing.case.ts', 'in-process.case.ts'] })
    expect(Object.keys(ended).length).toBeGreaterThanOrEqual(20)
    expect(failed(ended)).toEqual({})
  })

  it('pass in one virtual time with their client, without waiting', async () => {
    const ended = await runProject(projects, { include: ['virtual-time.case.ts'] })
    expect(Object.keys(ended)).toHaveLength(6)
    expect(failed(ended)).toEqual({})
  })

  it('need a simulator in their process for it', async () => {
    const env = { GATEWAY_SIM_URL: 'http://127.0.0.1:9' }
    const ended = await runProject(projects, { include: ['virtual-time.case.ts'], env })
    for (const [reason] of Object.values(ended)) expect(reason).toContain('no simulator in this process')
  })

  it('pass with a simulator on a server, and leave no session behind', async () => {
    const sim = simulator({ clock: 'auto' })
    const { url, close } = await listen(sim)
    onTestFinished(close)
    const ended = await runProject(projects, { include: ['passing.case.ts'], env: { GATEWAY_SIM_URL: url } })
    expect(Object.keys(ended).length).toBeGreaterThanOrEqual(18)
    expect(failed(ended)).toEqual({})
    expect(
      sim.core.sessions
        .all()
        .map(({ sandbox }) => sandbox.name)
        .filter((name) => name !== 'default'),
    ).toEqual([])
  })

  it('leave one page with a session for each of them, when `exec` runs them', async () => {
    const page = join(emptyDirectory(), 'sim.html')
    const bin = join(root, 'bin/gateway-sim.js')
    const ended = await runProject(projects, {
      include: ['passing.case.ts'],
      through: [process.execPath, bin, 'exec', '--report', `html=${page}`, '--'],
    })
    expect(failed(ended)).toEqual({})
    const { sessions } = traceIn(page)
    const named = sessions.filter(({ name }) => /^[a-z0-9-]+-[0-9a-f]{12}$/.test(name))
    expect(named.length).toBeGreaterThan(10)
    expect(named.some(({ scenarios }) => scenarios.some(({ of }) => of === 'session'))).toBe(true)
  })

  it.each([['in-process'], ['on a server']])(
    'leave a page if they fail, with a simulator %s',
    async (place) => {
      const { url, close } = await listen(
        simulator({ clock: 'auto', settings: { control: { token: 'secret-token' } } }),
      )
      onTestFinished(close)
      const folder = emptyDirectory()
      const server = {
        GATEWAY_SIM_URL: url,
        GATEWAY_SIM_CONTROL_TOKEN: 'secret-token',
        GATEWAY_SIM_SAVE_FAILED_TESTS: folder,
      }
      const ended = await runProject(projects, {
        include: ['saved.case.ts'],
        env: place === 'on a server' ? server : { PAGES: folder, GATEWAY_SIM_SAVE_FAILED_TESTS: 'unused' },
      })
      const pages = readdirSync(folder)
        .sort()
        .map((name) => join(folder, name))
      const [assertion = '', rule = ''] = pages
      expect(ended).toEqual({
        'a passing test': [],
        'an expected failure': [],
        'a failed assertion': [
          `AssertionError: expected 'pong' to be 'ping' // Object.is equality\n\nRequests of this test: ${assertion}`,
        ],
        'an unused rule': [
          expect.stringMatching(/^UnassertedError: A rule has not responded to any request: large\.\n/),
        ],
      })
      expect(ended['an unused rule']?.[0]?.endsWith(`)\n\nRequests of this test: ${rule}`)).toBe(true)
      expect(
        pages
          .map(traceIn)
          .map(({ title, sessions }) => [title, sessions.map(({ entries }) => entries.length)]),
      ).toEqual([
        ['saved.case.ts > a failed assertion', [1]],
        ['saved.case.ts > an unused rule', [1]],
      ])
    },
  )

  it.each([['in-process'], ['on a server']])(
    'fail for promises they did not await, with a simulator %s',
    async (place) => {
      const { url, close } = await listen(simulator({ clock: 'auto' }))
      onTestFinished(close)
      const ended = await runProject(projects, {
        include: ['awaiting.case.ts'],
        env: place === 'on a server' ? { GATEWAY_SIM_URL: url } : {},
      })
      const front =
        'UnassertedError: An expectation failed, and the test did not await it ' +
        '(write `await expect(sim)…`):\n  '
      expect(ended).toEqual({
        'a caught failure does not fail the test': [],
        'an expectation that is not awaited': [
          `${front}Expected videos.create at least once, got none.\n` +
            '  Closest:\n    #0 chat.create → 200 at +0s\n' +
            '      operation: expected "videos.create", got "chat.create"\n' +
            '  Received: #0 chat.create (until +0s)',
        ],
        'an invalid expectation that is not awaited': [
          expect.stringContaining('there is no rule "nosuch" (the session has no rules)'),
        ],
      })
    },
  )

  it('report what a simulator on a server does not support', async () => {
    const { url, close } = await listen(simulator({ clock: 'auto' }))
    onTestFinished(close)
    expect(
      await runProject(projects, { include: ['remote.case.ts'], env: { GATEWAY_SIM_URL: url } }),
    ).toEqual({
      'a session has the URL of the server': [],
      'a remote simulator': [
        [
          `Error: There is no simulator in this process (GATEWAY_SIM_URL is ${url}): use \`sim\`, or unset`,
          'GATEWAY_SIM_URL',
        ].join(' '),
      ],
      'options for a running simulator': [
        [
          'Error: simulatorOptions.strict cannot be applied to a running server (GATEWAY_SIM_URL is',
          `${url}): start the server with this option, or unset GATEWAY_SIM_URL`,
        ].join(' '),
      ],
    })
  })

  it('fail for problems they ignored', async () => {
    let output = ''
    const printed = (text: string): void => void (output = text)
    const ended = await runProject(projects, { include: ['failing.case.ts'], printed })
    // The line of the failed matcher.
    expect(output).toMatch(/got one\.\n.*\n.*\n.*\n ❯ failing\.case\.ts:7:\d+\n/)
    const unused =
      'UnassertedError: A rule has not responded to any request: large.\n' +
      '  large: closest #0 chat.create → 200 at +0s: `model`: expected "gpt-4o", got "gpt-4o-mini"\n' +
      'Received: #0 chat.create (until +0s)\n(remove the unused rules, or allow them with `failOn: { unusedRules: false }`)'
    expect(ended).toEqual({
      'a wrong number of requests': [
        'Error: Expected chat.create exactly twice, got one.\nMatching:\n' +
          '  #0 chat.create → 200 at +0s\nReceived: #0 chat.create (until +0s)',
      ],
      'a rule that never responded': [unused],
      'unused rules of a failed test are not reported': [
        'AssertionError: expected 1 to be 2 // Object.is equality',
      ],
      'the same with a session': ["AssertionError: expected [ 'large' ] to deeply equal []"],
      'a badly behaved client': [
        expect.stringMatching(
          /^Error: Client report: 1 warning in 1 request\.\nwarning: temperature-and-top-p /,
        ),
      ],
      'a bug of the simulator, swallowed by the client': [
        expect.stringMatching(
          new RegExp(
            '^UnassertedError: Internal error in gateway-sim; please report it:\\n' +
              ' {2}#0 GET /v1/tob/job/job-1: .*Error: ',
          ),
        ),
      ],
      'a call that no rule names, swallowed by the client': [
        expect.stringMatching(
          new RegExp(
            [
              '^UnassertedError: No rule matched this call, and `strict` rejects unmatched requests:\\n',
              ' {2}#0 POST /v1/chat/completions\\n {4}.*got 422\\.\\n {4}strict: no rule matches this request\\.\\n',
              '[\\s\\S]*\\(add a rule, or allow it with `failOn: { unmatched: false }`\\)$',
            ].join(''),
          ),
        ),
      ],
      'such a call before a reset': [
        expect.stringContaining('rule large: `model`: expected "gpt-4o", got "gpt-4o-mini".'),
      ],
      'such a call with the keys of a scenario': [
        expect.stringContaining('rule large: `model`: expected "gpt-4o", got "gpt-4o-mini".'),
      ],
      'a scenario that is wrong': [
        [
          'ScenarioError: 1 error in session scenario 1:\nsession scenario 1:',
          'rules[0].when.operation: unknown value "chat.creat"; did you mean chat.create?',
        ].join(' '),
      ],
    })
  })
})
