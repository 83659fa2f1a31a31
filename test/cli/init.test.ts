/** What `gateway-sim init` reads from a project; `init.thorough.test.ts` runs the files that it writes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

it.each([
  ['vitest', undefined, '- run: npx vitest run'],
  ['vitest', 'vitest', '- run: npm test'],
  ['jest', 'echo "Error: no test specified" && exit 1', '{ command: npx jest }'],
  ['@playwright/test', 'vitest run', '{ command: npm test && npx playwright test }'],
  ['@playwright/test', 'playwright test', '{ command: npm test }'],
  ['@playwright/test', 'gateway-sim exec -- playwright test', '{ command: npx playwright test }'],
  ['x', 'node --test', '{ command: npm test }'],
])('the workflow runs all tests of a project with %s and the script %j', async (name, test, command) => {
  const manifest = { devDependencies: { [name]: '*' }, scripts: { test } }
  const cwd = directoryWith({ 'package.json': JSON.stringify(manifest) })
  expect(await run(['init', '--ci', 'github'], { cwd })).toMatchObject({ code: 0 })
  const text = readFileSync(join(cwd, '.github/workflows/gateway-sim.yml'), 'utf8')
  expect(text).toContain(`${command}\n`)
  const hasBrowser = name === '@playwright/test'
  expect([text.includes('playwright install'), text.includes('test-results')]).toEqual([
    hasBrowser,
    hasBrowser,
  ])
})

it('in GitLab, both commands run under exec', async () => {
  const manifest = { devDependencies: { '@playwright/test': '*' }, scripts: { test: 'vitest run' } }
  const cwd = directoryWith({ 'package.json': JSON.stringify(manifest) })
  await run(['init', '--ci', 'gitlab'], { cwd })
  expect(readFileSync(join(cwd, '.gitlab-ci.yml'), 'utf8')).toContain(
    "--report html=sim.html --\n      bash -e -c 'npm test && npx playwright test'\n",
  )
})

it('a Playwright project without a config gets one; any other config stays the only one', async () => {
  const manifest = { 'package.json': JSON.stringify({ devDependencies: { '@playwright/test': '*' } }) }
  const cwd = directoryWith(manifest)
  expect((await run(['init'], { cwd })).stdout).toContain('  wrote playwright.config.mjs\n')
  expect(readFileSync(join(cwd, 'playwright.config.mjs'), 'utf8')).toContain(
    "webServer: { command: 'npm start'",
  )
  const own = directoryWith({ ...manifest, 'playwright.config.ts': '' })
  expect((await run(['init'], { cwd: own })).stdout).toContain('  kept  playwright.config.ts\n')
  expect(readdirSync(own)).not.toContain('playwright.config.mjs')
  const { stdout } = await run(['init', '--runner', 'node'], { cwd: directoryWith(manifest) })
  expect(stdout).not.toContain('playwright.config')
})

it('names the files of the example, which also has a scenario', async () => {
  const { stdout } = await run(['init'], { cwd: directoryWith({ 'package.json': '{}' }) })
  const said = 'To remove the example, delete test/gateway.test.mjs and scenarios/lost-response.yaml.\n'
  expect(stdout).toContain(said)
})

it('a Python project is told the runner of the written test', async () => {
  const { stdout } = await run(['init', '--runner', 'python'])
  const [, first] = /^gateway-sim: tests with (.*) \(/.exec(stdout) ?? []
  expect(first).toBe('unittest, which pytest runs too')
  expect(stdout).toContain('python3 -m unittest tests/test_gateway.py')
})
