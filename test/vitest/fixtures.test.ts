/** `gateway-sim/vitest` as projects meet it: vitest runs small projects whose tests must pass, or fail with these words. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runProject } from './_project.ts'

const projects = join(import.meta.dirname, 'projects')

describe('tests of a project', () => {
  it('pass', async () => {
    const ended = await runProject(projects, { include: ['passing.case.ts'] })
    expect(Object.keys(ended).length).toBeGreaterThanOrEqual(15)
    expect(Object.fromEntries(Object.entries(ended).filter(([, told]) => told.length > 0))).toEqual({})
  })

  it('fail for what they passed over', async () => {
    const ended = await runProject(projects, { include: ['failing.case.ts'] })
    const unused = 'OverlookedError: A rule has answered no call: large.\n(a rule that answers nothing proves nothing; `failOn: { unusedRules: false }` lets the test pass)'
    expect(ended).toEqual({
      'a wrong number of calls': ['Error: Expected chat.create exactly twice, got one.\nThese count:\n  #0 chat.create → 200 at +0s\nSeen: #0 chat.create (until +0s)'],
      'a rule that answered nothing': [unused],
      'of a test that has failed anyway, unused rules are not told': ['AssertionError: expected 1 to be 2 // Object.is equality'],
      'the same with a session': ["AssertionError: expected [ 'large' ] to deeply equal []"],
      'a badly behaved client': [expect.stringMatching(/^Error: Conduct of the client: 1 warning in 1 call\.\nwarning: temperature-and-top-p /)],
      'a bug of the simulator, swallowed by the client': [expect.stringMatching(/^OverlookedError: The simulator itself went wrong; please report it:\n {2}#0 GET \/v1\/tob\/job\/job-1: .*Error: /)],
      'a call that no rule names, swallowed by the client': [expect.stringMatching(/^OverlookedError: No rule names this call, and strict refuses what no rule names:\n {2}#0 POST \/v1\/chat\/completions\n {4}.*got 422\.\n {4}strict: no rule answers this call\.\n[\s\S]*`failOn: { unmatched: false }` lets the test pass\)$/)],
      'such a call before a reset': [expect.stringContaining('rule large: `model`: expected "gpt-4o", got "gpt-4o-mini".')],
      'such a call with the keys of a scenario': [expect.stringContaining('rule large: `model`: expected "gpt-4o", got "gpt-4o-mini".')],
      'a scenario that is wrong': ['ScenarioError: session scenario 1 cannot be used (1 mistake):\nsession scenario 1: rules[0].when.operation: when.operation: unknown word "chat.creat"; did you mean chat.create?'],
    })
  })
})
