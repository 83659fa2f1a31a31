/** The pipelines that `gateway-sim init` writes: their steps run, one test fails, and each artifact exists. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { packedProject, root } from '../_built.ts'
import { chromiumPath } from '../browser/_chromium.ts'
import { run } from '../cli/_io.ts'
import { lint } from './_actionlint.ts'
import { jobIn, runAction } from './_composite.ts'

const project = packedProject()
project.install('vitest', '@playwright/test')
const packed = join(project.directory, 'node_modules/gateway-sim')
const bin = join(packed, 'bin/gateway-sim.js')

// In place of npx, which would look for missing packages in the registry.
const commands = join(project.directory, 'commands')
mkdirSync(commands)
const modules = join(root, 'node_modules')
for (const [name, line] of Object.entries({
  npx: '"$@"',
  'gateway-sim': `node ${bin} "$@"`,
  vitest: `node ${modules}/vitest/vitest.mjs "$@"`,
  jest: `node ${modules}/jest/bin/jest.js --no-watchman "$@"`,
  playwright: `node ${modules}/@playwright/test/cli.js "$@"`,
}))
  writeFileSync(join(commands, name), `#!/bin/sh\nexec ${line}\n`, { mode: 0o755 })

const files: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  vitest: { 'package.json': '{"devDependencies":{"vitest":"*"}}' },
  jest: { 'package.json': '{"devDependencies":{"jest":"*"}}' },
  node: { 'package.json': '{}' },
  playwright: {
    'package.json': '{"devDependencies":{"@playwright/test":"*"}}',
    'playwright.config.mjs': `export default { use: { launchOptions: { executablePath: '${chromiumPath}' } } }`,
  },
  python: { 'requirements.txt': '' },
}

/** A project with the pipeline of a service. */
async function initialized(runner: string, ci: string, use = 'run') {
  const cwd = join(project.directory, `${runner}-${ci}-${use}`)
  mkdirSync(cwd)
  for (const [name, text] of Object.entries(files[runner] ?? {})) writeFileSync(join(cwd, name), text)
  expect(await run(['init', '--ci', ci], { cwd })).toMatchObject({ code: 0, stderr: '' })
  const job = jobIn(cwd)
  return { cwd, job: { cwd, env: { ...job.env, PATH: `${commands}:${job.env['PATH']}` } } }
}

/** What a runner writes about one test that passes and one that fails. */
const counts: Readonly<Record<string, RegExp>> = {
  jest: / 1 failed, 1 passed/,
  node: /pass 1\n.*fail 1\n/,
  playwright: / 1 failed\n.* survives a lost response .*\n {2}1 passed /,
  python: /Ran 2 tests[^]*FAILED \(failures=1\)/,
}

interface GitlabJob {
  readonly variables?: Readonly<Record<string, string>>
  readonly script: readonly string[]
  readonly artifacts: { readonly paths: readonly [string]; readonly reports: { readonly junit: string } }
}

const gitlabJob = (cwd: string): GitlabJob =>
  parse(readFileSync(join(cwd, '.gitlab-ci.yml'), 'utf8'))['gateway-sim']

const installs = /^(?:npm (?:ci|install)|npx playwright install)/
const installsBrowser = 'npx playwright install --with-deps chromium'

it.each(Object.keys(files))('GitHub, %s: the failed test is in the artifact', async (runner) => {
  const { cwd, job } = await initialized(runner, 'github')
  const text = readFileSync(join(cwd, '.github/workflows/gateway-sim.yml'), 'utf8')
  expect(await lint(text)).toEqual([])
  const { env = {}, steps } = parse(text).jobs['gateway-sim'] as {
    env?: Record<string, string>
    steps: { uses?: string; run?: string; with?: Record<string, string> }[]
  }
  expect(steps.some(({ run }) => run === installsBrowser)).toBe(runner === 'playwright')
  let failed = false
  let artifacts: string[] = []
  for (const { uses, run, with: inputs = {} } of steps) {
    if (uses === './node_modules/gateway-sim') {
      const ended = runAction(inputs, job, packed)
      failed ||= ended.failed
      expect(ended.log).toContain('retried-create')
      expect(ended.log).toMatch(counts[runner] as RegExp)
      artifacts = [...ended.uploads]
      expect(ended.summary).toContain('survives-a-lost-response')
    } else if (uses?.startsWith('actions/upload-artifact@') === true)
      // Playwright's HTML report exists only if its settings ask for it.
      artifacts.push(join(cwd, (inputs['path'] ?? '').split('\n')[0] as string))
    else if (run !== undefined && !installs.test(run))
      failed ||= spawnSync('bash', ['-e', '-c', run], { cwd, env: { ...job.env, ...env } }).status !== 0
  }
  expect({ failed, missing: artifacts.filter((path) => !existsSync(path)) }).toEqual({
    failed: true,
    missing: [],
  })
  expect(artifacts).not.toEqual([])
})

it.each(['vitest', 'node', 'python'])('GitLab, %s: the failed test is in the artifact', async (runner) => {
  const { cwd, job } = await initialized(runner, 'gitlab')
  const { variables = {}, script, artifacts } = gitlabJob(cwd)
  const statuses = script
    .filter((line) => !installs.test(line))
    .map((line) => spawnSync('bash', ['-e', '-c', line], { cwd, env: { ...job.env, ...variables } }).status)
  expect(statuses).toEqual([0, 1])
  const [path] = artifacts.paths
  expect(existsSync(join(cwd, path))).toBe(true)
  if (runner !== 'vitest') {
    expect(readFileSync(join(cwd, path), 'utf8').includes('survives-a-lost-response')).toBe(true)
    expect(readFileSync(join(cwd, artifacts.reports.junit), 'utf8')).toContain('retried-create')
  }
})

it('GitLab, Jest and Playwright: the pipeline of node:test, with their commands', async () => {
  const jobOf = async (runner: string) => gitlabJob((await initialized(runner, 'gitlab', 'pipeline')).cwd)
  const node = await jobOf('node')
  const running = (command: string) =>
    node.script.map((line) => line.replace(/ -- node .*/, () => ` -- ${command}`))
  expect(await jobOf('jest')).toEqual({ ...node, script: running('npx jest') })
  const [install, ...others] = running('npx playwright test')
  expect(await jobOf('playwright')).toEqual({
    ...node,
    script: [install, installsBrowser, ...others],
    artifacts: { ...node.artifacts, paths: [...node.artifacts.paths, 'test-results', 'playwright-report'] },
  })
})
