/** What `gateway-sim init` reads from a project; `init.thorough.test.ts` runs the files that it writes. */
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { directoryWith, run } from './_io.ts'

const declares = (version: string) => ({
  'package.json': JSON.stringify({ devDependencies: { vitest: version } }),
})
const installed = (version: string) => ({
  ...declares('*'),
  'node_modules/vitest/package.json': JSON.stringify({ name: 'vitest', version }),
})

it.each([
  ['declares ^3.2.4', declares('^3.2.4'), '^3.2.4'],
  ['declares 4.0.18', declares('4.0.18'), '4.0.18'],
  ['has installed 3.2.4', installed('3.2.4'), '3.2.4'],
  ['has installed 4.0.18', installed('4.0.18'), '4.0.18'],
])('a project that %s is told which version it needs, and nothing is written', async (_, files, version) => {
  const cwd = directoryWith(files)
  expect(await run(['init'], { cwd })).toEqual({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(
      `^gateway-sim: gateway-sim/vitest needs vitest 4\\.1 or later; this project has ${version.replace('^', '\\^')}\\. .*` +
        '`createSimulator` .*--runner node',
    ),
  })
  expect(readdirSync(cwd).toSorted()).toEqual(
    Object.keys(files)
      .map((name) => name.split('/')[0])
      .toSorted(),
  )
})

it.each([
  ['declares ^4.0.0', declares('^4.0.0'), []],
  ['declares ^4.1.12', declares('^4.1.12'), []],
  ['declares latest', declares('latest'), []],
  ['has installed 4.1.0', installed('4.1.0'), []],
  ['has an older version, but selects node:test', declares('^3.2.4'), ['--runner', 'node']],
])('a project that %s gets its files', async (_, files, flags) => {
  const { code, stdout } = await run(['init', ...flags], { cwd: directoryWith(files) })
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/ {2}wrote test\/gateway\.test\./),
  })
})

it('a Python project is told the runner of the written test', async () => {
  const { stdout } = await run(['init', '--runner', 'python'])
  const [, first] = /^gateway-sim: tests with (.*) \(/.exec(stdout) ?? []
  expect(first).toBe('unittest, which pytest runs too')
  expect(stdout).toContain('python3 -m unittest tests/test_gateway.py')
})
